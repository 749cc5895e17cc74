#include "prehend/jobs/simulate.h"

#include <fmt/format.h>

#include "jobs/audit_value.h"
#include "jobs/data_value.h"
#include "jobs/job_context.h"
#include "jobs/physics_value.h"
#include "jobs/simulate_drop.h"
#include "jobs/simulate_margins.h"
#include "jobs/simulate_value.h"
#include "prehend/core/text.h"
#include "prehend/jobs/compliance_file.h"
#include "prehend/jobs/load.h"
#include "prehend/jobs/save.h"

namespace prehend::jobs {
namespace {

namespace control = example_control;

// How the first hand's joints give way at its grip, for `measure` and `replay`.
Status write_compliance(const SimulateSetup& setup, const std::string& path, JobContext& context) {
  const auto built = control::Simulation::build(setup.run.simulation, setup.options);
  if (!built) return built.error();
  const Status written = write_compliances(
      path, named_compliances(*setup.hand(0).hand, built->joint_stiffness(0).cwiseInverse()));
  if (written) context.wrote(path);
  return written;
}

Status write(const SimulateJob& job, const SimulateSetup& setup, const Clip& clip,
             const std::vector<Moment>& moments, JobContext& context) {
  const auto one = [&](const std::string& path) -> Status {
    const std::string ending = file_ending(path);
    if (path.ends_with(kComplianceEnding)) return write_compliance(setup, path, context);
    if (ending == ".json") return context.write_text(path, io::to_json(data_value(context.report)));
    if (ending == ".png") {
      const auto picture = context.picture(job.picture, 420, 340);
      return context.write_image(path, moments_picture(clip, moments, picture, context.monitor()));
    }
    SaveOptions options;
    options.picture = context.picture(job.picture, 960, 720);
    return context.write_clip(path, clip, options);
  };
  for (const std::string& path : context.settings().outputs) {
    if (clip.frame_count() == 0) break;
    if (const Status written = one(path); !written) return written;
  }
  context.report_files();
  return {};
}

Status report_heaviest(const SimulateSetup& setup, JobContext& context) {
  for (const auto& [name, grip] :
       {std::pair{"paper", control::Grip::kPaper}, {"hold", control::Grip::kHold}}) {
    const auto mass = heaviest(setup, grip, context.monitor());
    if (!mass) return mass.error();
    if (context.stopped()) {
      context.interrupted("stopped before the heaviest object was found");
      return {};
    }
    context.report.details["heaviest_kg"][name] = *mass ? io::Value(**mass) : io::Value(0.0);
    context.print(fmt::format("grip \"{}\" holds up to {:.0f} g", name, 1e3 * mass->value_or(0.0)));
  }
  return {};
}

Status report_margins(const SimulateSetup& setup, JobContext& context, SimulateReport& result) {
  const auto margins = simulate_margins(setup, context.monitor());
  if (!margins) return margins.error();
  if (margins->interrupted) {
    context.interrupted("stopped before the margins were found");
    return {};
  }
  context.report.details["margins"] = margins_value(*margins);
  context.print("margins: " + margins_text(*margins));
  result.margins = *margins;
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
  if (context.was_interrupted()) {
    context.note(fmt::format("stopped after {:.2f} s of the scene", report->clip.duration()));
  } else {
    context.print(run_text(setup, *report));
    audit::AuditOptions options;
    options.floor_height = setup.run.simulation.floor_height;
    const auto audited = audit::audit(report->clip, options, context.monitor());
    if (!audited) return audited.error();
    context.report.audit = audit_value(*audited);
    result.audit = *audited;
    std::string text = std::string("audit: ") + to_string(audited->verdict);
    for (const std::string& reason : audited->reasons) text += "\n  " + reason;
    context.print(text);
    if (job.heaviest)
      if (const Status found = report_heaviest(setup, context); !found) return found.error();
    if (job.margins && !context.was_interrupted())
      if (const Status found = report_margins(setup, context, result); !found) return found.error();
  }
  if (const Status written =
          write(job, setup, report->clip, moments_of(report->clip, report->phases), context);
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
  if (const Status written = write(job, setup, run->test.clip, drop_moments(run->test), context);
      !written)
    return written.error();
  result.clip = std::move(run->test.clip);
  return run->test.summary.termination == Termination::kLimitReached ? Outcome::kMissed
                                                                     : Outcome::kDone;
}

Result<Outcome> simulate(const SimulateJob& job, JobContext& context, SimulateReport& result) {
  context.report.inputs = {job.scene};
  const auto setup = simulate_setup(job, context.monitor());
  // A stopped search for a placement finds none, which is no fault of the object.
  if (context.stopped()) {
    context.interrupted("stopped before the simulation");
    return Outcome::kInterrupted;
  }
  if (!setup) return setup.error();
  for (const std::string& note : setup->notes) context.note(note);
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
