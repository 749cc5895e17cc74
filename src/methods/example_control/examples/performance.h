// What the built-in clips are made of: a way from key to key, and the tracker that records it.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "prehend/core/random.h"
#include "prehend/hands/performer.h"
#include "prehend/methods/example_control/examples.h"

namespace prehend::example_control {

inline Eigen::VectorXd interpolate(const Eigen::VectorXd& a, const Eigen::VectorXd& b,
                                   double fraction) {
  return a + fraction * (b - a);
}

// Values at times; from each to the next with the profile of human movement, least jerk. Before
// the first and after the last it stands still.
template <class T>
class Keys {
 public:
  Keys(double time, T value) { add(time, std::move(value)); }
  void add(double time, T value) { keys_.emplace_back(time, std::move(value)); }
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

// The performer's hand as a tracker of balls sees it, with its noise.
class Tracker {
 public:
  // Different streams shake differently.
  Tracker(const hands::Performer& performer, const PerformanceOptions& options,
          const std::string& name, std::uint64_t stream = 0);

  const HandPtr& hand() const { return hand_; }
  HandPose see(const Transform& wrist_world, const Eigen::VectorXd& coordinates);

 private:
  const hands::Performer& performer_;
  HandPtr hand_;
  double noise_;
  Random random_;
};

inline int frame_count(double seconds, double frame_rate) {
  return 1 + static_cast<int>(std::lround(seconds * frame_rate));
}

}  // namespace prehend::example_control
