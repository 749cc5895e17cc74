// Fingers for motion that was captured without them: wrists and objects in, many different ways in
// which hands could have moved the objects out, each audited and put back into the user's own file.
#pragma once

#include <optional>

#include "prehend/audit/audit.h"
#include "prehend/jobs/job.h"
#include "prehend/jobs/load.h"
#include "prehend/jobs/picture_request.h"
#include "prehend/methods/contact_sampling/sample.h"

namespace prehend::jobs {

// What is left empty is the scene's [options.detail], or the method's default.
struct DetailJob {
  std::vector<std::string> inputs;  // clips that belong together, or one scene (.toml)
  // load.objects of a scene are "NAME=OBJECT": another shape in the place of the scene's.
  LoadOptions load;
  std::string cut;  // "FROM:TO" as convert has it
  std::optional<int> count;
  bool strip_fingers = false;  // take away the fingers that the input has
  std::optional<contact_sampling::SearchKind> search;
  bool rigid_wrist = false;
  // m and degrees that the wrist may give; nothing: the method's, and wider where that is too
  // little.
  std::optional<double> wrist_give, wrist_turn;
  std::optional<double> mass, friction;  // of every object that moves
  std::optional<double> toward_palm;     // m that objects are moved toward the palm after capture
  std::optional<double> floor_height;    // m
  // s by which objects are seen too early; nothing: found, by how calm they are in the hand.
  std::optional<double> time_offset;
  std::vector<std::string> strategies;  // "static", or "slide@1.2:3" from 1.2 s to 3 s
  std::string prior;                    // a grasp space: a file or a built-in model's name
  bool no_prior = false;
  std::optional<double> window, smoothing;
  std::optional<double> seconds;  // of search at most
  bool as_clip = false;           // .bvh and .glb hold hands and objects, not the file that came in
  PictureRequest picture;
  // Clips, .json, .png (a sheet of the solutions), .tree.png and .spread.png. "{}" in a clip's name
  // stands for the solution's number: a file each.
  Settings settings;
};

// A solution and how it was judged.
struct JudgedSolution {
  contact_sampling::Solution solution;
  audit::AuditReport audit;
  // Farthest that a contact that pushes is from the object's surface or from the hand's skin, m, by
  // the exact distance on the clip.
  double contact_off_m = 0.0;
  bool passed = false;
  std::string why_not;  // of one that did not
};

struct DetailReport : JobReport {
  std::vector<JudgedSolution> solutions;   // those that passed come first
  contact_sampling::SamplingReport found;  // without its solutions' clips
};
Result<DetailReport> run(const DetailJob& job, const Monitor& monitor = {});

}  // namespace prehend::jobs
