// What `prehend grasp` is asked to do, from the command line and from a scene.
#pragma once

#include <climits>
#include <limits>
#include <string>
#include <vector>

#include "prehend/cli/verb.h"
#include "prehend/methods/grasp_space/grasp.h"

namespace prehend::cli {

struct GraspArguments {
  static constexpr int kNotGiven = INT_MIN;

  std::vector<std::string> inputs;
  int count = kNotGiven, evaluations = kNotGiven, search_faces = kNotGiven, candidates = kNotGiven;
  std::string model, optimizer, search, wrist, region, units;
  bool no_verify = false;
  bool full_proof = false;
  std::string hand, side;
  double hand_length = 0.0, hand_breadth = 0.0;
  double mass = std::numeric_limits<double>::quiet_NaN();
  double friction = std::numeric_limits<double>::quiet_NaN();

  void declare(OptionSet& options);
};

struct GraspJob {
  grasp_space::GraspProblem problem;
  grasp_space::GraspOptions options;
  Transform object_world;          // as the scene has it
  std::vector<std::string> notes;  // what was mended or assumed
};

// What the command line does not say, a scene's [options.grasp] does.
Result<GraspJob> grasp_job(GraspArguments arguments, std::uint64_t seed);

}  // namespace prehend::cli
