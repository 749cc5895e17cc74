// prehend manipulate: hands that make objects do what a scene's goals say.
#include "prehend/jobs/manipulate.h"
#include "cli/picture_arguments.h"
#include "cli/verbs.h"

namespace prehend::cli {
namespace {

struct Arguments {
  jobs::ManipulateJob job;
  std::vector<std::string> inputs;
  PictureArguments picture;
};

void declare(Arguments& a, OptionSet& options) {
  options.inputs("SCENE", &a.inputs, 1, 1, "A scene (.toml) with goals and [options.manipulate]");
  options.number("--timestep", &a.job.timestep, "S", "Of a step [1/30]");
  options.number("--attenuation", &a.job.attenuation, "X",
                 "Of what a hand expects, what goes each step: 0.75 responds fast, 0.5 slowly");
  options.flag("--prove", &a.job.prove,
               "Replay the motion under simulation and say how far objects stray from the plan");
  options.list("--proven", &a.job.proven, "FILE",
               "Write the simulated motion here, in the forms of -o; implies --prove");
  a.picture.declare(options);
}

Result<int> run(Arguments& a, Session& session) {
  const auto picture = a.picture.request();
  if (!picture) return picture.error();
  a.job.picture = *picture;
  a.job.scene = a.inputs[0];
  return session.carry_out(a.job);
}

}  // namespace

Verb manipulate_verb() {
  Verb verb = verb_with(declare, run);
  verb.name = "manipulate";
  verb.summary = "Hands that make objects do what a scene's goals say";
  verb.examples = {
      {"prehend manipulate scenes/manipulation/soap.toml -o soap.glb -o soap.png",
       "reach, grasp and lift, solved step by step"},
      {"prehend manipulate scenes/manipulation/soap-slips.toml -o slips.glb",
       "a hand that expects more friction than there is"},
      {"prehend manipulate scenes/manipulation/soap.toml -o soap.plot.png",
       "how far and how fast the bar moves, over time"},
      {"prehend manipulate scenes/manipulation/cup.toml --proven cup-simulated.glb",
       "the solution's torques drive a simulated arm"},
  };
  verb.endings = clip_and_data_endings();
  return verb;
}

}  // namespace prehend::cli
