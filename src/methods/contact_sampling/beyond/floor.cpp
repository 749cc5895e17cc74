// Beyond the paper: see floor.h.
#include "methods/contact_sampling/beyond/floor.h"

#include "prehend/geometry/signed_distance.h"

namespace prehend::contact_sampling {
namespace {

class BelowIsFloor final : public geometry::SignedDistance {
 public:
  geometry::DistanceSample sample(const Vec3& point_object) const override {
    return {point_object.y(), Vec3::UnitY()};
  }
};

}  // namespace

hands::Obstacle floor_at(double height) {
  static const BelowIsFloor kFloor;
  return {&kFloor, Transform::from_position(Vec3(0.0, height, 0.0))};
}

}  // namespace prehend::contact_sampling
