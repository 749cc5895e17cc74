// Signed distance to a triangle mesh: Embree finds the candidates in single precision, the distance
// to each is computed in double, and the winding number says which side.
#include <embree3/rtcore.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include "geometry/primitive_distance.h"
#include "geometry/topology.h"
#include "geometry/winding_number.h"
#include "prehend/core/assert.h"
#include "prehend/geometry/repair.h"

namespace prehend::geometry {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Nearer than this to the surface, the direction to it is rounding noise: take the face's normal.
constexpr double kOnSurface = 1e-10;

RTCDevice shared_device() {
  static const RTCDevice device = [] {
    const RTCDevice made = rtcNewDevice(nullptr);
    if (!made) throw std::bad_alloc();
    return made;
  }();
  return device;
}

Vec3 closest_on_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
  const Vec3 along = b - a;
  const double squared = along.squaredNorm();
  if (squared == 0.0) return a;
  return a + std::clamp((p - a).dot(along) / squared, 0.0, 1.0) * along;
}

// In the plane, the point is inside where it is on the inner side of all three edges; else the
// closest point is on an edge that it is beyond.
Vec3 closest_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = b - a, ac = c - a, ap = p - a;
  const double d1 = ab.dot(ap), d2 = ac.dot(ap);
  if (d1 <= 0.0 && d2 <= 0.0) return a;
  const Vec3 bp = p - b;
  const double d3 = ab.dot(bp), d4 = ac.dot(bp);
  if (d3 >= 0.0 && d4 <= d3) return b;
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) return closest_on_segment(p, a, b);
  const Vec3 cp = p - c;
  const double d5 = ab.dot(cp), d6 = ac.dot(cp);
  if (d6 >= 0.0 && d5 <= d6) return c;
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) return closest_on_segment(p, a, c);
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) return closest_on_segment(p, b, c);
  const double sum = va + vb + vc;
  if (!(sum > 0.0)) return closest_on_segment(p, a, b);
  return a + (vb / sum) * ab + (vc / sum) * ac;
}

// Calls visit(node, distance) with the up to 26 around a node.
template <typename Visit>
void for_each_neighbor(const NodeCube& nodes, int node, Visit visit) {
  const int n = nodes.side;
  const int x = node % n, y = node / n % n, z = node / (n * n);
  const double apart[] = {0.0, nodes.spacing, std::sqrt(2.0) * nodes.spacing,
                          std::sqrt(3.0) * nodes.spacing};
  for (int k = std::max(z - 1, 0); k <= std::min(z + 1, n - 1); ++k) {
    for (int j = std::max(y - 1, 0); j <= std::min(y + 1, n - 1); ++j) {
      for (int i = std::max(x - 1, 0); i <= std::min(x + 1, n - 1); ++i) {
        const int axes = (i != x) + (j != y) + (k != z);
        if (axes > 0) visit((k * n + j) * n + i, apart[axes]);
      }
    }
  }
}

class MeshDistance final : public ExactDistance {
 public:
  explicit MeshDistance(std::shared_ptr<const TriangleMesh> mesh)
      : mesh_(std::move(mesh)), winding_(*mesh_), box_(bounding_box(*mesh_)) {
    PREHEND_ASSERT(validate(*mesh_).ok());
    origin_ = box_.center();
    // Half a unit in the last place of a coordinate on either side, twice over.
    slack_ = 4.0 * box_.diagonal().norm() * std::numeric_limits<float>::epsilon();
    closed_ = true;
    for_each_edge(sorted_edge_uses(*mesh_), [&](const EdgeUse* first, const EdgeUse* last) {
      int balance = 0;
      for (const EdgeUse* use = first; use < last; ++use) balance += use->forward ? 1 : -1;
      closed_ = closed_ && balance == 0;
    });
    build_scene();
  }
  ~MeshDistance() override { rtcReleaseScene(scene_); }
  MeshDistance(const MeshDistance&) = delete;
  MeshDistance& operator=(const MeshDistance&) = delete;

  DistanceSample sample(const Vec3& point) const override {
    const ClosestPoint found = closest(point);
    return {found.distance, found.normal};
  }

  ClosestPoint closest(const Vec3& point) const override {
    return signed_closest(point, search(point), 0.0);
  }

  DistanceSample sample_beside(const Vec3& point, const Vec3& known_point,
                               const DistanceSample& known) const override {
    // Where it is closest there bounds how far it can be from here.
    const Vec3 near = known_point - known.distance * known.gradient;
    const Search found = search(point, (point - near).norm() + 2.0 * kOnSurface);
    const double step = (point - known_point).norm();
    const bool same = same_side(std::abs(known.distance), std::sqrt(found.squared), step);
    const double side = !same ? 0.0 : known.distance < 0.0 ? -1.0 : 1.0;
    const ClosestPoint closest = signed_closest(point, found, side);
    return {closest.distance, closest.normal};
  }

  // Back and forth, so that each node lies beside one already known, whose face bounds its search.
  void sample_cube(const NodeCube& nodes, std::span<DistanceSample> samples) const override {
    const int side = nodes.side;
    std::vector<Search> found(nodes.count());
    int known = -1;
    for (int i = 0; i < nodes.count(); ++i) {
      const int z = i / (side * side);
      const int row = i / side;
      const int y = z % 2 == 0 ? row % side : side - 1 - row % side;
      const int x = row % 2 == 0 ? i % side : side - 1 - i % side;
      const int node = (z * side + y) * side + x;
      found[node] = search(nodes.point(x, y, z), kInfinity, known < 0 ? -1 : found[known].face);
      known = node;
    }
    const std::vector<signed char> sides = sides_of(nodes, found);
    for (int i = 0; i < nodes.count(); ++i) {
      const ClosestPoint closest = signed_closest(found[i].point, found[i], sides[i]);
      samples[i] = {closest.distance, closest.normal};
    }
  }

 private:
  struct Search {
    const MeshDistance* self = nullptr;
    Vec3 point = Vec3::Zero();
    Vec3 closest = Vec3::Zero();
    double squared = kInfinity;
    double slack = 0.0;  // what single precision may have moved the point and the boxes by
    int face = -1;
  };

  void build_scene() {
    scene_ = rtcNewScene(shared_device());
    rtcSetSceneFlags(scene_, RTC_SCENE_FLAG_ROBUST);
    const RTCGeometry geometry = rtcNewGeometry(shared_device(), RTC_GEOMETRY_TYPE_TRIANGLE);
    auto* positions = static_cast<float*>(
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                3 * sizeof(float), mesh_->vertices.size()));
    if (!positions) throw std::bad_alloc();
    for (const Vec3& v : mesh_->vertices) {
      for (int k = 0; k < 3; ++k) *positions++ = static_cast<float>(v[k] - origin_[k]);
    }
    auto* indices = static_cast<unsigned*>(
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                3 * sizeof(unsigned), mesh_->faces.size()));
    if (!indices) throw std::bad_alloc();
    for (const auto& f : mesh_->faces) {
      for (const int v : f) *indices++ = static_cast<unsigned>(v);
    }
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(scene_, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(scene_);
    // Embree keeps its errors to itself; of these calls, only a lack of memory can be one.
    if (rtcGetDeviceError(shared_device()) != RTC_ERROR_NONE) throw std::bad_alloc();
  }

  // The radius to search is rounded up, so that every face that ties with the nearest is seen: the
  // answer does not depend on the order of the search.
  static float padded(double radius, double slack) {
    return static_cast<float>((radius + slack) * (1.0 + 1e-6));
  }

  static bool visit(RTCPointQueryFunctionArguments* arguments) {
    auto& search = *static_cast<Search*>(arguments->userPtr);
    const TriangleMesh& mesh = *search.self->mesh_;
    const int face = static_cast<int>(arguments->primID);
    const auto& f = mesh.faces[face];
    const Vec3 candidate = closest_on_triangle(search.point, mesh.vertices[f[0]],
                                               mesh.vertices[f[1]], mesh.vertices[f[2]]);
    const double squared = (candidate - search.point).squaredNorm();
    if (squared > search.squared || (squared == search.squared && face > search.face)) return false;
    const bool nearer = squared < search.squared;
    search.squared = squared;
    search.closest = candidate;
    search.face = face;
    const float radius = padded(std::sqrt(squared), search.slack);
    if (!nearer || radius >= arguments->query->radius) return false;
    arguments->query->radius = radius;
    return true;
  }

  // Nothing farther than `reach` is looked for, nor than the face that is tried first.
  Search search(const Vec3& point, double reach = kInfinity, int first_face = -1) const {
    Search state;
    state.self = this;
    state.point = point;
    if (first_face >= 0) {
      const auto& f = mesh_->faces[first_face];
      state.face = first_face;
      state.closest = closest_on_triangle(point, mesh_->vertices[f[0]], mesh_->vertices[f[1]],
                                          mesh_->vertices[f[2]]);
      state.squared = (state.closest - point).squaredNorm();
      reach = std::sqrt(state.squared);
    }
    RTCPointQueryContext context;
    rtcInitPointQueryContext(&context);
    RTCPointQuery query;
    query.x = static_cast<float>(point.x() - origin_.x());
    query.y = static_cast<float>(point.y() - origin_.y());
    query.z = static_cast<float>(point.z() - origin_.z());
    state.slack = slack_ + (point - origin_).norm() * std::numeric_limits<float>::epsilon();
    query.radius = padded(reach, state.slack);
    query.time = 0.0F;
    rtcPointQuery(scene_, &query, &context, visit, &state);
    return state;
  }

  // Of a closed mesh, the side changes only at the surface, and there is none in the balls around
  // two points that reach to it: where these meet, both lie on one side.
  bool same_side(double distance, double other_distance, double apart) const {
    return closed_ && distance + other_distance > apart * (1.0 + 1e-9);
  }

  double winding_side(const Vec3& point) const {
    return box_.contains(point) && winding_(point) > 0.5 ? -1.0 : 1.0;
  }

  // Asked of the winding number where no neighbor knows it, then handed on.
  std::vector<signed char> sides_of(const NodeCube& nodes, const std::vector<Search>& found) const {
    std::vector<double> distance(found.size());
    for (size_t i = 0; i < found.size(); ++i) distance[i] = std::sqrt(found[i].squared);
    std::vector<signed char> sides(found.size(), 0);
    std::vector<int> open;
    const auto hand_on = [&](int from) {
      for_each_neighbor(nodes, from, [&](int to, double apart) {
        if (sides[to] != 0 || !same_side(distance[from], distance[to], apart)) return;
        sides[to] = sides[from];
        open.push_back(to);
      });
    };
    for (int start = 0; start < nodes.count(); ++start) {
      if (sides[start] != 0) continue;
      sides[start] = winding_side(found[start].point) < 0.0 ? -1 : 1;
      if (closed_) open.push_back(start);
      while (!open.empty()) {
        const int from = open.back();
        open.pop_back();
        hand_on(from);
      }
    }
    return sides;
  }

  // `side`: 1 outside, -1 inside, 0 where it is not known.
  ClosestPoint signed_closest(const Vec3& point, const Search& found, double side) const {
    ClosestPoint result;
    if (found.face < 0) {  // the point is not a number
      result.distance = std::numeric_limits<double>::quiet_NaN();
      return result;
    }
    if (side == 0.0) side = winding_side(point);
    const double length = std::sqrt(found.squared);
    result.point = found.closest;
    result.face = found.face;
    result.distance = side * length;
    result.normal = length > kOnSurface ? Vec3((point - found.closest) / result.distance)
                                        : face_normal(found.face);
    return result;
  }

  Vec3 face_normal(int face) const {
    const auto& f = mesh_->faces[face];
    const Vec3& a = mesh_->vertices[f[0]];
    const Vec3 n = (mesh_->vertices[f[1]] - a).cross(mesh_->vertices[f[2]] - a);
    const double length = n.norm();
    return length > 0.0 ? Vec3(n / length) : Vec3::UnitY();
  }

  std::shared_ptr<const TriangleMesh> mesh_;
  WindingNumber winding_;
  Box3 box_;
  Vec3 origin_ = Vec3::Zero();
  double slack_ = 0.0;
  bool closed_ = false;
  RTCScene scene_ = nullptr;
};

}  // namespace

DistanceSample ExactDistance::sample_beside(const Vec3& point, const Vec3&,
                                            const DistanceSample&) const {
  return sample(point);
}

void ExactDistance::sample_cube(const NodeCube& nodes, std::span<DistanceSample> samples) const {
  const int side = nodes.side;
  for (int i = 0; i < nodes.count(); ++i)
    samples[i] = sample(nodes.point(i % side, i / side % side, i / (side * side)));
}

std::shared_ptr<const ExactDistance> mesh_distance(std::shared_ptr<const TriangleMesh> mesh) {
  return std::make_shared<MeshDistance>(std::move(mesh));
}

}  // namespace prehend::geometry
