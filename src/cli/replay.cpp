// prehend replay: a captured interaction on other objects.
#include "prehend/jobs/replay.h"
#include "cli/picture_arguments.h"
#include "cli/verbs.h"

namespace prehend::cli {
namespace {

struct Arguments {
  jobs::ReplayJob job;
  std::vector<std::string> inputs;
  std::string grip;
  PictureArguments picture;
};

void declare(Arguments& a, OptionSet& options) {
  jobs::ReplayJob& job = a.job;
  options.inputs("INPUT", &a.inputs, 1, 1,
                 "A scene (.toml) with [options.replay], or an interaction (.json)");
  options.text("--interaction", &job.interaction, "FILE",
               "Of prehend measure, instead of the scene's");
  options.text("--hand", &job.hand, "FILE",
               "A hand of one's own that the interaction was made with");
  options.text("--compliance", &job.compliance, "FILE",
               "Instead of the interaction's: of prehend measure or simulate");
  options.text("--object", &job.object, "NAME|FILE", "Instead of the first that can move");
  options.number("--scale", &job.scale, "S", "Times that object's size");
  options.number("--mass", &job.mass, "KG", "Of that object");
  options.number("--friction", &job.friction, "MU", "Of that object");
  options.choice("--grip", &a.grip, {"none", "after-slip", "anticipated"},
                 "How the grip answers a slip [the scene's, or none]");
  options.number("--hold", &job.hold, "S",
                 "Come to rest at the end and keep the last pose so long");
  options.number("--timestep", &job.timestep, "S", "[0.002]");
  options.integer("--edges", &job.edges, "N", "Of a friction pyramid, even [8]");
  options.flag("--uncertainty", &job.uncertainty,
               "Also with the compliances at both ends of their bounds");
  a.picture.declare(options);
}

Result<int> run(Arguments& a, Session& session) {
  const auto picture = a.picture.request();
  if (!picture) return picture.error();
  a.job.picture = *picture;
  a.job.input = a.inputs[0];
  using interaction::GripAdjustment;
  if (!a.grip.empty())
    a.job.grip = a.grip == "after-slip"    ? GripAdjustment::kAfterSlip
                 : a.grip == "anticipated" ? GripAdjustment::kAnticipated
                                           : GripAdjustment::kNone;
  return session.carry_out(a.job);
}

}  // namespace

Verb replay_verb() {
  Verb verb = verb_with(declare, run);
  verb.name = "replay";
  verb.summary = "A captured interaction on other objects, by the joints' compliance";
  verb.examples = {
      {"prehend replay scenes/interaction/box.toml -o box.glb -o box.png", "a box picked up"},
      {"prehend replay scenes/interaction/box.toml --mass 0.5 --grip after-slip",
       "a heavy box: the grip tightens 100 ms after it slips"},
      {"prehend replay scenes/interaction/wedge.toml -o wedge.grip.png",
       "normal forces and friction over time, as figure 14"},
      {"prehend replay grasp.json --object mug -o mug.html", "an interaction on another object"},
  };
  verb.endings = clip_and_data_endings();
  return verb;
}

}  // namespace prehend::cli
