// Postures by name: what a hand can do, made by solving for them on any hand.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "prehend/core/hand_pose.h"
#include "prehend/core/result.h"

namespace prehend::hands {

// "rest", "flat", "fist", "spread", "point", "pinch", "wrap", "kapandji-1" to "kapandji-10".
const std::vector<std::string>& posture_names();

struct Posture {
  HandPose pose;
  // What the posture is about: the 50 mm cylinder of "wrap" (a very long capsule), in the world
  // frame.
  std::optional<Capsule> held;
  // "flat": the table's plane; its normal is the palm's side pointing up at the hand.
  std::optional<Vec3> plane_point;
  std::optional<Vec3> plane_normal;
  // "kapandji-*" and "pinch": how far apart the surfaces ended that should meet (or keep 5 mm),
  // meters.
  double gap_error = 0.0;
};

// The root stands at the world's origin.
Result<Posture> make_posture(const Hand& hand, const std::string& name);

// Kapandji's opposition score: the last of the ten stations, in order, that the thumb's tip reaches
// within `tolerance` with nothing overlapping by more than it.
int kapandji_score(const Hand& hand, double tolerance = 0.002);

// Sets the angles of a segment by meaning, whatever joints it has: flexion towards the palm,
// deviation towards the thumb's side (for the thumb: abduction away from the palm). Angles the
// segment cannot make are dropped.
void set_angles(const Hand& hand, int segment, double flexion, double deviation,
                Eigen::VectorXd& q);

}  // namespace prehend::hands
