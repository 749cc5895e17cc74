#include "prehend/jobs/convert.h"

#include <fmt/format.h>

#include "jobs/cut_range.h"
#include "jobs/job_context.h"
#include "prehend/jobs/load.h"
#include "prehend/jobs/save.h"

namespace prehend::jobs {
namespace {

Result<Outcome> convert(const ConvertJob& job, JobContext& context, ConvertReport& result) {
  context.report.inputs = job.inputs;
  if (job.rate && !(*job.rate >= 0.1 && *job.rate <= 10000.0))
    return Error{fmt::format("--rate: {} should be from 0.1 to 10000", *job.rate)};
  auto loaded = load_clips(job.inputs, job.load);
  if (!loaded) return loaded.error();
  for (const std::string& note : loaded->notes) context.note(note);
  Clip clip = std::move(loaded->clip);
  if (!job.cut.empty()) {
    const auto kept = cut_range(clip, job.cut);
    if (!kept) return kept.error();
    clip = cut(clip, kept->first, kept->last);
  }
  if (job.rate && clip.frame_count() > 1) clip = resample(clip, *job.rate);
  context.print(clip_text(clip));
  context.report.details["clip"] = clip_value(clip);
  SaveOptions save;
  save.skin = !job.capsules;
  if (job.capsules) save.show.skin = nullptr;
  save.picture.threads = context.settings().threads;
  for (const std::string& path : context.settings().outputs) {
    if (context.stopped()) context.interrupted("stopped before all files were written");
    if (context.was_interrupted()) break;
    if (const Status saved = context.write_clip(path, clip, save); !saved) return saved.error();
  }
  context.report_files();
  result.clip = std::move(clip);
  return Outcome::kDone;
}

}  // namespace

Result<ConvertReport> run(const ConvertJob& job, const Monitor& monitor) {
  JobContext context("convert", job.settings, monitor);
  ConvertReport report;
  const auto outcome = convert(job, context, report);
  if (!outcome) return outcome.error();
  static_cast<JobReport&>(report) = context.finish(*outcome);
  return report;
}
}  // namespace prehend::jobs
