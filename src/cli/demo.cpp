// prehend demo: a clip made by simulation, to try everything else on.
#include "prehend/jobs/demo.h"
#include "cli/verbs.h"
#include "prehend/jobs/save.h"

namespace prehend::cli {
namespace {

struct Arguments {
  jobs::DemoJob job;
  std::string side = "right";
};

void declare(Arguments& a, OptionSet& options) {
  options.number("--length", &a.job.hand_length, "M", "Of the hand [0.19]");
  options.choice("--side", &a.side, {"left", "right"}, "Which hand [right]");
  options.number("--mass", &a.job.mass, "KG", "Of the cylinder [0.2]");
}

Result<int> run(Arguments& a, Session& session) {
  a.job.side = a.side == "left" ? Side::kLeft : Side::kRight;
  return session.carry_out(a.job);
}

}  // namespace

Verb demo_verb() {
  Verb verb = verb_with(declare, run);
  verb.name = "demo";
  verb.summary =
      "A hand that grips, lifts and turns a cylinder, by simulation: something to try the rest on";
  verb.examples = {
      {"prehend demo -o grip.glb -o grip.html", "the clip, and a page that plays it"},
      {"prehend demo --side left --length 0.17 -o grip.mp4", "a smaller left hand, as a film"}};
  verb.endings = jobs::clip_endings();
  return verb;
}

}  // namespace prehend::cli
