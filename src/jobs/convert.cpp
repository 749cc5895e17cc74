#include "prehend/jobs/convert.h"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "jobs/job_context.h"
#include "prehend/core/text.h"
#include "prehend/jobs/load.h"
#include "prehend/jobs/save.h"

namespace prehend::jobs {
namespace {

// One end of a cut as a frame, or nothing when it is left open.
Result<std::optional<int>> cut_end(std::string_view text, const Clip& clip,
                                   const std::string& whole) {
  if (text.empty()) return std::optional<int>();
  const bool frames = text.back() == 'f';
  if (frames) text.remove_suffix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0.0) || value > 1e9)
    return Error{fmt::format("--cut: '{}' should be such as 1.5:4 (seconds) or 10f:200f (frames)",
                             printable(whole))};
  return std::optional<int>(
      static_cast<int>(std::lround(frames ? value : value * clip.frame_rate)));
}

Result<Clip> cut_clip(const Clip& clip, const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos)
    return Error{fmt::format("--cut: '{}' should be FROM:TO, such as 1.5:4", printable(text))};
  const auto first = cut_end(std::string_view(text).substr(0, colon), clip, text);
  if (!first) return first.error();
  const auto last = cut_end(std::string_view(text).substr(colon + 1), clip, text);
  if (!last) return last.error();
  const int from = first->value_or(0);
  const int to = std::min(last->value_or(clip.frame_count() - 1), clip.frame_count() - 1);
  if (from > to)
    return Error{fmt::format("--cut: '{}' keeps nothing of {} frames, {:.3f} s", printable(text),
                             clip.frame_count(), clip.duration())};
  return cut(clip, from, to);
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
    auto kept = cut_clip(clip, job.cut);
    if (!kept) return kept.error();
    clip = std::move(*kept);
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
