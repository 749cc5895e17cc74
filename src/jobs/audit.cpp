#include "prehend/jobs/audit.h"

#include <fmt/format.h>

#include "jobs/audit_value.h"
#include "jobs/job_context.h"
#include "prehend/audit/audit.h"
#include "prehend/core/atomic_file.h"
#include "prehend/core/text.h"
#include "prehend/jobs/load.h"

namespace prehend::jobs {
namespace {

Result<audit::AuditOptions> audit_options(const AuditJob& job) {
  audit::AuditOptions options;
  options.use_recorded_forces = !job.any_forces;
  options.floor_height = job.floor_height;
  if (job.contact_distance && !(*job.contact_distance > 0.0 && *job.contact_distance <= 0.1))
    return Error{fmt::format("--contact-mm: {} should be above 0 and up to 100",
                             1e3 * *job.contact_distance)};
  options.contact_distance = job.contact_distance.value_or(options.contact_distance);
  if (job.window && !(*job.window >= 0.01 && *job.window <= 10.0))
    return Error{fmt::format("--window: {} should be from 0.01 to 10 seconds", *job.window)};
  options.window = job.window.value_or(options.window);
  return options;
}

Status write_output(const audit::AuditReport& report, const Clip& clip, const std::string& path,
                    JobContext& context) {
  if (path.ends_with(".csv")) return context.write_text(path, audit_csv(report, clip.frame_rate));
  if (path.ends_with(".png"))
    return context.write_image(path, audit_picture(report, clip.frame_rate, clip.name));
  return context.write_text(path, io::to_json(audit_value(report)) + "\n");
}

Result<Outcome> audit_clip(const AuditJob& job, JobContext& context, AuditJobReport& result) {
  context.report.inputs = job.inputs;
  const auto options = audit_options(job);
  if (!options) return options.error();
  const auto loaded = load_clips(job.inputs, job.load);
  if (!loaded) return loaded.error();
  for (const std::string& note : loaded->notes) context.note(note);
  auto report = audit::audit(loaded->clip, *options, context.monitor());
  if (!report) return Error{fmt::format("{}: {}", job.inputs[0], report.message())};
  // What could not be looked at is not passed.
  for (const std::string& name : loaded->without_shape) {
    report->reasons.push_back(
        fmt::format("{} has no shape and was not judged: --object {}=OBJECT gives it one",
                    printable(name), printable(name)));
    report->verdict = audit::Verdict::kFail;
  }
  context.report.summary = report->summary;
  context.report.audit = audit_value(*report);
  context.report.details["clip"] = clip_value(loaded->clip);
  // A stopped audit has looked at some frames only: its verdict takes no other's place.
  if (context.was_interrupted()) return Outcome::kInterrupted;
  for (const std::string& path : context.settings().outputs) {
    if (Status status = write_output(*report, loaded->clip, path, context); !status)
      return status.error();
  }
  context.print(clip_text(loaded->clip) + "\n" + audit_text(*report));
  result.audit = *report;
  return report->verdict == audit::Verdict::kPass ? Outcome::kDone : Outcome::kMissed;
}

}  // namespace

Result<AuditJobReport> run(const AuditJob& job, const Monitor& monitor) {
  JobContext context("audit", job.settings, monitor);
  AuditJobReport report;
  const auto outcome = audit_clip(job, context, report);
  if (!outcome) return outcome.error();
  static_cast<JobReport&>(report) = context.finish(*outcome);
  return report;
}
}  // namespace prehend::jobs
