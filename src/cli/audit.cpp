// prehend audit: is this clip physically true?
#include "prehend/jobs/audit.h"
#include "cli/load_arguments.h"
#include "cli/picture_arguments.h"
#include "cli/verbs.h"
#include "prehend/core/text.h"

namespace prehend::cli {
namespace {

struct Arguments {
  jobs::AuditJob job;
  std::optional<double> contact_distance_mm;
  std::string floor, tissue;
};

void declare(Arguments& a, OptionSet& options) {
  jobs::AuditJob& job = a.job;
  options.inputs("CLIP", &job.inputs, 1, 64, "Clips (.glb .bvh .csv) that belong together");
  options.text("--floor", &a.floor, "HEIGHT|auto",
               "Height of a floor that the clip does not hold, m; auto: where objects rest");
  options.choice("--tissue", &a.tissue, {"soft", "rigid"},
                 "Flesh gives by some mm, or not [soft where no forces are recorded]");
  options.flag("--any-forces", &job.any_forces,
               "Ask whether any forces could do it, even where some are recorded");
  options.number("--contact-mm", &a.contact_distance_mm, "MM", "Nearer than this touches [2]");
  options.number("--window", &job.window, "SECONDS",
                 "Of motion that accelerations are taken from [0.07]");
  declare_load(job.load, options);
}

Result<int> run(Arguments& a, Session& session) {
  if (a.floor == "auto") {
    a.job.find_floor = true;
  } else if (!a.floor.empty()) {
    const auto height = parse_numbers(a.floor, "--floor");
    if (!height || height->size() != 1)
      return Error{"--floor: " + printable(a.floor) + " is neither a height in meters nor auto"};
    a.job.floor_height = height->front();
  }
  if (!a.tissue.empty())
    a.job.tissue = a.tissue == "soft" ? audit::Tissue::kSoft : audit::Tissue::kRigid;
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
      {"prehend audit hand.bvh --object cup.bvh=cup.obj --floor auto",
       "capture, on the table that the cup's rest shows"},
      {"prehend audit clip.glb -o frames.csv -o plot.png", "frame by frame"},
      {"prehend audit clip.glb -o clip.worst.png", "the worst of each kind, seen from near"},
      {"prehend audit clip.glb -o marked.html", "a page that shows the bad frames, by kind"}};
  verb.endings = {".json", ".csv", ".png", ".glb", ".html"};
  return verb;
}

}  // namespace prehend::cli
