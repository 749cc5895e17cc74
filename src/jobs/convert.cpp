#include "prehend/jobs/convert.h"

#include <algorithm>

#include <fmt/format.h>

#include "jobs/convert_hand.h"
#include "jobs/cut_range.h"
#include "jobs/job_context.h"
#include "prehend/core/text.h"
#include "prehend/jobs/load.h"
#include "prehend/jobs/save.h"

namespace prehend::jobs {
namespace {

// A table's columns need --hand to be read; for all other clips it says what they become.
std::string onto(const ConvertJob& job) {
  const bool table = std::any_of(job.inputs.begin(), job.inputs.end(),
                                 [](const auto& path) { return file_ending(path) == ".csv"; });
  return job.onto.empty() && !table ? job.load.hand : job.onto;
}

Status bring_onto_hand(const ConvertJob& job, Clip& clip, JobContext& context) {
  const std::string name = onto(job);
  if (name.empty()) return {};
  std::vector<std::string> notes;
  const auto hand = target_hand(name, notes, job.load);
  if (!hand) return hand.error();
  for (const std::string& note : notes) context.note(note);
  const Rehanded made = bring_onto(*hand, clip, context.monitor());
  if (made.interrupted) {
    context.interrupted("stopped before all frames were brought onto the hand");
    return {};
  }
  context.report.details["onto"] = rehanded_value(made);
  context.print(rehanded_text(made));
  return {};
}

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
  if (const Status brought = bring_onto_hand(job, clip, context); !brought) return brought.error();
  if (context.was_interrupted()) return Outcome::kInterrupted;
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
