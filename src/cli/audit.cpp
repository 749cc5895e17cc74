// prehend audit: is this clip physically true?
#include "prehend/jobs/audit.h"
#include "cli/load_arguments.h"
#include "cli/verbs.h"

namespace prehend::cli {
namespace {

struct Arguments {
  jobs::AuditJob job;
  std::optional<double> contact_distance_mm;
};

void declare(Arguments& a, OptionSet& options) {
  jobs::AuditJob& job = a.job;
  options.inputs("CLIP", &job.inputs, 1, 64, "Clips (.glb .bvh .csv) that belong together");
  options.number("--floor", &job.floor_height, "Y",
                 "Height of a floor that the clip does not hold");
  options.flag("--any-forces", &job.any_forces,
               "Ask whether any forces could do it, even where some are recorded");
  options.number("--contact-mm", &a.contact_distance_mm, "MM", "Nearer than this touches [2]");
  options.number("--window", &job.window, "SECONDS",
                 "Of motion that accelerations are taken from [0.07]");
  declare_load(job.load, options);
}

Result<int> run(Arguments& a, Session& session) {
  if (a.contact_distance_mm) a.job.contact_distance = 1e-3 * *a.contact_distance_mm;
  return session.carry_out(a.job);
}

}  // namespace

Verb audit_verb() {
  Verb verb = verb_with(declare, run);
  verb.name = "audit";
  verb.summary = "Is this clip physically true? Of any clip, whoever made it";
  verb.examples = {
      {"prehend audit clip.glb", "penetration, forces, friction, limits, slip; exit 1 if it fails"},
      {"prehend audit hand.bvh --object cup.bvh=cup.obj --floor 0",
       "capture, on a table at height 0"},
      {"prehend audit clip.glb -o frames.csv -o plot.png", "frame by frame"}};
  verb.endings = {".json", ".csv", ".png"};
  return verb;
}

}  // namespace prehend::cli
