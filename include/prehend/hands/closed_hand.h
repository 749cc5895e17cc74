// Hands closed on things: one kind of Schlesinger's taxonomy each, of a given size.
#pragma once

#include <array>
#include <vector>

#include "prehend/core/random.h"
#include "prehend/hands/performer.h"

namespace prehend::hands {

// Schlesinger's kinds.
enum class GraspKind { kCylindrical, kSpherical, kPalmar, kLateral, kTip, kHook };
inline constexpr std::array<GraspKind, 6> kGraspKinds = {
    GraspKind::kCylindrical, GraspKind::kSpherical, GraspKind::kPalmar,
    GraspKind::kLateral,     GraspKind::kTip,       GraspKind::kHook};
const char* to_string(GraspKind kind);  // "cylindrical", "spherical", ...

struct ClosedHand {
  Thing thing;
  Eigen::VectorXd closed;  // joint coordinates
  // Coordinates of the widest opening on the way: wider than the thing.
  Eigen::VectorXd wide;
  Vec3 approach_wrist = Vec3::UnitY();       // direction from the thing in which the hand comes
  Quat world_from_wrist = Quat::Identity();  // as people hold such things
};

// Sizes of the things of a kind in meters, small to large: radius, diameter or thickness.
std::vector<double> thing_sizes(GraspKind kind);

// How the performer of this kind closes on a thing of this size, with a person's variation.
ClosedHand close_hand(const Performer& performer, GraspKind kind, double size, Random& random);

// The hand at rest, half open, with a person's variation.
Eigen::VectorXd relaxed_hand(const Performer& performer, Random& random);

}  // namespace prehend::hands
