#include "geometry/primitive_distance.h"

#include <algorithm>
#include <cmath>

#include "prehend/core/assert.h"

namespace prehend::geometry {
namespace {

// The unit vector along v, or `otherwise` where v is too short to have a direction.
Vec3 direction_or(const Vec3& v, double length, const Vec3& otherwise) {
  return length > 1e-300 ? Vec3(v / length) : otherwise;
}

class PrimitiveDistance final : public ExactDistance {
 public:
  explicit PrimitiveDistance(const Shape& shape) : kind_(shape.kind), size_(shape.size) {}

  DistanceSample sample(const Vec3& point) const override {
    switch (kind_) {
      case ShapeKind::kSphere:
        return sphere_distance(point, size_.x());
      case ShapeKind::kBox:
        return box_distance(point, size_);
      case ShapeKind::kCylinder:
        return cylinder_distance(point, size_.x(), size_.y());
      default:
        return capsule_distance(point, size_.x(), size_.y());
    }
  }

  ClosestPoint closest(const Vec3& point) const override {
    const DistanceSample s = sample(point);
    return {point - s.distance * s.gradient, s.gradient, s.distance, -1};
  }

 private:
  ShapeKind kind_;
  Vec3 size_;
};

}  // namespace

DistanceSample sphere_distance(const Vec3& point, double radius) {
  const double length = point.norm();
  return {length - radius, direction_or(point, length, Vec3::UnitY())};
}

DistanceSample box_distance(const Vec3& point, const Vec3& half_extents) {
  const Vec3 beyond = point.cwiseAbs() - half_extents;
  const Vec3 side = point.unaryExpr([](double x) { return x < 0.0 ? -1.0 : 1.0; });
  DistanceSample result;
  if (beyond.maxCoeff() > 0.0) {
    const Vec3 outside = beyond.cwiseMax(0.0);
    result.distance = outside.norm();
    result.gradient = outside.cwiseProduct(side) / result.distance;
    return result;
  }
  int axis = 0;
  result.distance = beyond.maxCoeff(&axis);
  result.gradient = side[axis] * Vec3::Unit(axis);
  return result;
}

DistanceSample cylinder_distance(const Vec3& point, double radius, double half_length) {
  const Vec3 across(point.x(), 0.0, point.z());
  const double from_axis = across.norm();
  const Vec3 outward = direction_or(across, from_axis, Vec3::UnitX());
  const Vec3 endward(0.0, point.y() < 0.0 ? -1.0 : 1.0, 0.0);
  const double side = from_axis - radius;
  const double end = std::abs(point.y()) - half_length;
  if (side > 0.0 && end > 0.0) {
    const double distance = std::hypot(side, end);
    return {distance, (side * outward + end * endward) / distance};
  }
  return side > end ? DistanceSample{side, outward} : DistanceSample{end, endward};
}

DistanceSample capsule_distance(const Vec3& point, double radius, double half_length) {
  const double along = std::clamp(point.y(), -half_length, half_length);
  const Vec3 away = point - Vec3(0.0, along, 0.0);
  const double length = away.norm();
  return {length - radius, direction_or(away, length, Vec3::UnitX())};
}

std::shared_ptr<const ExactDistance> primitive_distance(const Shape& shape) {
  PREHEND_ASSERT(shape.kind != ShapeKind::kMesh);
  return std::make_shared<PrimitiveDistance>(shape);
}

std::shared_ptr<const ExactDistance> exact_distance(const Shape& shape) {
  if (shape.kind != ShapeKind::kMesh) return primitive_distance(shape);
  PREHEND_ASSERT(shape.mesh && !shape.mesh->empty());
  return mesh_distance(shape.mesh);
}

}  // namespace prehend::geometry
