// prehend demo: a clip made by simulation, to try everything else on.
#include <fmt/format.h>

#include "cli/audit_value.h"
#include "cli/verbs.h"
#include "prehend/cli/load.h"
#include "prehend/cli/save.h"
#include "prehend/cli/session.h"
#include "prehend/core/hand_builder.h"
#include "prehend/hands/sample_grip.h"

namespace prehend::cli {
namespace {

struct Arguments {
  double length = 0.19, mass = 0.2;
  std::string side = "right";
};

void declare(Arguments& a, OptionSet& options) {
  options.number("--length", &a.length, "M", "Of the hand [0.19]");
  options.choice("--side", &a.side, {"left", "right"}, "Which hand [right]");
  options.number("--mass", &a.mass, "KG", "Of the cylinder [0.2]");
}

Result<int> run(const Arguments& a, Session& session) {
  if (!(a.mass > 0.0 && a.mass < 100.0)) {
    return Error{fmt::format("--mass: {} should be above 0 and below 100 kg", a.mass)};
  }
  HandOptions hand_options;
  hand_options.size.length = a.length;
  hand_options.side = a.side == "left" ? Side::kLeft : Side::kRight;
  auto hand = build_hand(hand_options);
  if (!hand) return Error{"--length: " + hand.message()};
  hands::SampleGripOptions options;
  options.mass = a.mass;
  const auto clip = hands::sample_grip(std::make_shared<const Hand>(std::move(*hand)), options,
                                       session.monitor());
  if (!clip) return clip.error();
  const auto report = audit::audit(*clip);
  if (!report) return report.error();
  session.report.audit = audit_value(*report);
  session.report.details["clip"] = clip_value(*clip);
  for (const std::string& path : session.common().outputs) {
    const auto saved = save_clip(*clip, path, {}, session.monitor());
    if (!saved) return saved.error();
  }
  session.print(clip_text(*clip) + "\n" + audit_text(*report));
  if (session.stopped()) return kExitInterrupted;
  return report->verdict == "pass" ? kExitDone : kExitMissed;
}

}  // namespace

Verb demo_verb() {
  auto arguments = std::make_shared<Arguments>();
  Verb verb;
  verb.name = "demo";
  verb.summary =
      "A hand that grips, lifts and turns a cylinder, by simulation: something to try the rest on";
  verb.examples = {
      {"prehend demo -o grip.glb -o grip.html", "the clip, and a page that plays it"},
      {"prehend demo --side left --length 0.17 -o grip.mp4", "a smaller left hand, as a film"}};
  verb.endings = clip_endings();
  verb.declare = [arguments](OptionSet& options) { declare(*arguments, options); };
  verb.run = [arguments](Session& session) { return run(*arguments, session); };
  return verb;
}

}  // namespace prehend::cli
