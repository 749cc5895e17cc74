#include "prehend/io/object_value.h"

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/glb_extras.h"

namespace prehend::io {
namespace {

using nlohmann::json;

// Seven digits tell tenths of a micrometer on what a hand can hold.
double rounded(double value) { return std::strtod(fmt::format("{:.7g}", value).c_str(), nullptr); }

Value to_value(const json& made) { return parse_json(made.dump(), "").value(); }

// FNV-1a, 64 bits, over the numbers as they are written.
std::string hash_of(const TriangleMesh& mesh) {
  std::uint64_t hash = 14695981039346656037ull;
  const auto add = [&](const std::string& text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  };
  for (const Vec3& v : mesh.vertices)
    add(fmt::format("{:.7g} {:.7g} {:.7g}\n", v.x(), v.y(), v.z()));
  for (const auto& face : mesh.faces) add(fmt::format("{} {} {}\n", face[0], face[1], face[2]));
  return fmt::format("{:016x}", hash);
}

Result<TriangleMesh> parse_mesh(const Value& value, const std::string& where) {
  const Value* vertices = value.find("vertices");
  const Value* faces = value.find("faces");
  const auto points = vertices ? vertices->numbers() : std::nullopt;
  const auto corners = faces ? faces->numbers() : std::nullopt;
  if (!points || points->empty() || points->size() % 3 != 0 || !corners || corners->empty() ||
      corners->size() % 3 != 0)
    return Error{where + ": vertices and faces should each be a list of threes"};
  TriangleMesh mesh;
  for (std::size_t i = 0; i < points->size(); i += 3) {
    mesh.vertices.emplace_back((*points)[i], (*points)[i + 1], (*points)[i + 2]);
    if (!mesh.vertices.back().allFinite()) return Error{where + ": vertices should be finite"};
  }
  for (std::size_t i = 0; i < corners->size(); i += 3) {
    std::array<int, 3> face;
    for (std::size_t k = 0; k < 3; ++k) {
      const double corner = (*corners)[i + k];
      if (!(corner >= 0.0 && corner < double(mesh.vertices.size()) && corner == std::floor(corner)))
        return Error{fmt::format("{}: face {} names no vertex", where, i / 3)};
      face[k] = static_cast<int>(corner);
    }
    mesh.faces.push_back(face);
  }
  const Value* hash = value.find("hash");
  if (!hash || !hash->string() || *hash->string() != hash_of(mesh))
    return Error{where + ": the mesh is not the one that was written: its hash differs"};
  return mesh;
}

// The table as the GLB's extras have it.
Result<json> to_extras(const Value& value, const std::string& where) {
  if (!value.is_table()) return Error{where + " should be a table"};
  return json::parse(to_json(value));
}

}  // namespace

Value object_value(const Object& object) {
  Value value = to_value(object_to_json(object));
  TriangleMesh mesh = *object.shape.mesh;
  std::vector<double> vertices, faces;
  for (Vec3& v : mesh.vertices) {
    v = v.unaryExpr(&rounded);
    vertices.insert(vertices.end(), v.begin(), v.end());
  }
  Value& made = value["mesh"] = Value::table();
  made["hash"] = hash_of(mesh);
  made["vertices"] = vertices;
  Value corners = Value::array();
  for (const auto& face : mesh.faces)
    for (const int corner : face) corners.push_back(corner);
  made["faces"] = std::move(corners);
  return value;
}

Result<Object> object_from_value(const Value& value, const std::string& where) {
  const Value* mesh = value.find("mesh");
  if (!mesh) return Error{where + " should have a mesh"};
  Value plain = Value::table();
  for (const auto& [key, member] : value.members())
    if (key != "mesh") plain[key] = member;
  const auto extras = to_extras(plain, where);
  if (!extras) return extras.error();
  auto object = object_from_json(*extras, where);
  if (!object) return object.error();
  auto shape = parse_mesh(*mesh, where + ".mesh");
  if (!shape) return shape.error();
  object->shape.mesh = std::make_shared<const TriangleMesh>(std::move(*shape));
  return object;
}

}  // namespace prehend::io
