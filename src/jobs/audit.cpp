#include "prehend/jobs/audit.h"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

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
  if (path.ends_with(".worst.png")) {
    picture::PictureOptions options;
    options.width = 420;
    options.height = 340;
    options.threads = context.settings().threads;
    options.stop = context.monitor().stop;
    return context.write_image(path, worst_picture(report, clip, options));
  }
  if (path.ends_with(".png"))
    return context.write_image(path, audit_picture(report, clip.frame_rate, clip.name));
  if (path.ends_with(".glb") || path.ends_with(".html")) {
    SaveOptions save;
    save.marks = audit_marks(report);
    return context.write_clip(path, clip, save);
  }
  return context.write_text(path, io::to_json(audit_value(report)) + "\n");
}

// Meters to three digits, and zero without a sign.
std::string millimeters(double meters) {
  return fmt::format("{:.3f}", std::round(1e3 * meters) / 1e3 + 0.0);
}

// The audit with the support that the objects' rest shows, as a table and as a line for people.
io::Value proposal_value(const audit::Support& support, const audit::AuditReport& with) {
  io::Value value = io::Value::table();
  value["height_m"] = support.height;
  value["rest_s"] = support.seconds;
  value["objects"] = support.objects;
  value["explained_fraction"] = with.explained_fraction;
  value["max_penetration_m"] = with.max_penetration_m;
  value["verdict"] = to_string(with.verdict);
  value["reasons"] = with.reasons;
  return value;
}

std::string proposal_text(const audit::Support& support, const audit::AuditReport& without,
                          const audit::AuditReport& with) {
  const std::string height = millimeters(support.height);
  return fmt::format(
      "{} rests for {:.1f} s at height {} m, where the clip has nothing: run again with --floor {} "
      "(then {:.1f} % of the frames are explained instead of {:.1f} %, verdict {}{})",
      fmt::join(support.objects, " and "), support.seconds, height, height,
      100.0 * with.explained_fraction, 100.0 * without.explained_fraction, to_string(with.verdict),
      with.reasons.empty() ? "" : ": " + fmt::format("{}", fmt::join(with.reasons, "; ")));
}

// A floor where objects rest, if it was asked for; otherwise what it would change.
Status use_rest(const AuditJob& job, const Clip& clip, audit::AuditOptions& options,
                JobContext& context, AuditJobReport& result) {
  if (options.floor_height || clip.floor_height) return {};
  const auto support = audit::find_support(clip);
  if (job.find_floor) {
    if (!support) {
      context.note("--floor auto: no object rests without a support, so there is no floor");
      return {};
    }
    options.floor_height = support->height;
    context.note(fmt::format("--floor auto: {} m, where {} rests for {:.1f} s",
                             millimeters(support->height), fmt::join(support->objects, " and "),
                             support->seconds));
    return {};
  }
  if (!support) return {};
  audit::AuditOptions with = options;
  with.floor_height = support->height;
  auto judged = audit::audit(clip, with, context.monitor());
  if (!judged) return judged.error();
  result.proposed = support;
  result.with_proposed = std::move(*judged);
  return {};
}

// What could not be looked at is not passed.
void fail_unseen(const std::vector<std::string>& without_shape, audit::AuditReport& report) {
  for (const std::string& name : without_shape) {
    report.reasons.push_back(
        fmt::format("{} has no shape and was not judged: --object {}=OBJECT gives it one",
                    printable(name), printable(name)));
    report.verdict = audit::Verdict::kFail;
  }
}

Result<Outcome> audit_clip(const AuditJob& job, JobContext& context, AuditJobReport& result) {
  context.report.inputs = job.inputs;
  auto options = audit_options(job);
  if (!options) return options.error();
  const auto loaded = load_clips(job.inputs, job.load);
  if (!loaded) return loaded.error();
  for (const std::string& note : loaded->notes) context.note(note);
  const Clip& clip = loaded->clip;
  options->tissue =
      job.tissue.value_or(clip.forces_recorded ? audit::Tissue::kRigid : audit::Tissue::kSoft);
  if (Status status = use_rest(job, clip, *options, context, result); !status)
    return Error{fmt::format("{}: {}", job.inputs[0], status.message())};
  auto report = audit::audit(clip, *options, context.monitor());
  if (!report) return Error{fmt::format("{}: {}", job.inputs[0], report.message())};
  fail_unseen(loaded->without_shape, *report);
  if (result.with_proposed)
    report->notes.push_back(proposal_text(*result.proposed, *report, *result.with_proposed));
  context.report.summary = report->summary;
  context.report.audit = audit_value(*report);
  if (options->floor_height) context.report.audit["floor_height_m"] = *options->floor_height;
  if (result.with_proposed)
    context.report.audit["proposed_floor"] =
        proposal_value(*result.proposed, *result.with_proposed);
  context.report.details["clip"] = clip_value(clip);
  // A stopped audit has looked at some frames only: its verdict takes no other's place.
  if (context.was_interrupted()) return Outcome::kInterrupted;
  Clip judged_clip = clip;
  if (options->floor_height) judged_clip.floor_height = options->floor_height;
  for (const std::string& path : context.settings().outputs) {
    if (Status status = write_output(*report, judged_clip, path, context); !status)
      return status.error();
  }
  context.print(clip_text(clip) + "\n" + audit_text(*report));
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
