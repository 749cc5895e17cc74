// Beyond the paper, whose captures have sensors that say when a finger touches.
//
// Per frame, the change x of root and joints that minimizes
//   1 touch    sum (w_i (gap_i + J_i x) / kGapScale)^2  of segments that bear a force, and of those
//              that are inside the object
//   2 stay     |x_joint / kJointScale|^2 + |x_shift / kShiftScale|^2 + |x_turn / kTurnScale|^2
// by a few Gauss-Newton steps; then the changes are smoothed over time.
#include "methods/interaction/touch_correction.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include "prehend/core/hand_kinematics.h"

namespace prehend::interaction {
namespace {

constexpr int kIterations = 4;
constexpr double kGapScale = 0.001;    // m
constexpr double kJointScale = 0.3;    // rad: a finger bends before the wrist moves
constexpr double kShiftScale = 0.003;  // m
constexpr double kTurnScale = 0.03;    // rad
constexpr double kLoaded = 0.2;  // N: segments that bear as much are wholly drawn to the object

class Corrector {
 public:
  Corrector(Capture& capture, const geometry::PreparedObject& object,
            std::span<const Transform> poses, const std::vector<std::vector<double>>& loads,
            double distance)
      : capture_(capture),
        object_(object),
        poses_(poses),
        loads_(loads),
        distance_(distance),
        kinematics_(*capture.hand),
        gaps_(*capture.hand),
        limits_(coordinate_limits(*capture.hand)),
        row_(6 + capture.hand->dof()) {}

  // Root's shift and turn along the world's axes, and the joints' change.
  Eigen::VectorXd change(int frame) {
    const Eigen::VectorXd& recorded = capture_.coordinates[frame];
    const Transform& recorded_root = capture_.roots_world[frame];
    const Eigen::Index size = row_.size();
    Eigen::VectorXd x = Eigen::VectorXd::Zero(size), stay(size);
    stay.head<3>().setConstant(1.0 / (kShiftScale * kShiftScale));
    stay.segment<3>(3).setConstant(1.0 / (kTurnScale * kTurnScale));
    stay.tail(size - 6).setConstant(1.0 / (kJointScale * kJointScale));
    for (int k = 0; k < kIterations; ++k) {
      kinematics_.update(moved_root(recorded_root, x), recorded + x.tail(size - 6));
      gaps_.place(kinematics_.frames_world());
      Eigen::MatrixXd normal = stay.asDiagonal();
      Eigen::VectorXd right = -stay.cwiseProduct(x);
      bool any = false;
      for (int c = 0; c < static_cast<int>(gaps_.capsules().size()); ++c)
        any |= add_touch(frame, c, normal, right);
      if (!any) break;
      x += normal.llt().solve(right);
      // No farther beyond a joint's range than the recording is.
      const Eigen::VectorXd low = limits_.lower.cwiseMin(recorded);
      const Eigen::VectorXd high = limits_.upper.cwiseMax(recorded);
      x.tail(size - 6) = (recorded + x.tail(size - 6)).cwiseMax(low).cwiseMin(high) - recorded;
    }
    return x;
  }

 private:
  // The nearest place of one capsule.
  bool add_touch(int frame, int capsule, Eigen::MatrixXd& normal, Eigen::VectorXd& right) {
    const int count =
        gaps_.near_obstacle(capsule, *object_.contact(), poses_[frame], distance_, found_);
    const hands::ObstacleGap* nearest = nullptr;
    for (int i = 0; i < count; ++i)
      if (!nearest || found_[i].gap < nearest->gap) nearest = &found_[i];
    if (!nearest) return false;
    const double load = std::min(1.0, loads_[nearest->segment][frame] / kLoaded);
    const double weight = nearest->gap < 0.0 ? 1.0 : load;
    if (weight <= 0.0) return false;
    row_.setZero();
    hands::add_gap_row(kinematics_, *nearest, 1.0, row_);
    const double scale = weight / (kGapScale * kGapScale);
    normal.noalias() += scale * row_.transpose() * row_;
    right -= scale * nearest->gap * row_.transpose();
    return true;
  }

  Capture& capture_;
  const geometry::PreparedObject& object_;
  std::span<const Transform> poses_;
  const std::vector<std::vector<double>>& loads_;
  double distance_;
  HandKinematics kinematics_;
  hands::HandGaps gaps_;
  CoordinateLimits limits_;
  Eigen::RowVectorXd row_;
  hands::HandGaps::Found found_;
};

}  // namespace

TouchCorrection correct_touches(Capture& capture, const geometry::PreparedObject& object,
                                std::span<const Transform> poses_world,
                                const std::vector<std::vector<double>>& loads, double distance,
                                double smoothing) {
  Corrector corrector(capture, object, poses_world, loads, distance);
  const int frames = capture.frame_count();
  std::vector<Eigen::VectorXd> changes;
  for (int f = 0; f < frames; ++f) changes.push_back(corrector.change(f));
  TouchCorrection made;
  const int reach = static_cast<int>(std::lround(smoothing * capture.frame_rate));
  for (int f = 0; f < frames; ++f) {
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(changes[f].size());
    double weight = 0.0;
    for (int g = std::max(0, f - reach); g <= std::min(frames - 1, f + reach); ++g) {
      const double share = 1.0 + reach - std::abs(g - f);
      sum += share * changes[g];
      weight += share;
    }
    sum /= weight;
    made.largest_m = std::max(made.largest_m, sum.head<3>().norm());
    made.largest_rad = std::max(made.largest_rad, sum.tail(sum.size() - 6).cwiseAbs().maxCoeff());
    capture.coordinates[f] += sum.tail(sum.size() - 6);
    capture.roots_world[f] = moved_root(capture.roots_world[f], sum);
  }
  return made;
}

}  // namespace prehend::interaction
