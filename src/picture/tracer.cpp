#include "picture/tracer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include <tbb/task_arena.h>

namespace prehend::picture::detail {
namespace {

constexpr unsigned kOpaqueMask = 1;
constexpr unsigned kTransparentMask = 2;
constexpr unsigned kMarkMask = 4;
// Layers of see-through surfaces that one ray passes; more are not told apart by the eye.
constexpr int kMaxLayers = 16;

RTCRay make_ray(const Vec3f& origin, const Vec3f& direction, float near, unsigned mask) {
  RTCRay ray{};
  ray.org_x = origin.x();
  ray.org_y = origin.y();
  ray.org_z = origin.z();
  ray.dir_x = direction.x();
  ray.dir_y = direction.y();
  ray.dir_z = direction.z();
  ray.tnear = near;
  ray.tfar = std::numeric_limits<float>::infinity();
  ray.mask = mask;
  return ray;
}

}  // namespace

Tracer::Tracer(std::vector<Part> parts) : parts_(std::move(parts)) {
  device_ = rtcNewDevice(nullptr);
  if (!device_) throw std::bad_alloc();
  scene_ = rtcNewScene(device_);
  rtcSetSceneFlags(scene_, RTC_SCENE_FLAG_ROBUST);
  float extent = 0.0f;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    if (part.faces.empty()) continue;
    for (const Vec3f& v : part.vertices) extent = std::max(extent, v.cwiseAbs().maxCoeff());
    // Embree reads 16 bytes at the last vertex.
    part.vertices.push_back(Vec3f::Zero());
    RTCGeometry geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_TRIANGLE);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                               part.vertices.data(), 0, sizeof(Vec3f), part.vertices.size() - 1);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                               part.faces.data(), 0, sizeof(part.faces[0]), part.faces.size());
    const bool transparent = part.material.opacity < 1.0f && !part.mark;
    has_transparent_ |= transparent;
    has_marks_ |= part.mark;
    rtcSetGeometryMask(geometry, part.mark     ? kMarkMask
                                 : transparent ? kTransparentMask
                                               : kOpaqueMask);
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(scene_, geometry, static_cast<unsigned>(i));
    rtcReleaseGeometry(geometry);
  }
  epsilon_ = std::max(1e-5f * extent, 1e-7f);
  // One thread builds, so that the tree, and with it ties between touching triangles, are the same
  // for any number of threads. A device of one thread would hold all of TBB to it.
  tbb::task_arena(1).execute([this] { rtcJoinCommitScene(scene_); });
  // Embree keeps its errors to itself; of these calls, only a lack of memory can be one.
  if (rtcGetDeviceError(device_) == RTC_ERROR_NONE) return;
  rtcReleaseScene(scene_);
  rtcReleaseDevice(device_);
  throw std::bad_alloc();
}

Tracer::~Tracer() {
  rtcReleaseScene(scene_);
  rtcReleaseDevice(device_);
}

bool Tracer::intersect(const Vec3f& origin, const Vec3f& direction, float near, Hit& hit,
                       Meets meets) const {
  RTCRayHit ray{};
  ray.ray = make_ray(origin, direction, near,
                     meets == Meets::kMarks ? kMarkMask : kOpaqueMask | kTransparentMask);
  ray.hit.geomID = RTC_INVALID_GEOMETRY_ID;
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  rtcIntersect1(scene_, &context, &ray);
  if (ray.hit.geomID == RTC_INVALID_GEOMETRY_ID) return false;
  fill_hit(ray, hit);
  return true;
}

void Tracer::fill_hit(const RTCRayHit& ray, Hit& hit) const {
  const Part& part = parts_[ray.hit.geomID];
  const auto& face = part.faces[ray.hit.primID];
  const auto& normals = part.normals[ray.hit.primID];
  const float w[3] = {1.0f - ray.hit.u - ray.hit.v, ray.hit.u, ray.hit.v};
  hit.part = static_cast<int>(ray.hit.geomID);
  hit.material = &part.material;
  hit.distance = ray.ray.tfar;
  const Vec3f direction(ray.ray.dir_x, ray.ray.dir_y, ray.ray.dir_z);
  hit.position = Vec3f::Zero();
  hit.normal = Vec3f::Zero();
  for (int i = 0; i < 3; ++i) {
    hit.position += w[i] * part.vertices[face[i]];
    hit.normal += w[i] * normals[i];
  }
  hit.normal.normalize();
  hit.geometric = Vec3f(ray.hit.Ng_x, ray.hit.Ng_y, ray.hit.Ng_z).normalized();
  const float side = hit.geometric.dot(direction) > 0.0f ? -1.0f : 1.0f;
  hit.geometric *= side;
  hit.normal *= side;
  // The mean of the point's projections onto the tangent planes at the corners, where it is below.
  Vec3f lift = Vec3f::Zero();
  for (int i = 0; i < 3; ++i) {
    const Vec3f n = side * normals[i];
    lift -= w[i] * std::min(0.0f, n.dot(hit.position - part.vertices[face[i]])) * n;
  }
  hit.lifted = hit.position + lift + epsilon_ * hit.geometric;
}

float Tracer::transmittance(const Vec3f& origin, const Vec3f& direction, float near) const {
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  RTCRay ray = make_ray(origin, direction, near, kOpaqueMask);
  rtcOccluded1(scene_, &context, &ray);
  if (ray.tfar < 0.0f) return 0.0f;
  if (!has_transparent_) return 1.0f;
  float passes = 1.0f;
  for (int layer = 0; layer < kMaxLayers && passes > 0.02f; ++layer) {
    RTCRayHit walk{};
    walk.ray = make_ray(origin, direction, near, kTransparentMask);
    walk.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(scene_, &context, &walk);
    if (walk.hit.geomID == RTC_INVALID_GEOMETRY_ID) break;
    passes *= 1.0f - parts_[walk.hit.geomID].material.opacity;
    near = walk.ray.tfar + epsilon_;
  }
  return passes;
}

}  // namespace prehend::picture::detail
