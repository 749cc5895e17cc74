// Beyond the paper: a hand that comes to an object from one direction and closes on it. Where it
// ends up, and what that is worth.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "methods/example_control/placing/approach_direction.h"
#include "methods/example_control/placing/closing_poses.h"
#include "prehend/methods/example_control/placements.h"

namespace prehend::example_control {

// What the approaches from all directions share.
struct SharedTarget {
  SharedTarget(const geometry::PreparedObject& prepared, const Controller& controller);

  const Object& object;
  std::shared_ptr<const geometry::SignedDistance> field;
  std::vector<Vec3> points_object;  // of the surface, to see where its slices lie
  physics::GraspQualityOptions quality;
  double palm_distance;  // where the example's palm gripped
};

// Keeps references to what it is given.
class PalmApproach {
 public:
  PalmApproach(const SharedTarget& target, const Hand& hand, const Controller& controller,
               ApproachDirection direction, const PlacementOptions& options);

  const ApproachDirection& direction() const { return direction_; }

  // Of the wrist: above the lowest it can be, beside the example's place, and back from where the
  // palm would touch, m.
  struct Offset {
    double across = 0.0, along = 0.0, back = 0.0;
  };
  // The wrist where the palm grips or a digit would touch.
  std::optional<Vec3> slide(const Transform& object_world, const Offset& offset) const;
  // The object is not in its way.
  bool comes_freely(const Transform& object_world, const Vec3& wrist) const;
  // Less is better; infinite beyond the bound, or where nothing is gripped.
  double cost(const Transform& object_world, const Vec3& wrist, double bound,
              GraspPlacement* placement = nullptr);
  // The mean with hands that miss by some millimeters or degrees, of which the straight one costs
  // `straight`.
  double cost_missing(const Transform& object_world, const Vec3& wrist, double straight);

 private:
  double squeeze(const std::vector<physics::GraspContact>& contacts, const Vec3& load_object) const;
  double worst_squeeze(const std::vector<physics::GraspContact>& contacts, const Quat& to_object,
                       double bound) const;

  const SharedTarget& target_;
  const Hand& hand_;
  const PlacementOptions& options_;
  const ApproachDirection direction_;
  hands::ClosingHand closing_;
  double palm_reach_;    // of its skin before the wrist
  double lowest_wrist_;  // height
};

}  // namespace prehend::example_control
