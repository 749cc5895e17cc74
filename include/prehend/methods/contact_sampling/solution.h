// What a search found.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "prehend/core/clip.h"
#include "prehend/core/summary.h"
#include "prehend/methods/contact_sampling/options.h"

namespace prehend::contact_sampling {

// A contact of a hand with an object: the paper's p.h, p.o and f.
struct HandContact {
  int hand = -1;
  int segment = -1;
  Digit digit = Digit::kNone;          // kNone: the palm
  int object = -1;                     // of SamplingProblem::objects
  Vec3 point_segment = Vec3::Zero();   // p.h
  Vec3 point_object = Vec3::Zero();    // p.o
  Vec3 normal_object = Vec3::UnitY();  // unit, out of the object
  Vec3 force_world = Vec3::Zero();     // on the object
  double torque_normal = 0.0;          // as in core's Contact
  double gap = 0.0;                    // m
};

// Strategies of a hand's five digits in a frame.
using DigitStrategies = std::array<Strategy, kDigitCount>;

// Frames [first, last], both included.
struct FrameRange {
  int first = 0;
  int last = -1;
  int size() const { return last - first + 1; }
};

struct Solution {
  // Hands, objects (those of the problem in order, then its surroundings, then slabs where supports
  // had to be assumed), contacts with forces, those of supports too. Objects move as smoothed; see
  // SamplingReport::smoothing_moved_m.
  Clip clip;
  std::vector<std::vector<HandContact>> contacts;        // by frame
  std::vector<std::vector<DigitStrategies>> strategies;  // by hand, by frame
  std::string strategy;  // for a person: "thumb+index+middle, index slides 0.4-0.7 s"
  int cluster = 0;       // solutions of one cluster use the same strategies
  // By how much friction could be less, as a part of it, with every frame still explained.
  double min_margin = 0.0;
  double wrist_shift_m = 0.0;  // farthest from the captured wrist
  double wrist_turn_rad = 0.0;
  double creep_m = 0.0;     // farthest that a digit's place crept (SamplingOptions::max_creep)
  double entered_m = 0.0;   // deepest that a hand enters an object or the surroundings
  double max_grip_N = 0.0;  // greatest sum of the hands' normal forces
  std::vector<int> first_contact;  // by hand: first frame with a force; -1: never
  std::vector<int> last_contact;   // by hand
  double solved_fraction = 0.0;    // of the frames in which an object needs a hand
};

enum class DeadEnd { kReach, kCollision, kForce };
inline constexpr int kDeadEndCount = 3;
const char* to_string(DeadEnd cause);  // "reach", "collision", "force"

// A node of the search tree: frames [first, last] in which the digits kept their strategies.
struct TreeNode {
  int parent = -1;  // in SamplingReport::tree; -1: begins at the first frame
  FrameRange frames;
  bool dead = false;
  DeadEnd cause = DeadEnd::kReach;  // of a dead one
  bool on_solution = false;
};

// Where a joint of the index finger was at every frame that the search tested (figure 11), in the
// wrist's frame.
struct ExploredPoint {
  int frame = 0;
  Vec3 point_wrist = Vec3::Zero();
  int node = -1;
};

// Frames of an object that no forces of hands in reach explain, and why.
struct Unsolved {
  int object = 0;
  FrameRange frames;
  std::string cause;  // one line
};

struct StrategyCluster {
  std::string strategy;
  std::vector<int> solutions;
};

struct SamplingReport {
  std::vector<Solution> solutions;  // whole ones
  // The farthest that the search came if there is no whole one: its clip shows what was solved.
  std::optional<Solution> partial;
  std::vector<StrategyCluster> clusters;

  // Frames in which the support alone does not explain an object's motion, by object.
  std::vector<std::vector<bool>> needs_hand;
  double solved_fraction = 0.0;  // of these, by the best solution or by `partial`
  FrameRange longest_solved;     // the longest stretch without an unsolved frame
  std::vector<Unsolved> unsolved;

  // Table 1.
  std::array<int, kDeadEndCount> dead_ends = {};
  std::array<std::vector<int>, kDeadEndCount> dead_ends_by_frame;
  int total_frames = 0;    // tested
  int success_frames = 0;  // distinct ones on solutions
  double success_ratio = 0.0;
  double solution_ratio = 0.0;  // solutions over solutions and dead ends
  double kinematic_ms = 0.0;    // mean of a test
  double dynamic_ms = 0.0;
  double seconds = 0.0;

  std::vector<TreeNode> tree;
  std::vector<ExploredPoint> explored;
  double spread_m = 0.0;  // figure 11: see index_spread

  double smoothing_moved_m = 0.0;  // farthest that smoothing moved an object
  std::vector<std::string> notes;  // what was assumed, and what would help
  Summary summary;
};

// Root mean square over frames of the points' distance from the mean of their frame.
double index_spread(const std::vector<ExploredPoint>& explored);

}  // namespace prehend::contact_sampling
