// Values over time, from key to key with the profile of human movement.
#pragma once

#include <utility>
#include <vector>

#include "prehend/core/hand_pose.h"

namespace prehend::hands {

inline Eigen::VectorXd interpolate(const Eigen::VectorXd& a, const Eigen::VectorXd& b,
                                   double fraction) {
  return a + fraction * (b - a);
}
inline double interpolate(double a, double b, double fraction) { return a + fraction * (b - a); }

// Values at times; between two of them the value goes with least jerk. Before the first and after
// the last it stands still.
template <class T>
class Timeline {
 public:
  Timeline(double time, T value) { add(time, std::move(value)); }
  // Times must rise.
  void add(double time, T value) { keys_.emplace_back(time, std::move(value)); }
  // The value stays what it is until `time`.
  void stay(double time) { keys_.emplace_back(time, keys_.back().second); }

  double end() const { return keys_.back().first; }
  const T& last() const { return keys_.back().second; }
  T at(double time) const {
    std::size_t next = 1;
    while (next < keys_.size() && keys_[next].first <= time) ++next;
    if (next >= keys_.size()) return keys_.back().second;
    const auto& [from, before] = keys_[next - 1];
    const auto& [to, after] = keys_[next];
    return interpolate(before, after, minimum_jerk(time, from, to));
  }

 private:
  std::vector<std::pair<double, T>> keys_;
};

}  // namespace prehend::hands
