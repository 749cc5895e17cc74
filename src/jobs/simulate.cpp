#include "prehend/jobs/simulate.h"

#include <cmath>

#include <fmt/format.h>

#include "jobs/audit_value.h"
#include "jobs/job_context.h"
#include "jobs/physics_value.h"
#include "jobs/simulate_drop.h"
#include "jobs/simulate_value.h"
#include "prehend/core/atomic_file.h"
#include "prehend/core/text.h"
#include "prehend/jobs/load.h"
#include "prehend/jobs/save.h"

namespace prehend::jobs {
namespace {

namespace control = example_control;

// What a data file holds: the report's own part and its physics, without what a clock measured, so
// that the same input gives the same bytes.
io::Value data_value(const io::Report& report) {
  io::Value value = io::Value::table();
  for (const auto& [key, member] : report.details.members())
    if (key != kWallClock) value[key] = member;
  value["physics"] = report.physics;
  return value;
}

Status write(const SimulateJob& job, const Clip& clip, const std::vector<Moment>& moments,
             JobContext& context) {
  std::vector<std::string> files;
  for (const std::string& path : context.settings().outputs) {
    const std::string ending = file_ending(path);
    if (ending == ".json") {
      const Status done = write_file(path, io::to_json(data_value(context.report)));
      if (!done) return done;
      files.push_back(path);
      continue;
    }
    const bool sheet = ending == ".png";
    const auto picture =
        job.picture.options(sheet ? 420 : 960, sheet ? 340 : 720, context.settings().threads);
    if (sheet) {
      const picture::Image image = moments_picture(clip, moments, picture, context.monitor());
      if (const Status done = picture::write_png(image, path); !done) return done;
      files.push_back(path);
      continue;
    }
    SaveOptions options;
    options.picture = picture;
    const auto saved = save_clip(clip, path, options, context.monitor());
    if (!saved) return saved.error();
    files.insert(files.end(), saved->files.begin(), saved->files.end());
  }
  for (const std::string& file : files) context.print("wrote " + file);
  context.report.details["outputs"] = files;
  return {};
}

// The heaviest that the same grasp carries, to a twentieth; nothing if not even a gram.
Result<std::optional<double>> heaviest(const SimulateSetup& setup, control::Grip grip,
                                       const JobContext& context) {
  constexpr double kLeast = 0.001, kMost = 20.0, kStep = 2.0, kPrecision = 1.05;
  control::SimulationOptions options = setup.options;
  options.grip = grip;
  const auto holds = [&](double mass) -> Result<bool> {
    control::RunProblem problem = setup.run;
    ObjectPtr& object = problem.simulation.objects[0].object;
    object = std::make_shared<const Object>(with_mass(*object, mass));
    const auto report = control::run(problem, options);
    if (!report) return report.error();
    return report->held;
  };
  double held = 0.0, lost = 0.0;
  for (double mass = setup.run.simulation.objects[0].object->mass; !context.stopped();) {
    const auto good = holds(mass);
    if (!good) return good.error();
    (*good ? held : lost) = mass;
    if (held >= kMost || (lost > 0.0 && lost <= kLeast)) break;
    if (held > 0.0 && lost > 0.0 && lost / held < kPrecision) break;
    mass = held == 0.0 ? lost / kStep : lost == 0.0 ? held * kStep : std::sqrt(held * lost);
  }
  return held > 0.0 ? std::optional(held) : std::nullopt;
}

Status report_heaviest(const SimulateSetup& setup, JobContext& context) {
  for (const auto& [name, grip] :
       {std::pair{"paper", control::Grip::kPaper}, {"hold", control::Grip::kHold}}) {
    const auto mass = heaviest(setup, grip, context);
    if (!mass) return mass.error();
    context.report.details["heaviest_kg"][name] = *mass ? io::Value(**mass) : io::Value(0.0);
    context.print(fmt::format("grip \"{}\" holds up to {:.0f} g", name, 1e3 * mass->value_or(0.0)));
  }
  return {};
}

Result<Outcome> run_task(const SimulateJob& job, const SimulateSetup& setup, JobContext& context,
                         SimulateReport& result) {
  auto report = control::run(setup.run, setup.options, context.monitor());
  if (!report) return Error{fmt::format("{}: {}", printable(job.scene, 200), report.message())};
  if (!setup.title.empty()) report->clip.name = setup.title;
  context.report.summary = report->summary;
  context.report.details = run_value(setup, *report);
  context.report.physics = physics_value(report->physics);
  context.report.details["clip"] = clip_value(report->clip);
  context.print(run_text(setup, *report));
  if (report->summary.termination != Termination::kInterrupted) {
    audit::AuditOptions options;
    options.floor_height = setup.run.simulation.floor_height;
    const auto audited = audit::audit(report->clip, options, context.monitor());
    if (!audited) return audited.error();
    context.report.audit = audit_value(*audited);
    result.audit = *audited;
    std::string text = "audit: " + audited->verdict;
    for (const std::string& reason : audited->reasons) text += "\n  " + reason;
    context.print(text);
    if (job.heaviest)
      if (const Status found = report_heaviest(setup, context); !found) return found.error();
  }
  if (const Status written =
          write(job, report->clip, moments_of(report->clip, report->phases), context);
      !written)
    return written.error();
  result.held = report->held;
  result.clip = std::move(report->clip);
  const bool carries = setup.task == SimulateTask::kGrasp || setup.task == SimulateTask::kHandshake;
  return carries && !result.held ? Outcome::kMissed : Outcome::kDone;
}

Result<Outcome> run_drop(const SimulateJob& job, const SimulateSetup& setup, JobContext& context,
                         SimulateReport& result) {
  auto run = run_drop_test(setup, context.monitor());
  if (!run) return Error{fmt::format("{}: {}", printable(job.scene, 200), run.message())};
  if (!setup.title.empty()) run->test.clip.name = setup.title;
  context.report.summary = run->test.summary;
  context.report.details = drop_value(setup, *run);
  context.report.physics = physics_value(run->test.physics);
  context.report.details["clip"] = clip_value(run->test.clip);
  context.print(drop_text(setup, *run));
  if (const Status written = write(job, run->test.clip, drop_moments(run->test), context); !written)
    return written.error();
  result.clip = std::move(run->test.clip);
  return run->test.summary.termination == Termination::kLimitReached ? Outcome::kMissed
                                                                     : Outcome::kDone;
}

Result<Outcome> simulate(const SimulateJob& job, JobContext& context, SimulateReport& result) {
  context.report.inputs = {job.scene};
  const auto setup = simulate_setup(job, context.monitor());
  if (!setup) return setup.error();
  for (const std::string& note : setup->notes) context.note(note);
  if (context.stopped()) {
    context.report.summary = {Termination::kInterrupted, 0, 0.0, "stopped before the simulation"};
    return Outcome::kInterrupted;
  }
  if (setup->task == SimulateTask::kDropTest) return run_drop(job, *setup, context, result);
  return run_task(job, *setup, context, result);
}

}  // namespace

Result<SimulateReport> run(const SimulateJob& job, const Monitor& monitor) {
  JobContext context("simulate", job.settings, monitor);
  SimulateReport report;
  const auto outcome = simulate(job, context, report);
  if (!outcome) return outcome.error();
  static_cast<JobReport&>(report) = context.finish(*outcome);
  return report;
}
}  // namespace prehend::jobs
