// The way by which the open hand comes to a grasp.
#pragma once

#include <optional>

#include "prehend/geometry/signed_distance.h"
#include "prehend/methods/grasp_space/table.h"
#include "prehend/physics/grasp_proof.h"

namespace prehend::grasp_space {

struct Approach {
  Vec3 retreat_object = Vec3::UnitY();  // unit: the hand comes from there
  Eigen::VectorXd open;                 // coordinates of the hand as it comes
  double clearance = 0.0;               // m, least on the way
};

// Whether the hand, and the forearm behind it, are above the table in the grasp and before it.
bool clears_table(const Hand& hand, const physics::GraspPlan& plan, const Table& table);

// Of many straight ways, with the hand opened from the pre-grasp towards `open` more or less, one
// that keeps clear of the object and the table; nothing if none does.
std::optional<Approach> find_approach(const Hand& hand, const geometry::SignedDistance& distance,
                                      const physics::GraspPlan& plan, const Eigen::VectorXd& open,
                                      double reach, const std::optional<Table>& table);

}  // namespace prehend::grasp_space
