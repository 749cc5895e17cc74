#include "geometry/scan.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "prehend/geometry/repair.h"

namespace prehend::geometry {
namespace {

static_assert(std::endian::native == std::endian::little, "scans are read as little-endian");

struct Header {
  bool binary = false;
  size_t vertices = 0;
  size_t faces = 0;
  size_t body = 0;  // where the data starts
};

// Vertices of three floats, faces of a count (one byte) and indices (ints): what the set-up writes.
bool read_header(const std::string& text, Header& header) {
  const std::string end = "end_header\n";
  const size_t at = text.find(end);
  if (text.rfind("ply", 0) != 0 || at == std::string::npos) return false;
  header.body = at + end.size();
  std::istringstream lines(text.substr(0, at));
  std::string word;
  while (lines >> word) {
    if (word == "binary_little_endian") header.binary = true;
    if (word == "element") {
      size_t count = 0;
      lines >> word >> count;
      if (word == "vertex") header.vertices = count;
      if (word == "face") header.faces = count;
    }
  }
  return header.vertices > 0 && header.faces > 0 && header.vertices <= text.size() &&
         header.faces <= text.size();
}

bool read_binary(const std::string& text, const Header& header, TriangleMesh& mesh) {
  constexpr size_t kVertexBytes = 12, kFaceBytes = 13;
  if (text.size() - header.body < header.vertices * kVertexBytes + header.faces * kFaceBytes) {
    return false;
  }
  const char* at = text.data() + header.body;
  for (size_t i = 0; i < header.vertices; ++i, at += kVertexBytes) {
    float p[3];
    std::memcpy(p, at, sizeof p);
    mesh.vertices.emplace_back(p[0], p[1], p[2]);
  }
  for (size_t i = 0; i < header.faces; ++i, at += kFaceBytes) {
    std::int32_t v[3];
    if (*at != 3) return false;
    std::memcpy(v, at + 1, sizeof v);
    mesh.faces.push_back({v[0], v[1], v[2]});
  }
  return true;
}

bool read_ascii(const std::string& text, const Header& header, TriangleMesh& mesh) {
  const char* at = text.data() + header.body;
  const char* end = text.data() + text.size();
  const auto next = [&](auto& number) {
    while (at < end && std::isspace(static_cast<unsigned char>(*at))) ++at;
    const auto [stop, error] = std::from_chars(at, end, number);
    at = stop;
    return error == std::errc();
  };
  for (size_t i = 0; i < header.vertices; ++i) {
    double x = 0, y = 0, z = 0;
    if (!next(x) || !next(y) || !next(z)) return false;
    mesh.vertices.emplace_back(x, y, z);
  }
  for (size_t i = 0; i < header.faces; ++i) {
    int count = 0;
    std::array<int, 3> f{};
    if (!next(count) || count != 3 || !next(f[0]) || !next(f[1]) || !next(f[2])) return false;
    mesh.faces.push_back(f);
  }
  return true;
}

// The environment's folder, or the one that is installed (or linked, where the project is built)
// beside the running program, or the one that the build was told. PREHEND_INSTALLED_ASSETS is the
// last of them.
std::filesystem::path assets_folder() {
  namespace fs = std::filesystem;
  const char* told = std::getenv("PREHEND_ASSETS");
  if (told && *told) return told;
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed).parent_path();
  const fs::path beside = fs::path("share") / "prehend" / "assets";
  for (const fs::path& folder : {program.parent_path() / beside, program / beside})
    if (!program.empty() && fs::is_directory(folder, failed)) return folder;
  return PREHEND_INSTALLED_ASSETS;
}

}  // namespace

Result<TriangleMesh> read_scan(const std::string& name) {
  const std::filesystem::path path = assets_folder() / (name + ".ply");
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return Error{fmt::format(
        "{}: not found; run script/bootstrap, or set PREHEND_ASSETS to the folder with the scans",
        path.string())};
  }
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  Header header;
  TriangleMesh mesh;
  const bool read = read_header(text, header) && (header.binary ? read_binary(text, header, mesh)
                                                                : read_ascii(text, header, mesh));
  if (!read || !validate(mesh)) {
    return Error{
        fmt::format("{}: damaged; remove it and run script/bootstrap again", path.string())};
  }
  return mesh;
}

}  // namespace prehend::geometry
