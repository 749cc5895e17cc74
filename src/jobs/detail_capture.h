// What was captured, from clips or from a scene, as the method takes it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jobs/scene_motion.h"
#include "prehend/jobs/detail.h"

namespace prehend::jobs {

struct Capture {
  std::string title;
  Clip clip;                      // hands, and the objects that move
  std::vector<FixedThing> fixed;  // what stands still for good
  std::optional<double> floor_height;
  // Fingers came with it: what solutions are compared with. The clip's own hands, in their own
  // joints.
  std::optional<Clip> recorded;
  bool recording = false;  // of a person, not keyframes
  int first_frame = 0;     // of the files that were read, where the clip begins
  std::vector<std::string> notes;
};

// Of the job's files or of its scene, edited: shapes, mass, friction, distance to the palm.
Result<Capture> detail_capture(const DetailJob& job, const std::optional<io::Scene>& scene);

// The hand with an anatomical hand's joints where it has ball joints, so that fingers bend as
// fingers do. Segments, names and sizes stay.
HandPtr with_finger_joints(const HandPtr& hand);

Result<contact_sampling::SamplingProblem> sampling_problem(const Capture& capture);

// The keys of [options.detail], and the method's options as job and scene say.
const std::vector<io::SchemaKey>& detail_keys();
Result<contact_sampling::SamplingOptions> sampling_options(const DetailJob& job,
                                                           const std::optional<io::Scene>& scene,
                                                           const Capture& capture);

}  // namespace prehend::jobs
