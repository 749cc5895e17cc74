// The arms and things of a problem, where they are, and how points of them move. Beyond the paper:
// bookkeeping that its equations take for granted.
#pragma once

#include <memory>
#include <vector>

#include "prehend/core/hand_kinematics.h"
#include "prehend/hands/hand_gaps.h"
#include "prehend/methods/manipulation/task.h"
#include "prehend/physics/dynamics.h"

namespace prehend::manipulation {

// A moment. Things that never move are in it too, so that indices agree.
struct Moment {
  std::vector<Eigen::VectorXd> coordinates;  // an arm each
  std::vector<Vec3> centers;                 // centers of mass, world; a thing each
  std::vector<Quat> rotations;
};

// Where things are among the variables of a step: joints of all arms, six of each free thing (shift
// of the center of mass and rotation vector, both in the world), then forces.
struct Layout {
  std::vector<int> arm_first, arm_count;
  std::vector<int> thing_first;  // -1 for the surroundings
  int joints = 0;                // of all arms
  int poses = 0;                 // of arms and things
};

using Jacobian = Eigen::Matrix<double, 3, Eigen::Dynamic>;

// One moment's kinematics. `place` moves it; nothing else is kept between moments.
class System {
 public:
  System(const Problem& problem, const Options& options);

  const Problem& problem() const { return problem_; }
  const Layout& layout() const { return layout_; }
  int arms() const { return static_cast<int>(problem_.arms.size()); }
  int things() const { return static_cast<int>(problem_.things.size()); }
  bool fixed(int thing) const { return layout_.thing_first[thing] < 0; }
  const Object& object(int thing) const { return problem_.things[thing].object->object(); }
  double weight(int thing) const { return object(thing).mass * kStandardGravity; }
  const geometry::SignedDistance& distance(int thing) const {
    return *problem_.things[thing].object->contact();
  }
  // Corners by which a thing meets other things, in its frame.
  const std::vector<Vec3>& corners(int thing) const { return corners_[thing]; }
  double radius(int thing) const { return radii_[thing]; }

  Moment start() const;
  Transform pose(const Moment& moment, int thing) const;
  // The moment after `from` by the displacements of a step.
  void displaced(const Moment& from, const Eigen::VectorXd& variables, Moment& to) const;

  void place(const Moment& moment);
  const HandKinematics& kinematics(int arm) const { return kinematics_[arm]; }
  const hands::HandGaps& gaps(int arm) const { return gaps_[arm]; }
  const Transform& thing_pose(int thing) const { return poses_[thing]; }
  const Vec3& thing_center(int thing) const { return centers_[thing]; }

  // d point / d variables of a point that moves with a segment or a thing, times a direction, added
  // to a row. A thing's rotation variable is a rotation vector, whose present value bends the
  // derivative: `left_jacobians` of the step's variables (empty: all zero).
  void add_row(int arm, int segment, const Vec3& point_world, const Vec3& direction,
               Eigen::Ref<Eigen::RowVectorXd> row) const;
  void add_thing_row(int thing, const Vec3& point_world, const Vec3& direction,
                     Eigen::Ref<Eigen::RowVectorXd> row) const;
  // The derivative of something that a turn w of the thing changes by moment . w.
  void add_turn_row(int thing, const Vec3& moment, Eigen::Ref<Eigen::RowVectorXd> row) const;
  void set_turns(const Eigen::VectorXd& variables);

  // Mass matrix and gravity, Coriolis and centrifugal torques of all arms (eq. 3).
  void dynamics(const Moment& moment, const Eigen::VectorXd& velocity, Eigen::MatrixXd& mass,
                Eigen::VectorXd& bias);
  const CoordinateLimits& limits() const { return limits_; }
  const Eigen::VectorXd& max_torques() const { return max_torques_; }

 private:
  const Problem& problem_;
  Layout layout_;
  std::vector<HandKinematics> kinematics_;
  std::vector<hands::HandGaps> gaps_;
  std::vector<std::vector<Vec3>> corners_;
  std::vector<double> radii_;
  std::vector<Transform> poses_;
  std::vector<Vec3> centers_;
  std::vector<Mat3> turn_jacobians_;
  CoordinateLimits limits_;  // of all arms
  Eigen::VectorXd max_torques_;
  std::unique_ptr<physics::State> state_;
};

}  // namespace prehend::manipulation
