// Grasps of an object: searched in a grasp space, brought to touch, judged, and proven by
// simulation.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "prehend/core/object.h"
#include "prehend/core/result.h"
#include "prehend/core/summary.h"
#include "prehend/geometry/prepared_object.h"
#include "prehend/methods/grasp_space/refine.h"
#include "prehend/methods/grasp_space/search.h"
#include "prehend/methods/grasp_space/table.h"
#include "prehend/physics/grasp_proof.h"
#include "prehend/physics/grasp_quality.h"
#include "prehend/physics/physics_in_force.h"

namespace prehend::grasp_space {

struct GraspProblem {
  HandPtr hand;
  ObjectPtr object;
  // Of the same shape; left empty, it is made. What is made of it once is shared by all stages.
  geometry::PreparedObjectPtr prepared;
  std::shared_ptr<const GraspSpace> space;
  std::optional<Region> region;
  // What the object stands on: no hand or forearm is below it. Empty: the object is in the air.
  std::optional<Table> table;
  // Where the user wants the wrist, in the object's frame; searched parameters start from it.
  std::optional<Transform> wrist_object;
};

struct GraspOptions {
  int count = 1;  // grasps that hold, unless the candidates run out first
  SearchOptions search;
  MetricOptions metric;
  RefineOptions refine;
  physics::GraspProofOptions proof;
  bool verify = true;
  // Stances that are tried once each before a search begins at the best of them.
  int stances = 64;
  // Faces that the search looks at; from the first touch on the whole mesh counts.
  int search_faces = 3000;
  // Planned forces use the object's friction divided by this: the rest is kept for what the hand
  // does not foresee.
  double friction_margin = 1.0 / 0.6;
  double pad_force = 2.5;  // N that a pulp should give, as far as the balance allows
  // The squeeze's sum of normal forces over the least that carries the weight any way: forces grow
  // to reach it, up to `most_squeeze` times, and a grasp that stays short is not proposed.
  double least_grip_ratio = 5.0;
  double most_squeeze = 3.0;
  // Heavy things: where that is not enough, forces grow up to this many times, and the sum must be
  // this many times the least. A pulp then gives 12.5 N of the 20 that a fingertip can.
  double heavy_squeeze = 5.0;
  double heavy_grip_ratio = 3.5;
  // A proposal's least quality.
  double least_epsilon = 0.02;
  double most_imbalance = 0.01;  // of the squeeze, over its sum of normal forces
  // Two grasps are different when their wrists are this far apart, or turned.
  double different_shift = 0.02;
  double different_turn = radians(20.0);
  int max_candidates = 2000;  // searches in all
  // Proposals are ordered before the best of them are proven: at least this many, unless they take
  // more searches than that.
  int ranked = 40;
  int ranked_searches = 320;
  int batch = 16;  // candidates that are made side by side; not a matter of threads
  std::uint64_t seed = 1;
};

// What a candidate passes in turn; the first that turns it down ends it.
enum class GraspStage { kTouch, kShape, kForces, kOpening, kReach, kStrength, kProposed };
inline constexpr int kGraspStageCount = 7;
const char* to_string(GraspStage stage);  // what is wrong with a grasp that ends there

struct Grasp {
  physics::GraspPlan plan;
  HandPose pose;                    // root in the object's frame, touching
  double metric = 0.0;              // of the search, eq. 6
  bool at_handle = false;           // the search began at a handle
  double log_likelihood = 0.0;      // of the pose as it touches
  std::vector<TouchPoint> touches;  // inside the region, if there is one
  std::vector<Vec3> forces;         // of the squeeze, on the object, one a touch
  double epsilon = 0.0;
  double naturalness = 0.0;  // 0 to 8: the rules of naturalness.cpp
  double score = 0.0;        // what grasps are ordered by, see grasp.cpp
  double imbalance = 0.0;
  double least_grip_force = 0.0;  // N, that holds the weight whichever way is down
  double penetration = 0.0;       // m, deepest, touching, by the exact distance
  double self_penetration = 0.0;
  physics::GraspProof proof;  // not filled without verification
};

struct GraspReport {
  // All proposed: those that held first, the best of each first. When nothing was proposed, the
  // best attempt.
  std::vector<Grasp> grasps;
  int candidates = 0;  // searches made
  // Of the searches, those that ended at each stage; the last entry counts those that passed all.
  std::array<int, kGraspStageCount> ended = {};
  int different = 0;  // of those that passed, and are not the same as an earlier one
  int proposed = 0;   // of these, proven: the best first
  int held = 0;
  double mean_penetration = 0.0;  // m, of the deepest overlap of each proposed grasp
  double load_seconds = 0.0;      // preparing the object
  double seconds = 0.0;           // searching, touching, judging, proving
  // What the grasps were proven with, and the hand: without its joints of small range, which the
  // proof holds still.
  physics::PhysicsInForce physics;
  HandPtr proven_hand;
  Summary summary;
};

// Fails in one line on a region that misses the object, or an object too large or too small for the
// hand. Same answer for any number of threads.
Result<GraspReport> find_grasps(const GraspProblem& problem, const GraspOptions& options = {},
                                const Monitor& monitor = {});

// A place of the surface, with the part of the object that it belongs to.
struct PartPoint {
  Vec3 point = Vec3::Zero();
  Vec3 normal = Vec3::UnitY();
  Vec3 axis = Vec3::UnitX();  // of the bar that it is a part of, if it is one
  double handle = 0.0;        // 0 no bar; 1 the longest bar that a hand closes around
};

// What the stages share, prepared once for an object. Fine to use from many threads.
struct GraspTarget {
  ObjectPtr object;
  MetricTarget metric;                              // for the search: reduced
  std::shared_ptr<const TriangleMesh> search_mesh;  // reduced; inside the region, if any
  geometry::PreparedObjectPtr prepared;             // for touching, simulation and judging
  std::vector<PartPoint> parts;                     // of the surface; empty where a region is given
};
Result<GraspTarget> prepare_target(const GraspProblem& problem, int search_faces,
                                   const Monitor& monitor = {});

}  // namespace prehend::grasp_space
