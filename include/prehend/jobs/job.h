// What every job is given and gives back. A job is what a person asks for with one command: load,
// run a method, audit, save, report. The command, an example, a server or a binding fills in a
// struct and calls `run`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "prehend/core/summary.h"
#include "prehend/io/report.h"

namespace prehend::jobs {

enum class Outcome {
  kDone,
  kMissed,       // it ran, but the result misses its goal or fails its audit
  kInterrupted,  // it was stopped; what was done is in the report
};

struct Settings {
  std::uint64_t seed = 1;
  int threads = 0;  // of pictures; 0: all
  // Files to write; the ending picks the form.
  std::vector<std::string> outputs;
};

// The part that all reports share; each job adds what it found.
struct JobReport {
  io::Report report;
  Outcome outcome = Outcome::kDone;
};

}  // namespace prehend::jobs
