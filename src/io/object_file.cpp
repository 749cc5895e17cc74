// Objects by name or from a mesh file: inspected, mended, weighed.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <optional>

#include "prehend/core/text.h"
#include "prehend/geometry/builtin.h"
#include "prehend/geometry/mass_properties.h"
#include "prehend/geometry/mesh_report.h"
#include "prehend/geometry/repair.h"
#include "prehend/geometry/scaled_object.h"
#include "prehend/io/mesh_file.h"

namespace prehend::io {
namespace {

constexpr double kWater = 1000.0;  // kg/m^3

// Single letters put in, left out or replaced that make one word of the other.
int edits_between(const std::string& a, const std::string& b) {
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const int replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

Error unknown_object(const std::string& name) {
  std::vector<std::string> close;
  if (name.size() < 40) {
    for (const std::string& known : geometry::builtin_names()) {
      const bool part = name.size() > 2 && (known.find(name) != std::string::npos ||
                                            name.find(known) != std::string::npos);
      if (part || edits_between(name, known) <= 2) close.push_back(known);
    }
  }
  if (!close.empty()) {
    return {fmt::format("{}: neither a file nor a built-in object; did you mean {}?",
                        printable(name, 80), fmt::join(close, " or "))};
  }
  return {fmt::format("{}: neither a file nor a built-in object; built in are {}",
                      printable(name, 80), fmt::join(geometry::builtin_names(), ", "))};
}

double total_area(const TriangleMesh& mesh) {
  double area = 0.0;
  for (const auto& f : mesh.faces) {
    const Vec3& a = mesh.vertices[f[0]];
    area += 0.5 * (mesh.vertices[f[1]] - a).cross(mesh.vertices[f[2]] - a).norm();
  }
  return area;
}

// Patches of the scanner's misses are part of the surface; the lid over a bowl's mouth is not.
constexpr double kPatchShare = 0.05;

struct Mended {
  TriangleMesh surface;  // for distances and pictures
  TriangleMesh solid;    // for volume and inertia
};

Mended mend(const TriangleMesh& mesh, const std::string& name, std::vector<std::string>& warnings) {
  const geometry::MeshReport report = geometry::inspect(mesh);
  for (const std::string& warning : report.warnings) {
    warnings.push_back(fmt::format("{}: {}", name, warning));
  }
  geometry::Repaired repaired = geometry::repair(mesh);
  Mended mended;
  if (!repaired.closed) {
    warnings.push_back(
        fmt::format("{}: could not be closed; its volume and mass are estimates", name));
  }
  const TriangleMesh oriented = geometry::orient_outward(mesh);
  const double before = total_area(oriented), after = total_area(repaired.mesh);
  if (std::abs(after - before) <= kPatchShare * before) {
    mended.surface = repaired.mesh;
  } else {
    mended.surface = oriented;
    warnings.push_back(fmt::format(
        "{}: an open shell; volume and mass are those of the solid with its openings closed",
        name));
  }
  mended.solid = std::move(repaired.mesh);
  return mended;
}

Result<LoadedObject> from_file(const std::string& file, const ObjectOptions& options) {
  auto mesh = read_mesh(file, {options.meters_per_unit});
  if (!mesh) return mesh.error();
  LoadedObject loaded;
  const std::string shown = std::filesystem::path(file).filename().string();
  Mended mended = mend(*mesh, shown, loaded.warnings);
  const geometry::MassProperties solid = geometry::mass_properties(mended.solid);
  if (options.center && solid.volume > 0.0) {
    for (Vec3& v : mended.surface.vertices) v -= solid.center_of_mass;
    for (Vec3& v : mended.solid.vertices) v -= solid.center_of_mass;
  }
  const double density = options.density > 0.0 ? options.density : kWater;
  // The volume is checked where the object is made; any positive mass does until then.
  const double weight = solid.volume > 0.0 ? density * solid.volume : 1.0;
  const double mass = options.mass > 0.0 ? options.mass : weight;
  auto object = geometry::object_from_mesh(file, std::move(mended.solid), mass);
  if (!object) return object.error();
  loaded.object = std::move(*object);
  loaded.object.name = std::filesystem::path(file).stem().string();
  loaded.object.shape.mesh = std::make_shared<const TriangleMesh>(std::move(mended.surface));
  return loaded;
}

Result<LoadedObject> from_builtin(const std::string& name, const ObjectOptions& options) {
  auto object = geometry::builtin_object(name);
  if (!object) return object.error();
  LoadedObject loaded{std::move(*object), {}};
  double mass = options.mass;
  if (mass <= 0.0 && options.density > 0.0) {
    mass = options.density * geometry::mass_properties(*loaded.object.shape.mesh).volume;
  }
  if (mass > 0.0) {
    loaded.object.inertia *= mass / loaded.object.mass;
    loaded.object.mass = mass;
  }
  return loaded;
}

Status check_options(const std::string& name, const ObjectOptions& options) {
  const std::pair<const char*, double> numbers[] = {{"meters per unit", options.meters_per_unit},
                                                    {"mass", options.mass},
                                                    {"density", options.density},
                                                    {"friction", options.friction}};
  for (const auto& [what, value] : numbers) {
    if (!std::isfinite(value) || value < 0.0) {
      return Error{fmt::format("{}: {} is {}; it must be positive", name, what, value)};
    }
  }
  return {};
}

// "sphere:0.24" is that built-in with a longest side of 0.24 m, "box:0.07x0.2x0.07" one with these
// sides. Nothing if the text is not of that form.
struct SizedName {
  std::string name;
  std::vector<double> sides;  // one or three, m
};
Result<std::optional<SizedName>> sized_name(const std::string& text) {
  const std::size_t colon = text.find(':');
  SizedName sized{text.substr(0, colon), {}};
  const auto& names = geometry::builtin_names();
  if (colon == std::string::npos ||
      std::find(names.begin(), names.end(), sized.name) == names.end())
    return std::optional<SizedName>();
  const char* at = text.data() + colon + 1;
  const char* end = text.data() + text.size();
  bool good = at < end;
  while (good && at < end) {
    double side = 0.0;
    const auto [after, error] = std::from_chars(at, end, side);
    good = error == std::errc() && side >= 0.001 && side <= 10.0;
    if (good) sized.sides.push_back(side);
    at = after;
    if (good && at < end) good = *at++ == 'x' && at < end;
  }
  if (!good || (sized.sides.size() != 1 && sized.sides.size() != 3))
    return Error{
        fmt::format("{}: a size is one number of meters or three from 0.001 to 10, such as "
                    "sphere:0.24 or box:0.07x0.2x0.07",
                    printable(text, 80))};
  return std::optional<SizedName>(std::move(sized));
}

Result<LoadedObject> from_sized(const SizedName& sized, const ObjectOptions& options) {
  auto loaded = from_builtin(sized.name, {});
  if (!loaded) return loaded.error();
  const Vec3 sides = geometry::bounding_box(*loaded->object.shape.mesh).sizes();
  Vec3 scale = Vec3::Constant(sized.sides[0] / sides.maxCoeff());
  if (sized.sides.size() == 3) scale = Vec3(sized.sides.data()).cwiseQuotient(sides);
  auto object = geometry::scaled(std::move(loaded->object), scale);
  if (!object) return object.error();
  double mass = options.mass;
  if (mass <= 0.0 && options.density > 0.0)
    mass = options.density * geometry::mass_properties(*object->shape.mesh).volume;
  loaded->object = mass > 0.0 ? with_mass(std::move(*object), mass) : std::move(*object);
  return loaded;
}

}  // namespace

Result<LoadedObject> load_object(const std::string& name_or_file, const ObjectOptions& options) {
  if (const Status status = check_options(name_or_file, options); !status) return status.error();
  const auto sized = sized_name(name_or_file);
  if (!sized) return sized.error();
  if (*sized) {
    auto loaded = from_sized(**sized, options);
    if (loaded && options.friction > 0.0) loaded->object.friction = options.friction;
    return loaded;
  }
  const auto& names = geometry::builtin_names();
  const bool builtin = std::find(names.begin(), names.end(), name_or_file) != names.end();
  std::error_code ignored;
  if (!builtin && file_ending(name_or_file).empty() &&
      !std::filesystem::exists(name_or_file, ignored)) {
    return unknown_object(name_or_file);
  }
  auto loaded = builtin ? from_builtin(name_or_file, options) : from_file(name_or_file, options);
  if (loaded && options.friction > 0.0) loaded->object.friction = options.friction;
  return loaded;
}

}  // namespace prehend::io
