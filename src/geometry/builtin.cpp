#include "prehend/geometry/builtin.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "geometry/builtin_parts.h"
#include "geometry/scan.h"
#include "prehend/geometry/mass_properties.h"
#include "prehend/geometry/primitive.h"

namespace prehend::geometry {
namespace {

void move(TriangleMesh& mesh, const Vec3& shift) {
  for (Vec3& v : mesh.vertices) v += shift;
}

// The frame's origin goes to the center of mass.
Result<Object> centered(const std::string& name, TriangleMesh mesh, double mass) {
  move(mesh, -mass_properties(mesh).center_of_mass);
  auto object = object_from_mesh(name, std::move(mesh), mass);
  if (object) object->center_of_mass.setZero();  // it is, to rounding
  return object;
}

// Center of mass and inertia of a solid of several materials, by cubes of a millimeter.
Result<Object> centered(const std::string& name, BuiltinSolid solid, double mass) {
  constexpr double kCube = 0.001;
  const Box3 box = bounding_box(solid.mesh);
  double total = 0.0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  for (double z = box.min().z() + kCube / 2; z < box.max().z(); z += kCube) {
    for (double y = box.min().y() + kCube / 2; y < box.max().y(); y += kCube) {
      for (double x = box.min().x() + kCube / 2; x < box.max().x(); x += kCube) {
        const Vec3 p(x, y, z);
        const double m = solid.density(p);
        if (m == 0.0) continue;
        total += m;
        first += m * p;
        second += m * (p * p.transpose() + kCube * kCube / 12.0 * Mat3::Identity());
      }
    }
  }
  const Vec3 center = first / total;
  const Mat3 central = second / total - center * center.transpose();
  move(solid.mesh, -center);
  auto object = object_from_mesh(name, std::move(solid.mesh), mass);
  if (!object) return object;
  object->center_of_mass.setZero();
  object->inertia = mass * (central.trace() * Mat3::Identity() - central);
  return object;
}

Result<Object> scanned(const std::string& name, double length, double mass) {
  auto scan = read_scan(name);
  if (!scan) return scan.error();
  Repaired repaired = repair(*scan);
  repaired.mesh = largest_part(repaired.mesh);
  if (!repaired.closed) {
    return Error{
        fmt::format("{}: the scan could not be closed; remove it from the assets and run "
                    "script/bootstrap again",
                    name)};
  }
  const double scale = length / bounding_box(repaired.mesh).sizes().maxCoeff();
  for (Vec3& v : repaired.mesh.vertices) v *= scale;
  return centered(name, std::move(repaired.mesh), mass);
}

struct Maker {
  const char* name;
  std::function<Result<Object>(const std::string&)> make;
};

template <typename Make>
Maker solid(const char* name, Make make, double mass) {
  return {name, [=](const std::string& n) { return centered(n, make(), mass); }};
}

Maker primitive(const char* name, ShapeKind kind, const Vec3& size, double mass) {
  return {name, [=](const std::string& n) { return object_from_primitive(n, kind, size, mass); }};
}

Maker scan(const char* name, double length, double mass) {
  return {name, [=](const std::string& n) { return scanned(n, length, mass); }};
}

// Masses are those of the everyday thing: a full bottle, a stoneware mug, a hollow plaster bunny.
const std::vector<Maker>& makers() {
  static const std::vector<Maker> all = {
      primitive("sphere", ShapeKind::kSphere, {0.035, 0.0, 0.0}, 0.15),
      primitive("box", ShapeKind::kBox, {0.03, 0.04, 0.03}, 0.2),
      primitive("cylinder", ShapeKind::kCylinder, {0.025, 0.075, 0.0}, 0.25),
      primitive("capsule", ShapeKind::kCapsule, {0.022, 0.045, 0.0}, 0.15),
      solid("wedge", make_wedge, 0.045),
      solid("book", make_book, 0.4),
      solid("soap", make_soap, 0.125),
      solid("cup", make_cup, 0.2),
      solid("mug", make_mug, 0.33),
      solid("bottle", make_bottle, 0.52),
      solid("wine-bottle", make_wine_bottle, 1.25),
      solid("wineglass", make_wineglass, 0.17),
      solid("hammer", make_hammer, 0.6),
      solid("nail", make_nail, 0.0098),
      solid("spatula", make_spatula, 0.1),
      solid("pot", make_pot, 0.9),
      solid("bulb", make_bulb, 0.035),
      solid("gift-box", make_gift_box, 0.25),
      scan("bunny", 0.15, 0.4),
      scan("dragon", 0.2, 0.4),
  };
  return all;
}

}  // namespace

const std::vector<std::string>& builtin_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Maker& maker : makers()) list.emplace_back(maker.name);
    return list;
  }();
  return names;
}

Result<Object> builtin_object(const std::string& name) {
  const auto& all = makers();
  const auto maker =
      std::find_if(all.begin(), all.end(), [&](const Maker& m) { return m.name == name; });
  if (maker == all.end()) {
    return Error{fmt::format("{}: no such built-in object; there are {}", name,
                             fmt::join(builtin_names(), ", "))};
  }
  // Made once: the meshes are shared, and some take a good part of a second. A failure (assets not
  // there yet) is tried again.
  static std::mutex mutex;
  static std::map<std::string, Object> made;
  const std::lock_guard lock(mutex);
  if (const auto found = made.find(name); found != made.end()) return found->second;
  auto object = maker->make(name);
  if (object) made.emplace(name, *object);
  return object;
}

}  // namespace prehend::geometry
