// What a job has at hand while it runs: its settings, the report that it fills, and those who
// listen.
#pragma once

#include <chrono>
#include <string>

#include "prehend/jobs/job.h"

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

  // The report with the time that the job took. A stop counts as an interruption only where it kept
  // the job from finishing.
  JobReport finish(Outcome outcome);

  io::Report report;

 private:
  const Settings& settings_;
  const Monitor& monitor_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace prehend::jobs
