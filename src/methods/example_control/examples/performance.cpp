// Beyond the paper, whose examples are captured: see the header.
#include "methods/example_control/examples/performance.h"

#include "prehend/core/hand_builder.h"

namespace prehend::example_control {

namespace {

HandPtr ball_hand(const std::string& name) {
  HandOptions options;
  options.profile = HandProfile::kBall;
  options.name = name;
  return std::make_shared<const Hand>(build_hand(options).value());
}

}  // namespace

Tracker::Tracker(const hands::Performer& performer, const PerformanceOptions& options,
                 const std::string& name, std::uint64_t stream)
    : performer_(performer),
      hand_(ball_hand(name)),
      noise_(options.noise),
      random_(options.seed, stream) {}

HandPose Tracker::see(const Transform& wrist_world, const Eigen::VectorXd& coordinates) {
  const Hand& performer = *performer_.hand();
  HandPose pose =
      retarget(performer, pose_from_coordinates(performer, wrist_world, coordinates), *hand_);
  for (int s = 0; s < hand_->segment_count(); ++s) {
    if (hand_->segments[s].joints.empty()) continue;
    const double x = random_.normal(), y = random_.normal(), z = random_.normal();
    pose.rotations[s] = pose.rotations[s] * exp_map(noise_ * Vec3(x, y, z));
  }
  return pose;
}

}  // namespace prehend::example_control
