#include "jobs/job_context.h"

#include <fmt/format.h>

#include "prehend/core/atomic_file.h"
#include "prehend/core/text.h"
#include "prehend/core/version.h"

namespace prehend::jobs {

JobContext::JobContext(const char* verb, const Settings& settings, const Monitor& monitor)
    : settings_(settings), monitor_(monitor), start_(std::chrono::steady_clock::now()) {
  report.verb = verb;
  report.version = version();
  report.seed = settings.seed;
}

void JobContext::print(const std::string& text) const {
  if (monitor_.result) monitor_.result(text);
}

void JobContext::note(const std::string& text) const {
  if (monitor_.note) monitor_.note(text);
}

picture::PictureOptions JobContext::picture(const PictureRequest& request, int width,
                                            int height) const {
  picture::PictureOptions options = request.options(width, height, settings_.threads);
  options.stop = monitor_.stop;
  return options;
}

Status JobContext::write_text(const std::string& path, std::string_view text) {
  if (const Status written = write_file(path, text); !written) return written;
  files_.push_back(path);
  return {};
}

Status JobContext::write_image(const std::string& path, const picture::Image& image) {
  if (image.empty()) {
    interrupted(fmt::format("stopped before {} was drawn", printable(path, 200)));
    return {};
  }
  if (const Status written = picture::write_png(image, path); !written) return written;
  files_.push_back(path);
  return {};
}

Status JobContext::write_clip(const std::string& path, const Clip& clip,
                              const SaveOptions& options) {
  if (clip.frame_count() == 0 && stopped()) {
    interrupted(fmt::format("stopped before {} had a frame", printable(path, 200)));
    return {};
  }
  const auto saved = save_clip(clip, path, options, monitor_);
  if (!saved) return saved.error();
  if (saved->summary.termination == Termination::kInterrupted) interrupted(saved->summary.message);
  files_.insert(files_.end(), saved->files.begin(), saved->files.end());
  return {};
}

void JobContext::report_files() {
  for (const std::string& file : files_) print("wrote " + file);
  report.details["outputs"] = files_;
}

void JobContext::interrupted(const std::string& message) {
  report.summary.termination = Termination::kInterrupted;
  report.summary.message = message;
}

bool JobContext::was_interrupted() const {
  return report.summary.termination == Termination::kInterrupted;
}

JobReport JobContext::finish(Outcome outcome) {
  using Seconds = std::chrono::duration<double>;
  report.seconds = Seconds(std::chrono::steady_clock::now() - start_).count();
  if (was_interrupted()) outcome = Outcome::kInterrupted;
  return {std::move(report), outcome};
}

}  // namespace prehend::jobs
