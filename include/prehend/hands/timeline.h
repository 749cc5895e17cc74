// Values over time, from key to key with the profile of human movement or at an even pace.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "prehend/core/hand_pose.h"

namespace prehend::hands {

inline Eigen::VectorXd interpolate(const Eigen::VectorXd& a, const Eigen::VectorXd& b,
                                   double fraction) {
  return a + fraction * (b - a);
}
inline double interpolate(double a, double b, double fraction) { return a + fraction * (b - a); }

// How a value goes from one key to the next.
enum class Pace { kLeastJerk, kEven };

// Values at times. Before the first and after the last the value stands still.
template <class T>
class Timeline {
 public:
  Timeline(double time, T value, Pace pace = Pace::kLeastJerk) : pace_(pace) {
    add(time, std::move(value));
  }
  // Times must rise.
  void add(double time, T value) { keys_.emplace_back(time, std::move(value)); }
  // The value stays what it is until `time`.
  void stay(double time) { keys_.emplace_back(time, keys_.back().second); }

  double end() const { return keys_.back().first; }
  const T& last() const { return keys_.back().second; }
  // The value of a key, from 0 on.
  const T& key(std::size_t number) const { return keys_[number].second; }
  T at(double time) const {
    std::size_t next = 1;
    while (next < keys_.size() && keys_[next].first <= time) ++next;
    if (next >= keys_.size()) return keys_.back().second;
    const auto& [from, before] = keys_[next - 1];
    const auto& [to, after] = keys_[next];
    const double fraction = pace_ == Pace::kEven ? std::clamp((time - from) / (to - from), 0.0, 1.0)
                                                 : minimum_jerk(time, from, to);
    return interpolate(before, after, fraction);
  }

 private:
  std::vector<std::pair<double, T>> keys_;
  Pace pace_;
};

// How much of something is done that lasts from one time to another: from 0 to 1.
inline Timeline<double> stretch(double from, double to, Pace pace = Pace::kLeastJerk) {
  Timeline<double> done(from, 0.0, pace);
  done.add(to, 1.0);
  return done;
}

}  // namespace prehend::hands
