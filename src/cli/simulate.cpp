// prehend simulate: hands that run fitted controllers, in a simulated world.
#include <cmath>

#include <fmt/format.h>

#include "cli/audit_value.h"
#include "cli/picture_arguments.h"
#include "cli/simulate_drop.h"
#include "cli/simulate_value.h"
#include "cli/verbs.h"
#include "prehend/cli/load.h"
#include "prehend/cli/save.h"
#include "prehend/cli/session.h"
#include "prehend/core/atomic_file.h"
#include "prehend/core/text.h"

namespace prehend::cli {
namespace {

namespace control = example_control;

struct Arguments {
  SimulateArguments simulate;
  PictureArguments picture;
};

Status write(const Arguments& a, const Clip& clip, const std::vector<Moment>& moments,
             Session& session) {
  std::vector<std::string> files;
  for (const std::string& path : session.common().outputs) {
    const std::string ending = file_ending(path);
    if (ending == ".json") {
      const Status done = write_file(path, io::to_json(session.report.details));
      if (!done) return done;
      files.push_back(path);
      continue;
    }
    const bool sheet = ending == ".png";
    const auto picture =
        a.picture.resolve(sheet ? 420 : 960, sheet ? 340 : 720, session.common().threads);
    if (!picture) return picture.error();
    if (sheet) {
      const picture::Image image = moments_picture(clip, moments, *picture, session.monitor());
      if (const Status done = picture::write_png(image, path); !done) return done;
      files.push_back(path);
      continue;
    }
    SaveOptions options;
    options.picture = *picture;
    const auto saved = save_clip(clip, path, options, session.monitor());
    if (!saved) return saved.error();
    files.insert(files.end(), saved->files.begin(), saved->files.end());
  }
  for (const std::string& file : files) session.print("wrote " + file);
  session.report.details["outputs"] = files;
  return {};
}

// The heaviest that the same grasp carries, to a twentieth; nothing if not even a gram.
Result<std::optional<double>> heaviest(const SimulateJob& job, control::Grip grip,
                                       const Session& session) {
  constexpr double kLeast = 0.001, kMost = 20.0, kStep = 2.0, kPrecision = 1.05;
  control::SimulationOptions options = job.options;
  options.grip = grip;
  const auto holds = [&](double mass) -> Result<bool> {
    control::RunProblem problem = job.run;
    Object object = *problem.simulation.objects[0].object;
    object.inertia *= mass / object.mass;
    object.mass = mass;
    problem.simulation.objects[0].object = std::make_shared<const Object>(std::move(object));
    const auto report = control::run(problem, options);
    if (!report) return report.error();
    return report->held;
  };
  double held = 0.0, lost = 0.0;
  for (double mass = job.run.simulation.objects[0].object->mass; !session.stopped();) {
    const auto good = holds(mass);
    if (!good) return good.error();
    (*good ? held : lost) = mass;
    if (held >= kMost || (lost > 0.0 && lost <= kLeast)) break;
    if (held > 0.0 && lost > 0.0 && lost / held < kPrecision) break;
    mass = held == 0.0 ? lost / kStep : lost == 0.0 ? held * kStep : std::sqrt(held * lost);
  }
  return held > 0.0 ? std::optional(held) : std::nullopt;
}

Status report_heaviest(const SimulateJob& job, Session& session) {
  for (const auto& [name, grip] :
       {std::pair{"paper", control::Grip::kPaper}, {"hold", control::Grip::kHold}}) {
    const auto mass = heaviest(job, grip, session);
    if (!mass) return mass.error();
    session.report.details["heaviest_kg"][name] = *mass ? io::Value(**mass) : io::Value(0.0);
    session.print(fmt::format("grip \"{}\" holds up to {:.0f} g", name, 1e3 * mass->value_or(0.0)));
  }
  return {};
}

Result<int> run_job(const Arguments& a, const SimulateJob& job, Session& session) {
  auto report = control::run(job.run, job.options, session.monitor());
  if (!report)
    return Error{fmt::format("{}: {}", printable(a.simulate.inputs[0], 200), report.message())};
  if (!job.title.empty()) report->clip.name = job.title;
  session.report.summary = report->summary;
  session.report.details = run_value(job, *report);
  session.report.details["clip"] = clip_value(report->clip);
  session.print(run_text(job, *report));
  if (report->summary.termination != Termination::kInterrupted) {
    audit::AuditOptions options;
    options.floor_height = job.run.simulation.floor_height;
    const auto audited = audit::audit(report->clip, options, session.monitor());
    if (!audited) return audited.error();
    session.report.audit = audit_value(*audited);
    std::string text = "audit: " + audited->verdict;
    for (const std::string& reason : audited->reasons) text += "\n  " + reason;
    session.print(text);
    if (a.simulate.heaviest)
      if (const Status found = report_heaviest(job, session); !found) return found.error();
  }
  if (const Status written =
          write(a, report->clip, moments_of(report->clip, report->phases), session);
      !written)
    return written.error();
  const bool carries = job.task == SimulateTask::kGrasp || job.task == SimulateTask::kHandshake;
  return carries && !report->held ? kExitMissed : kExitDone;
}

Result<int> run_drop(const Arguments& a, const SimulateJob& job, Session& session) {
  auto run = run_drop_test(job, session.monitor());
  if (!run)
    return Error{fmt::format("{}: {}", printable(a.simulate.inputs[0], 200), run.message())};
  if (!job.title.empty()) run->test.clip.name = job.title;
  session.report.summary = run->test.summary;
  session.report.details = drop_value(job, *run);
  session.report.details["clip"] = clip_value(run->test.clip);
  session.print(drop_text(job, *run));
  if (const Status written = write(a, run->test.clip, drop_moments(run->test), session); !written)
    return written.error();
  return run->test.summary.termination == Termination::kLimitReached ? kExitMissed : kExitDone;
}

Result<int> simulate(const Arguments& a, Session& session) {
  session.report.inputs = a.simulate.inputs;
  const auto job = simulate_job(a.simulate);
  if (!job) return job.error();
  for (const std::string& note : job->notes) session.note(note);
  if (job->task == SimulateTask::kDropTest) return run_drop(a, *job, session);
  return run_job(a, *job, session);
}

}  // namespace

Verb simulate_verb() {
  const auto a = std::make_shared<Arguments>();
  Verb verb;
  verb.name = "simulate";
  verb.summary = "Hands that grasp with fitted controllers, in a simulated world";
  verb.examples = {
      {"prehend simulate scenes/control/grasp.toml --object mug -o mug.glb -o mug.png",
       "reach, grasp, lift, shake, set down, let go"},
      {"prehend simulate scenes/control/grasp.toml --grip paper --alpha 0.5 --heaviest",
       "the paper's grip alone, and what each kind of grip can carry"},
      {"prehend simulate scenes/control/handshake.toml -o handshake.html", "two hands"},
      {"prehend simulate scenes/control/handshake.toml --without arm -o waving.glb",
       "the same without compensation of the arm's motion"},
      {"prehend simulate scenes/control/drop-test.toml --without limits -o drop.png",
       "a relaxed hand falls and is caught"},
      {"prehend simulate scenes/control/drop-test.toml --gains auto",
       "stiffness and damping found by drop tests"},
      {"prehend simulate scenes/control/grasp.toml --controller mine.json --free -o free.glb",
       "a controller of one's own in free motion"},
  };
  verb.endings = clip_endings();
  verb.endings.push_back(".json");
  verb.declare = [a](OptionSet& options) {
    a->simulate.declare(options);
    a->picture.declare(options);
  };
  verb.run = [a](Session& session) { return simulate(*a, session); };
  return verb;
}

}  // namespace prehend::cli
