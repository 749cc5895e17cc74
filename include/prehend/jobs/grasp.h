// Natural grasps of an object, each proven to hold by simulation.
#pragma once

#include <optional>

#include "prehend/jobs/job.h"
#include "prehend/jobs/margins.h"
#include "prehend/jobs/picture_request.h"
#include "prehend/methods/grasp_space/grasp.h"

namespace prehend::jobs {

// Where the wrist should be, in the object's frame; without a rotation the hand reaches for the
// object's middle with its back up.
struct WristGoal {
  Vec3 position = Vec3::Zero();
  std::optional<Quat> rotation;
};
// From x, y, z or x, y, z and a unit quaternion, w first.
Result<WristGoal> wrist_goal(const std::vector<double>& numbers);
// From x, y, z and a radius.
Result<grasp_space::Region> region_of(const std::vector<double>& numbers);

// What besides the hand's shape is searched for.
struct SearchedPlacement {
  bool rotation = false, position = false, distance = false;
};
Result<SearchedPlacement> searched_placement(const std::vector<std::string>& words);

// Which constants a grasp is judged and proven with.
enum class GraspProtocol {
  kFingertip,  // the object's own torsional friction: a fingertip's, unless a scene says otherwise
  kBenchmark,  // the public benchmark's torsional friction, 0.02 m: to compare with its figures
};
std::optional<GraspProtocol> grasp_protocol(const std::string& name);  // "fingertip", "benchmark"

// Which axis of the object's file points up.
enum class UpAxis { kY, kZ };
std::optional<UpAxis> up_axis(const std::string& name);  // "y", "z"

// What is left empty is the scene's, or the default of GraspOptions.
struct GraspJob {
  std::string object;  // a built-in's name, a mesh file, or a scene (.toml)
  std::string units;   // of a mesh file; empty: meters
  std::optional<double> mass, friction;
  // Where no mass is given: what the thing usually weighs, not the protocol's 0.1 kg.
  bool usual_mass = false;
  // The object stands on a table with this axis up, tipped over to the nearest side on which it
  // stands; empty: the axis with which it stands best as it is.
  std::optional<UpAxis> up;
  bool in_air = false;  // no table: hands may come from below
  std::optional<GraspProtocol> protocol;
  std::optional<int> count;  // grasps that hold
  std::string model;         // a built-in model's name or a file
  bool verify = true;        // prove each by simulation
  bool full_proof = false;   // every push lasts its two seconds
  bool referee = false;      // prove again what held: engine's solver, half the step, whole pushes
  bool margins = false;      // find where each that held drops: friction, mass, wrist, digits
  std::optional<optimize::BlackBoxMethod> optimizer;
  std::optional<int> evaluations;   // of the metric, a search
  std::optional<int> candidates;    // searches at most
  std::optional<int> search_faces;  // faces of the mesh that the search looks at
  std::optional<SearchedPlacement> search;
  std::optional<WristGoal> wrist;
  std::optional<grasp_space::Region> region;
  std::string hand;  // a file (.xml .glb); empty: one is built
  std::optional<double> hand_length, hand_breadth;
  std::optional<Side> side;
  PictureRequest picture;
  // Clips, .png and .json. "{}" in a clip's name stands for the grasp's number: one clip a grasp.
  Settings settings;
};

struct GraspReport : JobReport {
  grasp_space::GraspProblem problem;
  grasp_space::GraspReport found;
  // Of the grasps that held, in their order; empty where they were not asked for.
  std::vector<physics::GraspProof> refereed;
  std::vector<Margins> margins;
};
Result<GraspReport> run(const GraspJob& job, const Monitor& monitor = {});

}  // namespace prehend::jobs
