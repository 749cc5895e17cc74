// prehend fit: from a recorded grasp to a controller that grasps.
#include "prehend/jobs/fit.h"
#include "cli/load_arguments.h"
#include "cli/picture_arguments.h"
#include "cli/verbs.h"

namespace prehend::cli {
namespace {

struct Arguments {
  jobs::FitJob job;
  PictureArguments picture;
};

void declare(Arguments& a, OptionSet& options) {
  options.inputs("CLIP", &a.job.inputs, 0, 64,
                 "Recordings (.bvh .glb .csv) of a hand and an object, or of two hands");
  options.list("--library", &a.job.library, "CLIP",
               "More motion of that hand, for its neutral pose and its limits. May be repeated");
  options.text("--track", &a.job.track, "NAME", "The hand, by name or number [the first]");
  options.text("--other", &a.job.other, "NAME",
               "What it grasps: an object or a hand, by name [the first object, or the other hand, "
               "and then both are fitted]");
  options.integer("--grasp", &a.job.grasp, "N",
                  "Which of the grasps in it, from 0 [the best: --list]");
  options.flag("--list", &a.job.list,
               "Only say which grasps there are, and which are fit to learn from");
  options.number("--start", &a.job.start, "S", "Where the example begins [0]");
  options.number("--end", &a.job.end, "S", "Where it ends [with the recording]");
  options.number("--d1", &a.job.d1, "M",
                 "From here on the hand closes [searched for the best fit]");
  options.number("--d2", &a.job.d2, "M", "From here on it opens [searched for the best fit]");
  options.number("--stiffness", &a.job.stiffness, "K", "k_S, 1/s^2 [200; two hands 300]");
  options.number("--damping", &a.job.damping, "K", "k_D, 1/s [50; two hands 60]");
  options.number("--limit-stiffness", &a.job.limit_stiffness, "K", "k_JL, 1/s^2 [5000]");
  options.text("--name", &a.job.name, "NAME",
               "Of the controller [the .json file's, or the clip's]");
  options.text("--examples", &a.job.examples_folder, "FOLDER",
               "Write the clips that the program brings there, as BVH and OBJ, and stop");
  a.picture.declare(options);
  declare_load(a.job.load, options);
}

Result<int> run(Arguments& a, Session& session) {
  const auto picture = a.picture.request();
  if (!picture) return picture.error();
  a.job.picture = *picture;
  return session.carry_out(a.job);
}

}  // namespace

Verb fit_verb() {
  Verb verb = verb_with(declare, run);
  verb.name = "fit";
  verb.summary = "A controller that grasps, from one recorded grasp";
  verb.examples = {
      {"prehend fit --examples clips", "the clips that the program brings, to begin with"},
      {"prehend fit clips/cylinder_grasp.right.bvh --object "
       "clips/cylinder_grasp.cylinder.bvh=clips/cylinder_grasp.cylinder.obj "
       "--library clips/range_of_motion.bvh "
       "-o grasp.json -o grasp.png",
       "a controller, and how well it follows the example"},
      {"prehend fit clips/handshake.right.bvh clips/handshake.right-2.bvh -o handshake.json",
       "two hands: a controller each, in one file"},
      {"prehend fit rightHand.bvh --object cyl.bvh=cyl.obj --list", "which grasps it holds"},
      {"prehend fit rightHand.bvh --object cyl.bvh=cyl.obj --grasp 2 --d1 0.05 --d2 0.3 -o c.json",
       "the third of them, with distances of one's own"},
  };
  verb.endings = clip_and_data_endings();
  return verb;
}

}  // namespace prehend::cli
