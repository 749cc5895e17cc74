// What a job has at hand while it runs: its settings, the report that it fills, and those who
// listen.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "prehend/jobs/job.h"
#include "prehend/jobs/picture_request.h"
#include "prehend/jobs/save.h"

namespace prehend::jobs {

class JobContext {
 public:
  JobContext(const char* verb, const Settings& settings, const Monitor& monitor);

  const Settings& settings() const { return settings_; }
  const Monitor& monitor() const { return monitor_; }
  bool stopped() const { return monitor_.stop.stop_requested(); }

  // The result for people.
  void print(const std::string& text) const;
  // What they should know besides, as soon as it is known.
  void note(const std::string& text) const;

  // A picture of this size unless another was asked for, on the job's threads. It is given up when
  // the job is stopped.
  picture::PictureOptions picture(const PictureRequest& request, int width, int height) const;

  // These write a file and note its name. A stop that comes before the work for a file is done
  // leaves what was there before as it is, and the report says that the job was interrupted.
  Status write_text(const std::string& path, std::string_view text);
  Status write_image(const std::string& path, const picture::Image& image);
  Status write_clip(const std::string& path, const Clip& clip, const SaveOptions& options = {});
  // What was written until now.
  const std::vector<std::string>& files() const { return files_; }
  void wrote(const std::string& path) { files_.push_back(path); }
  // Tells which files were written, in words and in the report.
  void report_files();

  // Says in the report that a stop kept the job from finishing.
  void interrupted(const std::string& message);
  bool was_interrupted() const;

  // The report with the time that the job took. A stop counts as an interruption only where it kept
  // the job from finishing.
  JobReport finish(Outcome outcome);

  io::Report report;

 private:
  const Settings& settings_;
  const Monitor& monitor_;
  std::chrono::steady_clock::time_point start_;
  std::vector<std::string> files_;
};

}  // namespace prehend::jobs
