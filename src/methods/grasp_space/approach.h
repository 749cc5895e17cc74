// The way by which the open hand comes to a grasp.
#pragma once

#include <optional>

#include "prehend/geometry/signed_distance.h"
#include "prehend/physics/grasp_proof.h"

namespace prehend::grasp_space {

// A level floor, in the object's frame.
struct FloorObject {
  Vec3 up = Vec3::UnitY();
  double height = 0.0;  // along `up`
};

struct Approach {
  Vec3 retreat_object = Vec3::UnitY();  // unit: the hand comes from there
  Eigen::VectorXd open;                 // coordinates of the hand as it comes
  double clearance = 0.0;               // m, least on the way
};

// Whether the hand, and the forearm behind it, are above the floor in the grasp and before it.
bool clears_floor(const Hand& hand, const physics::GraspPlan& plan, const FloorObject& floor);

// Of many straight ways, with the hand opened from the pre-grasp towards `open` more or less, one
// that keeps clear of the object and the floor; nothing if none does.
std::optional<Approach> find_approach(const Hand& hand, const geometry::SignedDistance& distance,
                                      const physics::GraspPlan& plan, const Eigen::VectorXd& open,
                                      double reach, const std::optional<FloorObject>& floor);

}  // namespace prehend::grasp_space
