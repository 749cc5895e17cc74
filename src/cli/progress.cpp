#include "cli/progress.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace prehend::cli {
namespace {

constexpr double kBarSeconds = 0.1;    // between redraws
constexpr double kLineSeconds = 10.0;  // between plain lines
constexpr int kBarWidth = 28;

double seconds_between(std::chrono::steady_clock::time_point a,
                       std::chrono::steady_clock::time_point b) {
  return std::chrono::duration<double>(b - a).count();
}

}  // namespace

std::string duration_text(double seconds) {
  const long s = std::lround(std::max(0.0, seconds));
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
  return fmt::format("{} h {} min", s / 3600, s / 60 % 60);
}

void Progress::report(double fraction, const std::string& what) {
  const std::scoped_lock lock(mutex_);
  const auto now = Clock::now();
  // A fraction that falls belongs to the next piece of work.
  if (!started_ || fraction < last_fraction_) {
    start_ = last_ = now;
    started_ = true;
  }
  last_fraction_ = fraction;
  const bool done = fraction >= 1.0;
  if (seconds_between(last_, now) < (terminal_ ? kBarSeconds : kLineSeconds) && !(done && drawn_))
    return;
  last_ = now;
  const double spent = seconds_between(start_, now);
  const std::string left = fraction > 0.0 && fraction < 1.0
                               ? ", " + duration_text(spent * (1.0 - fraction) / fraction) + " left"
                               : "";
  if (terminal_) {
    draw_bar(fraction, what, left);
  } else {
    err_ << fmt::format("{:3.0f} % {}{}\n", 100.0 * fraction, what, left);
    err_.flush();
  }
}

void Progress::draw_bar(double fraction, const std::string& what, const std::string& left) {
  const int full = static_cast<int>(std::clamp(fraction, 0.0, 1.0) * kBarWidth);
  std::string bar(static_cast<std::size_t>(full), '#');
  bar.resize(kBarWidth, '.');
  err_ << fmt::format("\r\x1b[2K[{}] {:3.0f} % {}{}", bar, 100.0 * fraction, what, left);
  err_.flush();
  drawn_ = true;
}

void Progress::clear() {
  const std::scoped_lock lock(mutex_);
  if (!drawn_) return;
  err_ << "\r\x1b[2K";
  err_.flush();
  drawn_ = false;
}

}  // namespace prehend::cli
