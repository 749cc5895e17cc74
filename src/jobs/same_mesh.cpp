#include "jobs/same_mesh.h"

#include <cmath>

#include "prehend/geometry/repair.h"

namespace prehend::jobs {
namespace {

// Files keep nine digits; lengths that differ by more than this part are of different things.
constexpr double kSame = 1e-5;

// Mean of the corners of all faces, which welding and a mirror that turns faces around leave as it
// is.
Vec3 middle(const TriangleMesh& mesh) {
  Vec3 sum = Vec3::Zero();
  for (const auto& face : mesh.faces)
    for (int i = 0; i < 3; ++i) sum += mesh.vertices[face[i]];
  return sum / (3.0 * double(std::max<std::size_t>(1, mesh.faces.size())));
}

}  // namespace

std::optional<MeshReading> same_mesh(const TriangleMesh& mesh, const TriangleMesh& known) {
  if (mesh.faces.empty() || mesh.faces.size() != known.faces.size()) return std::nullopt;
  const geometry::Box3 box = geometry::bounding_box(mesh), other = geometry::bounding_box(known);
  MeshReading reading;
  reading.unit = other.sizes().norm() / box.sizes().norm();
  // Units are round numbers; writing and reading lost some digits.
  const double digits = std::pow(10.0, std::floor(std::log10(reading.unit)) - 4.0);
  const double round = std::round(reading.unit / digits) * digits;
  if (std::abs(round / reading.unit - 1.0) < kSame) reading.unit = round;
  const double tolerance = kSame * other.sizes().norm();
  const auto as_read = [&](Vec3 point) {
    if (reading.mirrored) point.x() = -point.x();
    return Vec3(reading.unit * point);
  };
  for (const bool mirrored : {false, true}) {
    reading.mirrored = mirrored;
    const Vec3 low = as_read(box.min()), high = as_read(box.max());
    if ((low.cwiseMin(high) - other.min()).norm() < tolerance &&
        (low.cwiseMax(high) - other.max()).norm() < tolerance &&
        (as_read(middle(mesh)) - middle(known)).norm() < tolerance)
      return reading;
  }
  return std::nullopt;
}

}  // namespace prehend::jobs
