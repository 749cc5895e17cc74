// Beyond the paper: one hand as something that the other must not enter.
#pragma once

#include <memory>
#include <vector>

#include "prehend/geometry/signed_distance.h"
#include "prehend/hands/hand_gaps.h"

namespace prehend::contact_sampling {

// The union of a hand's capsules where they stand in the world, a little thinner: flesh gives.
class HandSurface : public geometry::SignedDistance {
 public:
  HandSurface() = default;
  explicit HandSurface(const hands::HandGaps& placed) { set(placed); }
  void set(const hands::HandGaps& placed);

  // Farther than a few centimeters away it is the distance to a ball around the hand, which is
  // less.
  geometry::DistanceSample sample(const Vec3& point_world) const override;

 private:
  std::vector<Capsule> capsules_;
  Vec3 middle_ = Vec3::Zero();
  double radius_ = 0.0;
};

// By frame of a clip; null: no hand stands there that must be heeded.
using HandSurfaces = std::vector<std::shared_ptr<const HandSurface>>;

}  // namespace prehend::contact_sampling
