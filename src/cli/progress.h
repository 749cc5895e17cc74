// A bar with the time left on a terminal, now and then a plain line elsewhere.
#pragma once

#include <chrono>
#include <mutex>
#include <ostream>
#include <string>

namespace prehend::cli {

class Progress {
 public:
  Progress(std::ostream& err, bool terminal) : err_(err), terminal_(terminal) {}

  // From any thread.
  void report(double fraction, const std::string& what);
  // Takes the bar away, so that a line can be printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  void draw_bar(double fraction, const std::string& what, const std::string& left);

  std::mutex mutex_;
  std::ostream& err_;
  bool terminal_;
  bool drawn_ = false;
  bool started_ = false;
  Clock::time_point start_, last_;
  double last_fraction_ = 0.0;
};

// "7 s", "3 min 20 s", "2 h 5 min".
std::string duration_text(double seconds);

}  // namespace prehend::cli
