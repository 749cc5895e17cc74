// What the built-in clips are made with: timelines, and the tracker that records what they show.
#pragma once

#include <cmath>

#include "prehend/core/random.h"
#include "prehend/hands/performer.h"
#include "prehend/hands/timeline.h"
#include "prehend/methods/example_control/examples.h"

namespace prehend::example_control {

using hands::interpolate;
using hands::Timeline;

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
