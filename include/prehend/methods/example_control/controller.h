// A hand's controller made from one captured grasp: what `fit` finds and `simulate` runs.
//
// Joint angles are the axis-angle components of the joints of a "ball" hand, segment by segment, as
// coordinates() of core/hand_pose.h orders them: three a joint.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "prehend/core/hand_pose.h"
#include "prehend/core/object.h"
#include "prehend/core/result.h"

namespace prehend::example_control {

// The states of figure 3, in the order in which a grasp passes through them.
enum class Phase {
  kNeutral,
  kOpening,
  kClosing,
  kGripping,
  kReleasing,
  kOpeningAgain,
  kRelaxing,
  kNeutralAgain,
};
inline constexpr int kPhaseCount = 8;
// "neutral", "opening-1", "closing", "gripping", "releasing", "opening-2", "relaxing", "neutral-2".
const char* to_string(Phase phase);

// The six of figure 3, in the order in which a grasp passes through them.
enum class Setpoint { kNeutral, kOpen, kGrip, kRelease, kOpenAgain, kNeutralAgain };
inline constexpr int kSetpointCount = 6;
constexpr int index_of(Setpoint setpoint) { return static_cast<int>(setpoint); }
using Blend = Eigen::Matrix<double, kSetpointCount, 1>;
// A setpoint a row, a degree of freedom a column.
using Setpoints = Eigen::Matrix<double, kSetpointCount, Eigen::Dynamic>;

// Table 1. The same for every joint, since the inertia multiplies them.
struct Gains {
  double stiffness = 200.0;         // k_S, 1/s^2
  double damping = 50.0;            // k_D, 1/s
  double limit_stiffness = 5000.0;  // k_JL, 1/s^2
};

// Table 1: where the blends begin and end; D0 is zero.
struct Distances {
  double near = 0.05;  // D1, m: from here on the hand closes
  double far = 0.3;    // D2, m: from here on it opens
};

// Where the wrist and what it reaches for (an object, or the other's wrist) were in the example.
struct ExamplePath {
  double frame_rate = 60.0;
  std::vector<Transform> wrist_world;
  std::vector<Transform> target_world;
  Vec3 target_center = Vec3::Zero();  // of mass, in the target's frame: what the hand closes around
  std::vector<double> distances;  // what the palm had still to go, m: for motion without the target
  int grip_frame = 0;             // first of the gripping state
  // The target's first motion by the hand, which is settled then; left empty: the grip's frame.
  std::optional<int> carry_frame;
  int release_frame = 0;  // first after it
  // The wrist in the target's frame while it grips; left empty: as in the carry frame. A fit brings
  // what touches in the recording to touch on the hand that it is for.
  std::optional<Transform> grip_wrist_target;

  Vec3 target_center_world(int frame) const { return target_world[frame] * target_center; }
  int carried() const { return carry_frame.value_or(grip_frame); }
  Transform wrist_target() const {
    return grip_wrist_target.value_or(target_world[carried()].inverse() * wrist_world[carried()]);
  }
};

struct Controller {
  std::string name;
  Side side = Side::kRight;
  double hand_length = 0.0;         // of the hand that it was fitted on, m
  std::vector<std::string> joints;  // segments, three degrees of freedom each
  Gains gains;
  Distances distances;
  Eigen::VectorXd neutral;       // mean of the library
  Eigen::VectorXd lower, upper;  // its extremes
  Setpoints positions;           // P_S, rad
  Setpoints velocities;          // P_D, rad/s
  // Distance of the palm from the target while the example grips, m: distances that states and
  // blends read are what the palm still has to go, so that D0 = 0 is the grip whatever its kind.
  double grip_distance = 0.0;
  // The release of the example: seconds after the grip began.
  double grip_seconds = 0.0;
  ExamplePath path;
  // What brings the contacts of the recorded grip about on this hand: rad of each degree of freedom
  // that are added to the grip while the hand holds something. Left empty: nothing.
  Eigen::VectorXd touching;
  // Beyond the grip the hand closes along this: rad of each degree of freedom for an alpha of one.
  // Left empty: from the open pose to the grip's, as eq. 15-16 have it.
  Eigen::VectorXd closing;
  HandPtr hand;      // that it was fitted on; may be empty: a parametric one of `hand_length`
  ObjectPtr object;  // that the example grasps; may be empty

  // Where a setpoint alone would bring the hand: passive and active springs are equally stiff and
  // meet half way, or a little beyond a limit.
  Eigen::VectorXd rest_pose(Setpoint setpoint) const;
  // The grip's, with what is added to it on an object.
  Eigen::VectorXd touching_pose() const;
};

// Sizes that agree, finite numbers, D1 < D2, gains above zero, lower <= upper.
Status validate(const Controller& controller);
// Whether the hand has these joints, as balls, and is of this side; its size does not matter.
Status fits_hand(const Controller& controller, const Hand& hand);
// Explicit integration of passive and active springs together is stable when
// dt^2 (2 k_S + k_JL) + 2 dt (2 k_D) < 4.
Status stable_at(const Gains& gains, double timestep);

// With limits no wider than the hand's own: a library of another rig may show more.
Controller within_range(Controller controller, const Hand& hand);
// Opens by this part more than the example did, before the grip and after the release: people too
// open as far as what they reach for is wide.
Controller opened_wider(Controller controller, double part);
// The same controller for the other hand.
Controller mirrored(const Controller& controller);

}  // namespace prehend::example_control
