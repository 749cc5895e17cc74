// A smooth motion of a frame: pose, velocity and acceleration at any time, continuous.
#pragma once

#include <span>
#include <vector>

#include "prehend/core/math.h"

namespace prehend {

// Quintic pieces of position and of the quaternion's four components, which are then made unit.
class RigidCurve {
 public:
  RigidCurve() = default;  // the identity, for ever
  static RigidCurve still(const Transform& pose);
  // Through poses given now and then; never beyond its neighbors, at rest at both ends and where
  // two neighbors are alike. Times ascend.
  static RigidCurve through_keyframes(std::span<const double> times,
                                      std::span<const Transform> poses);
  // Along a recording, frame i at i / frame_rate; noise is smoothed away over `smoothing` seconds
  // to either side.
  static RigidCurve through_samples(std::span<const Transform> poses, double frame_rate,
                                    double smoothing = 0.05);

  struct Motion {
    Transform pose;
    Vec3 velocity = Vec3::Zero();              // of the frame's origin, world
    Vec3 acceleration = Vec3::Zero();          // of the same
    Vec3 angular_velocity = Vec3::Zero();      // world
    Vec3 angular_acceleration = Vec3::Zero();  // world
  };
  // With these motions at these times, which ascend.
  static RigidCurve through_motions(std::span<const double> times, std::span<const Motion> motions);

  double end_time() const { return times_.empty() ? 0.0 : times_.back(); }

  // Before the first time and after the last it stands still.
  Motion at(double time) const;

 private:
  using Vec7 = Eigen::Matrix<double, 7, 1>;
  struct Knot {
    Vec7 value, slope, bend;
  };
  std::vector<double> times_;
  std::vector<Knot> knots_;
};

}  // namespace prehend
