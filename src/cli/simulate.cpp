// prehend simulate: hands that run fitted controllers, in a simulated world.
#include "prehend/jobs/simulate.h"
#include "cli/picture_arguments.h"
#include "cli/verbs.h"

namespace prehend::cli {
namespace {

struct Arguments {
  jobs::SimulateJob job;
  std::vector<std::string> inputs;
  std::string grip, gains;
  PictureArguments picture;
};

void declare(Arguments& a, OptionSet& options) {
  jobs::SimulateJob& job = a.job;
  options.inputs("SCENE", &a.inputs, 1, 1, "A scene (.toml) with [options.simulate]");
  options.text("--object", &job.object, "NAME|FILE",
               "Instead of the scene's first; recorded: the one that the controller was fitted on");
  options.choice("--turn", &job.turn, {"none", "upright", "any"},
                 "How the object may be turned to be presented [any; a recorded one upright]");
  options.choice("--present", &job.present, {"example", "search", "rehearse"},
                 "How hand and object come together: the example's own wrist, a search, or "
                 "rehearsals of what it finds [rehearse; of --grip paper example]");
  options.number("--mass", &job.mass, "KG", "Of that object [its own, 0.05 to 0.3 in a grasp]");
  options.text("--object-units", &job.load.object_units, "UNIT",
               "Of that object's file [meters; of the mesh that the controller was fitted on, as "
               "then]");
  options.text("--hand", &job.hand, "FILE",
               "A hand of your own: MJCF (.xml), or of a recording (.bvh .glb .csv) [the scene's, "
               "or the controller's]");
  options.choice("--side", &job.load.side, {"left", "right"},
                 "Of the hand: which of a file with two, else mirrored");
  options.text("--units", &job.load.units, "UNIT", "Of a recording's hand [guessed]");
  options.flag("--mirror", &job.load.mirror,
               "The files of hand and object are in left-handed coordinates: reflect x");
  options.text("--map", &job.load.map, "FILE.toml", "Which joint of a recording's rig is which");
  options.list("--controller", &job.controllers, "FILE",
               "Of prehend fit, instead of the scene's. May be repeated, for the hands in order");
  options.choice("--grip", &a.grip, {"paper", "hold"},
                 "Setpoints alone, or with the least torque that carries the object [hold]");
  options.number("--alpha", &job.alpha, "A", "Grip strength, 0 to 0.5 in the paper [0]");
  options.list("--without", &job.without, "TERM",
               "Leaves out arm, gravity, limits, passive or active. May be repeated");
  options.text("--gains", &a.gains, "KS,KD[,KJL]",
               "Instead of the controllers'; in a drop test also auto");
  options.text("--compliance", &job.compliance, "FILE",
               "Joints give way as this file of prehend measure says, instead of by gains alone");
  options.number("--timestep", &job.timestep, "S", "[0.002]");
  options.flag("--free", &job.free, "Along the example's wrist, touching nothing");
  options.flag("--heaviest", &job.heaviest, "Also find the heaviest object that each grip holds");
  options.flag("--margins", &job.margins,
               "Also find at which friction, mass, offset and delay it drops, and which digits it "
               "could spare");
  a.picture.declare(options);
}

Result<int> run(Arguments& a, Session& session) {
  const auto picture = a.picture.request();
  if (!picture) return picture.error();
  a.job.picture = *picture;
  jobs::SimulateJob& job = a.job;
  job.scene = a.inputs[0];
  if (!a.grip.empty())
    job.grip = a.grip == "paper" ? example_control::Grip::kPaper : example_control::Grip::kHold;
  job.tune_gains = a.gains == "auto";
  if (!a.gains.empty() && !job.tune_gains) {
    const auto numbers = parse_numbers(a.gains, "--gains");
    if (!numbers) return numbers.error();
    job.gains = *numbers;
  }
  return session.carry_out(job);
}

}  // namespace

Verb simulate_verb() {
  Verb verb = verb_with(declare, run);
  verb.name = "simulate";
  verb.summary = "Hands that grasp with fitted controllers, in a simulated world";
  verb.examples = {
      {"prehend simulate scenes/control/grasp.toml --object mug -o mug.glb -o mug.png",
       "reach, grasp, lift, shake, set down, let go"},
      {"prehend simulate scenes/control/grasp.toml --grip paper --alpha 0.5 --heaviest",
       "the paper's grip alone, and what each kind of grip can carry"},
      {"prehend simulate scenes/control/grasp.toml --object bottle --margins",
       "when it would drop, and which digits it could spare"},
      {"prehend simulate scenes/control/handshake.toml -o handshake.html", "two hands"},
      {"prehend simulate scenes/control/handshake.toml --without arm -o waving.glb",
       "the same without compensation of the arm's motion"},
      {"prehend simulate scenes/control/drop-test.toml --without limits -o drop.png",
       "a relaxed hand falls and is caught"},
      {"prehend simulate scenes/control/drop-test.toml --gains auto",
       "stiffness and damping found by drop tests"},
      {"prehend simulate scenes/control/grasp.toml --controller mine.json --object recorded -o "
       "r.glb",
       "a controller of one's own on the object that it was fitted on, as it was recorded"},
      {"prehend simulate scenes/control/grasp.toml --compliance touch.compliance.json",
       "fingers that give way as prehend measure found"},
      {"prehend simulate scenes/control/grasp.toml --hand rightHand.bvh --object mug.obj "
       "--object-units cm -o m.glb",
       "on a hand and an object of one's own"},
      {"prehend simulate scenes/control/grasp.toml --controller mine.json --free -o free.glb",
       "a controller of one's own in free motion"},
  };
  verb.endings = clip_and_data_endings();
  return verb;
}

}  // namespace prehend::cli
