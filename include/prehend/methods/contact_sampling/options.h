// What a person may ask of the search. Section numbers are those of Ye and Liu 2012.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "prehend/core/math.h"

namespace prehend::contact_sampling {

// What a digit does with its contact (section 4.2). Rolling is a static guiding point whose place
// on the skin moves, as the kinematic test leaves it.
enum class Strategy { kFree, kStatic, kSliding, kRolling, kRelocating };
inline constexpr int kStrategyCount = 5;
const char* to_string(Strategy strategy);  // "free", "static", "slide", "roll", "relocate"

// Section 5, "Manipulation strategy preference": which strategy a digit takes when it may choose.
struct StrategyPreference {
  Strategy strategy = Strategy::kStatic;
  // Seconds of the clip in which it holds.
  double from = 0.0;
  double until = 1e9;
  // How often the preferred strategy is taken where it is allowed; else one of the others.
  double strength = 0.9;
};

// A soft term that draws poses to those of people: cost (q - mean)' precision (q - mean) / 2 over
// the hand's joint coordinates. Made by a caller from a grasp space, say. What contacts leave open
// goes to it little by little, and ways to take an object that are like it come first.
struct PosePrior {
  Eigen::VectorXd mean;
  Eigen::MatrixXd precision;  // 1 / rad^2
  double weight = 1.0;        // 0: off
};

enum class SearchKind {
  kImproved,  // section 5
  kPlain,     // section 4: every frame a node, chosen at random, depth first
  kNearest,   // no search: digits close on what is nearest, as tools of the trade do
};

// How far the captured wrist may be off, smooth in time.
struct WristGive {
  double shift = 0.015;        // m
  double turn = radians(8.0);  // rad
  double fade_seconds = 0.25;  // over which the wrist comes to its place before a grasp, and back
};

struct SamplingOptions {
  int count = 10;  // solutions wanted
  std::uint64_t seed = 1;
  int threads = 0;  // 0: all
  SearchKind search = SearchKind::kImproved;

  // Mean number of frames for which digits keep their strategies (section 5, epsilon).
  double window = 20.0;
  // Siblings that a search for a first feasible path looks at, on average (section 5).
  double branching = 2.0;
  // Feasible paths per initial sample, on average (section 5).
  double paths_per_start = 2.5;
  // Frames tested in all before the search gives up. Table 1's hardest scene took 26,588.
  int frame_budget = 60000;
  // Wall-clock limit of the search, s; 0: none. A search that it stops may differ from run to run.
  double time_budget = 0.0;

  std::vector<StrategyPreference> preferences;  // the last that holds at a time wins
  // Section 5, "Contact force preference": weight of the normal forces of digits that gave none in
  // the frame before (eq. 4's w_i); above 1 free digits stay free.
  double idle_weight = 1.0;
  // Points around an edge that stand for the area of a contact (section 7).
  bool proxy_points = true;
  // Forces stay within what joints' muscles can give (Joint::max_torque), where that is known.
  bool finger_strength = true;
  // No contact pushes more than this, N. A strong fingertip gives 30 to 50 N.
  double max_normal = 40.0;

  // Digits' sides, proximal segments and the palm take part where they touch; false: pads alone.
  bool whole_hand = true;
  std::optional<WristGive> give = WristGive{};  // nothing: rigid wrists
  // Bounds that are tried where nothing holds an object within `give`; the report's notes say so.
  // Nothing: `give` is kept.
  std::optional<WristGive> wider_give = WristGive{.shift = 0.03, .turn = radians(16.0)};
  std::vector<PosePrior> priors;  // one a hand, or none

  // Captured poses are smoothed over this many seconds to either side; 0: not at all.
  double smoothing = 0.05;
  // Captured wrists may move against an object that is held. Where neither rolling nor relocating
  // digits follow, their places creep over the object at up to this speed, m/s, though their forces
  // are inside the cones: an error of capture that Solution::creep_m owns up to. 0: never.
  double max_creep = 0.3;
  // Fastest that a joint turns, rad/s (eq. 3).
  double max_joint_speed = 12.0;
};

}  // namespace prehend::contact_sampling
