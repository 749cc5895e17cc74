// What every verb is given: the options that all share, where to print, how to report progress.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "prehend/cli/run.h"
#include "prehend/core/summary.h"
#include "prehend/io/report.h"

namespace prehend::cli {

struct CommonOptions {
  std::uint64_t seed = 1;
  int threads = 0;  // 0: all
  std::vector<std::string> outputs;
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

  const CommonOptions& common() const { return common_; }
  // For long work: draws the bar, carries the stop.
  Monitor monitor();
  bool stopped() const { return streams_.stop.stop_requested(); }

  // The result for people, on standard output; nothing with --json or --quiet.
  void print(const std::string& text);
  // What the user should know besides, on the other stream; nothing with --quiet.
  void note(const std::string& text);

  // verb, version, seed, inputs and seconds are filled in by the command.
  io::Report report;

 private:
  Streams streams_;
  CommonOptions common_;
  std::unique_ptr<Progress> progress_;
};

}  // namespace prehend::cli
