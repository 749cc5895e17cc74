// Ben Amor, Heumer, Jung and Vitzthum, "Grasp synthesis from low-dimensional probabilistic grasp
// models", CAVW 2008, section "Computational Speedups and Improvements".
// Implements: a low-polygon version of the object for the search; an area of interest outside of
//             which triangles are discarded.
// Departs:    the hand must not enter the rest of the object either, so penetration is judged by
//             the whole of it; distances are read from a field, whatever the number of triangles.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include "methods/grasp_space/handles.h"
#include "prehend/geometry/decimate.h"
#include "prehend/methods/grasp_space/grasp.h"

namespace prehend::grasp_space {
namespace {

// Spacing of the search's field, m: its sensors are centimeters large.
constexpr double kSearchSpacing = 0.005;
constexpr double kNear = 0.05, kFillStep = 0.02;  // m

// Smaller than a fingertip can hold, or thicker than any hand can span.
constexpr double kSmallest = 0.02, kLargest = 1.3;  // of the hand's length

bool inside(const TriangleMesh& mesh, const std::array<int, 3>& face, const Region& region) {
  return std::all_of(face.begin(), face.end(),
                     [&](int v) { return region.contains(mesh.vertices[v]); });
}

TriangleMesh cut_to(const TriangleMesh& mesh, const Region& region) {
  TriangleMesh part;
  part.vertices = mesh.vertices;
  for (const auto& face : mesh.faces) {
    if (inside(mesh, face, region)) part.faces.push_back(face);
  }
  return part;
}

Shape reduced(const Shape& shape, int faces) {
  Shape small = shape;
  if (static_cast<int>(shape.mesh->faces.size()) > faces) {
    small.mesh = std::make_shared<const TriangleMesh>(geometry::decimate(*shape.mesh, faces));
  }
  return small;
}

// Touches every brick in which a sensor near the object may be, so that no search waits for one.
void fill(const geometry::SignedDistance& field, const TriangleMesh& mesh, const Monitor& monitor) {
  const geometry::Box3 box = geometry::bounding_box(mesh);
  const Vec3 low = box.min() - Vec3::Constant(kNear);
  const Eigen::Vector3i count =
      ((box.sizes().array() + 2.0 * kNear) / kFillStep).ceil().cast<int>();
  tbb::parallel_for(0, (count.x() + 1) * (count.y() + 1), [&](int column) {
    const int x = column % (count.x() + 1), y = column / (count.x() + 1);
    for (int z = 0; z <= count.z() && !monitor.stop.stop_requested(); ++z)
      field.sample(low + kFillStep * Vec3(x, y, z));
  });
}

Status check_size(const Object& object, const Hand& hand) {
  Vec3 sizes = geometry::bounding_box(*object.shape.mesh).sizes();
  std::sort(sizes.begin(), sizes.end());
  if (sizes[2] < kSmallest * hand.length) {
    return Error{
        fmt::format("{}: {:.2g} mm across is too small for a hand of {:.0f} mm (wrong unit?)",
                    object.name, 1e3 * sizes[2], 1e3 * hand.length)};
  }
  if (sizes[0] > kLargest * hand.length) {
    return Error{fmt::format(
        "{}: {:.2g} m at its thinnest is too large for a hand of {:.0f} mm (wrong unit?)",
        object.name, sizes[0], 1e3 * hand.length)};
  }
  return {};
}

}  // namespace

Result<GraspTarget> prepare_target(const GraspProblem& problem, int search_faces,
                                   const Monitor& monitor) {
  const Shape& shape = problem.object->shape;
  if (Status status = check_size(*problem.object, *problem.hand); !status) return status.error();
  GraspTarget target;
  target.object = problem.object;
  target.prepared = problem.prepared ? problem.prepared : geometry::prepare(problem.object);
  target.search_mesh = shape.mesh;
  target.metric.table = problem.table;
  if (shape.kind == ShapeKind::kMesh) {
    const Shape search = reduced(shape, search_faces);
    target.search_mesh = search.mesh;
    target.metric.whole =
        geometry::brick_field(geometry::exact_distance(search), search, {kSearchSpacing});
    fill(*target.metric.whole, *search.mesh, monitor);
  } else {
    target.metric.whole = target.prepared->exact();
  }
  if (problem.region) {
    TriangleMesh part = cut_to(*target.search_mesh, *problem.region);
    if (part.empty()) part = cut_to(*shape.mesh, *problem.region);
    if (part.empty()) {
      return Error{
          fmt::format("{}: no surface inside the region of {:.3g} m about ({:.3g}, {:.3g}, {:.3g})",
                      problem.object->name, problem.region->radius, problem.region->center.x(),
                      problem.region->center.y(), problem.region->center.z())};
    }
    Shape patch;
    patch.mesh = target.search_mesh = std::make_shared<const TriangleMesh>(std::move(part));
    target.metric.region = geometry::exact_distance(patch);
  }
  if (!problem.region && !problem.wrist_object)
    target.parts = find_handles(*target.prepared, *target.search_mesh);
  return target;
}

}  // namespace prehend::grasp_space
