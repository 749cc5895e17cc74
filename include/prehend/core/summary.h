// How a computation ended. A numerical outcome is not an error.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

namespace prehend {

enum class Termination { kConverged, kLimitReached, kInterrupted, kFailed };
const char* to_string(Termination termination);

struct Summary {
  Termination termination = Termination::kConverged;
  int iterations = 0;
  double residual = 0.0;
  std::string message;
};

// Long work calls `progress` with what is done, 0 to 1, and stops soon after `stop` is requested,
// keeping what it has.
struct Monitor {
  std::function<void(double fraction, const std::string& what)> progress;
  std::stop_token stop;
  // Called by jobs alone: lines of the result, and what a person should know besides, as they come.
  std::function<void(const std::string&text)> result, note;

  void report(double fraction, const std::string& what) const {
    if (progress) progress(fraction, what);
  }
};

}  // namespace prehend
