// What every verb is given: the options that all share, where to print, how to report progress.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "prehend/cli/run.h"
#include "prehend/core/result.h"
#include "prehend/jobs/job.h"

namespace prehend::cli {

struct CommonOptions {
  jobs::Settings settings;
  std::string report;
  bool json = false;
  bool quiet = false;
};

class Progress;

class Session {
 public:
  Session(const Streams& streams, CommonOptions common);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Runs a job with the settings that all verbs share; what it says is printed as it comes.
  template <typename Job>
  Result<int> carry_out(Job& job) {
    job.settings = common_.settings;
    auto done = run(job, monitor());  // of jobs, found by its argument
    if (!done) return done.error();
    report = std::move(done->report);
    return exit_code(done->outcome);
  }

  io::Report report;

 private:
  // Draws the bar, prints, carries the stop.
  Monitor monitor();
  static int exit_code(jobs::Outcome outcome);
  // The result for people, on standard output; nothing with --json or --quiet.
  void print(const std::string& text);
  // What the user should know besides, on the other stream; nothing with --quiet.
  void note(const std::string& text);

  Streams streams_;
  CommonOptions common_;
  std::unique_ptr<Progress> progress_;
};

}  // namespace prehend::cli
