// prehend measure: joint compliance and reference trajectory from motion and force.
#include "prehend/jobs/measure.h"
#include "cli/load_arguments.h"
#include "cli/picture_arguments.h"
#include "cli/verbs.h"

namespace prehend::cli {
namespace {

struct Arguments {
  jobs::MeasureJob job;
  std::string subject, task;
  PictureArguments picture;
};

void declare(Arguments& a, OptionSet& options) {
  jobs::MeasureJob& job = a.job;
  options.inputs("MOTION", &job.inputs, 0, 20,
                 "Joint angles (.bvh, .csv, .glb); a clip may carry forces");
  options.text("--forces", &job.forces, "FILE", "Contact forces (.csv)");
  options.text("--onsets", &job.onsets, "FILE",
               "Only find where contact begins in forces alone (.csv), and say what they lack");
  options.number("--offset", &job.offset, "S",
                 "How late the forces' clock is [found by correlation]");
  options.choice("--subject", &a.subject, {"tap", "stroke", "box", "bulb", "perturb"},
                 "A virtual subject instead of a capture");
  options.flag("--noise", &job.noise,
               "The subject's markers have 0.3 mm of it, its sensors 0.02 N");
  options.flag("--braced", &job.braced, "The subject's wrist is held, so that fingers alone give");
  options.choice("--task", &a.task, {"exploring", "scratching"},
                 "Compliances of the paper's table 1 where none are measured [exploring]");
  options.flag("--perturbation", &job.perturbation,
               "Mass, damping and stiffness of a fingertip that something pushed suddenly");
  options.number("--window", &job.window, "S",
                 "That --perturbation fits [0.025, or 0.02 with --task scratching]");
  options.flag("--estimate-forces", &job.estimate_forces,
               "Of a clip without any: the least that explain it, with assumed compliances");
  options.number("--grip", &job.grip, "N",
                 "That a hand without sensors is taken to squeeze with [6]");
  options.flag("--assumed", &job.assumed_only, "Measure no compliance, take the assumed ones");
  options.text("--compliance", &job.compliance, "FILE",
               "Compliances that are assumed: of prehend measure or simulate");
  options.integer("--degree", &job.options.degree, "N", "Of the polynomials, 1 or 2 [by the data]");
  options.text("--capture", &job.capture_folder, "FOLDER", "Write motion.csv and forces.csv there");
  declare_load(job.load, options);
  a.picture.declare(options);
}

Result<int> run(Arguments& a, Session& session) {
  const auto picture = a.picture.request();
  if (!picture) return picture.error();
  a.job.picture = *picture;
  using interaction::SubjectTask;
  if (!a.subject.empty())
    a.job.subject = a.subject == "tap"      ? SubjectTask::kTap
                    : a.subject == "stroke" ? SubjectTask::kStroke
                    : a.subject == "box"    ? SubjectTask::kBox
                    : a.subject == "bulb"   ? SubjectTask::kBulb
                                            : SubjectTask::kPerturb;
  if (a.task == "scratching") a.job.task = interaction::Task::kScratching;
  if (a.job.options.degree < 0 || a.job.options.degree > 2)
    return Error{"--degree: should be 1 or 2"};
  return session.carry_out(a.job);
}

}  // namespace

Verb measure_verb() {
  Verb verb = verb_with(declare, run);
  verb.name = "measure";
  verb.summary = "Joint compliance and intended motion from captured motion and force";
  verb.examples = {
      {"prehend measure motion.bvh --forces forces.csv -o touch.json -o touch.png",
       "an interaction, and how each contact was read"},
      {"prehend measure --subject tap --noise -o tap.png", "a virtual subject touches a table"},
      {"prehend measure --subject perturb --braced --perturbation -o push.png",
       "its fingertip is pushed: stiffness beside what the joints' compliances say"},
      {"prehend measure --subject box --assumed --task scratching -o box.json",
       "the grasp that scenes/interaction/box.toml replays"},
      {"prehend measure hand.bvh --object cup.bvh=cup.obj --estimate-forces -o cup.json",
       "a recording without forces, to be replayed on other objects"},
      {"prehend measure grip.glb --assumed -o grip.json", "a clip that carries forces"},
  };
  verb.endings = clip_and_data_endings();
  return verb;
}

}  // namespace prehend::cli
