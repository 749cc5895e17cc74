// How much a grasp could lose before it drops: each condition is made worse by itself, in
// simulations of the whole grasp, until it does. Whoever simulates gives the simulation as a
// function.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "prehend/core/hand.h"
#include "prehend/core/summary.h"
#include "prehend/io/value.h"

namespace prehend::jobs {

// Where along one quantity a grasp stops holding.
struct Margin {
  std::optional<double> holds;  // the worst value that was seen to hold; empty: none did
  std::optional<double> drops;  // the best value that was seen to drop; empty: none did
};

// A quantity of which one side is good and the other bad.
struct MarginAxis {
  double start = 0.0;  // the grasp as it is
  double good = 0.0;   // the end that is looked at when the grasp drops as it is
  double bad = 0.0;    // the end that is looked at when it holds
  // The first step away from the start: a factor above 1 of quantities that count by ratio (mass,
  // friction), else a difference. Each further step is twice as long.
  double step = 2.0;
  // The search ends when the two sides are this near: a factor above 1, or a difference.
  double precision = 1.05;
  bool by_ratio = true;
};

// Goes from the start in growing steps until the outcome changes, then halves. A stop gives what
// was seen until then.
Result<Margin> find_margin(const MarginAxis& axis, const std::function<Result<bool>(double)>& holds,
                           const Monitor& monitor = {});

// What a grasp is tried under.
struct GraspConditions {
  double friction = 0.6;                       // of the object
  double mass = 0.1;                           // kg
  Vec3 wrist_offset = Vec3::Zero();            // m, in the wrist's own frame
  double delay = 0.0;                          // s by which the digits close late
  std::array<bool, kDigitCount> without = {};  // digits that touch nothing, by Digit
};

struct Margins {
  bool held = false;  // under the conditions that the grasp was made for
  GraspConditions made_for;
  Margin friction, mass, delay;
  // The distance at which it holds in each of six directions (along the wrist's axes, to either
  // side), and the direction in which it drops first.
  Margin offset;
  Vec3 offset_direction = Vec3::Zero();
  // Digits that the object is held without, each by itself; and as many of them together as still
  // hold it, left out one after the other from the little finger on.
  std::vector<Digit> spare, spare_together;
  std::vector<Digit> needed;
  int simulations = 0;
  bool interrupted = false;
};

// `holds` must give the same answer to the same conditions. `digits`: those that take part; others
// are neither spare nor needed. Directions and digits are tried only of a grasp that holds.
using HoldsUnder = std::function<Result<bool>(const GraspConditions&)>;
Result<Margins> find_margins(const GraspConditions& made_for, const std::vector<Digit>& digits,
                             const HoldsUnder& holds, const Monitor& monitor = {});

// The ranges and precisions that find_margins uses, and so does whoever looks for one alone.
MarginAxis friction_axis(double friction);
MarginAxis mass_axis(double mass);

io::Value margins_value(const Margins& margins);
// One sentence: "drops below friction 0.41 or above 0.9 kg; the ring finger is not needed".
std::string margins_text(const Margins& margins);

}  // namespace prehend::jobs
