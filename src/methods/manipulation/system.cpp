// Beyond the paper: see the header.
#include "methods/manipulation/system.h"

#include <algorithm>

namespace prehend::manipulation {
namespace {

// Corners looked at when things touch; more say nothing new about a thing that a hand holds.
constexpr size_t kMaxCorners = 3000;

std::vector<Vec3> corners_of(const Object& object) {
  const auto& vertices = object.shape.mesh->vertices;
  const size_t stride = std::max<size_t>(1, (vertices.size() + kMaxCorners - 1) / kMaxCorners);
  std::vector<Vec3> corners;
  for (size_t i = 0; i < vertices.size(); i += stride) corners.push_back(vertices[i]);
  return corners;
}

std::unique_ptr<physics::State> make_state(const Problem& problem, double timestep) {
  std::vector<physics::HandSetup> setups;
  for (const Arm& arm : problem.arms) {
    physics::HandSetup setup;
    setup.hand = arm.hand;
    setup.root = physics::RootMotion::kFixed;
    setup.passive_joints = setup.joint_limits = setup.self_collision = setup.collides = false;
    setups.push_back(setup);
  }
  physics::WorldOptions options;
  options.timestep = timestep;
  auto world = physics::World::build(setups, {}, options);
  PREHEND_ASSERT(world.ok());
  return std::make_unique<physics::State>(*world);
}

}  // namespace

System::System(const Problem& problem, const Options& options) : problem_(problem) {
  for (const Arm& arm : problem.arms) {
    layout_.arm_first.push_back(layout_.joints);
    layout_.arm_count.push_back(arm.hand->dof());
    layout_.joints += arm.hand->dof();
    kinematics_.emplace_back(*arm.hand);
    gaps_.emplace_back(*arm.hand);
  }
  layout_.poses = layout_.joints;
  for (const Thing& thing : problem.things) {
    const bool fixed = thing.object->object().fixed;
    layout_.thing_first.push_back(fixed ? -1 : layout_.poses);
    if (!fixed) layout_.poses += 6;
    corners_.push_back(corners_of(thing.object->object()));
    double radius = 0.0;
    for (const Vec3& corner : corners_.back())
      radius = std::max(radius, (corner - thing.object->object().center_of_mass).norm());
    radii_.push_back(radius);
  }
  poses_.resize(problem.things.size());
  centers_.resize(problem.things.size());
  turn_jacobians_.assign(problem.things.size(), Mat3::Identity());
  limits_.lower.resize(layout_.joints);
  limits_.upper.resize(layout_.joints);
  max_torques_.setZero(layout_.joints);
  for (int a = 0; a < arms(); ++a) {
    const Hand& hand = *problem.arms[a].hand;
    const CoordinateLimits own = coordinate_limits(hand);
    limits_.lower.segment(layout_.arm_first[a], layout_.arm_count[a]) = own.lower;
    limits_.upper.segment(layout_.arm_first[a], layout_.arm_count[a]) = own.upper;
    int c = layout_.arm_first[a];
    for (const Segment& segment : hand.segments)
      for (const Joint& joint : segment.joints)
        for (int i = 0; i < joint.dof(); ++i) max_torques_[c++] = joint.max_torque;
  }
  state_ = make_state(problem, options.timestep);
}

Moment System::start() const {
  Moment moment;
  for (const Arm& arm : problem_.arms) moment.coordinates.push_back(arm.start);
  for (int t = 0; t < things(); ++t) {
    moment.centers.push_back(problem_.things[t].pose_world * object(t).center_of_mass);
    moment.rotations.push_back(problem_.things[t].pose_world.rotation);
  }
  return moment;
}

Transform System::pose(const Moment& moment, int thing) const {
  const Quat& rotation = moment.rotations[thing];
  return {rotation, moment.centers[thing] - rotation * object(thing).center_of_mass};
}

void System::displaced(const Moment& from, const Eigen::VectorXd& variables, Moment& to) const {
  to = from;
  for (int a = 0; a < arms(); ++a)
    to.coordinates[a] += variables.segment(layout_.arm_first[a], layout_.arm_count[a]);
  for (int t = 0; t < things(); ++t) {
    if (fixed(t)) continue;
    const int first = layout_.thing_first[t];
    to.centers[t] += variables.segment<3>(first);
    const Vec3 turn = variables.segment<3>(first + 3);
    to.rotations[t] = (exp_map(turn) * from.rotations[t]).normalized();
  }
}

void System::place(const Moment& moment) {
  for (int a = 0; a < arms(); ++a) {
    kinematics_[a].update(problem_.arms[a].shoulder_world, moment.coordinates[a]);
    gaps_[a].place(kinematics_[a].frames_world());
  }
  for (int t = 0; t < things(); ++t) {
    poses_[t] = pose(moment, t);
    centers_[t] = moment.centers[t];
  }
}

void System::set_turns(const Eigen::VectorXd& variables) {
  for (int t = 0; t < things(); ++t) {
    if (fixed(t)) continue;
    const Vec3 turn = variables.segment<3>(layout_.thing_first[t] + 3);
    turn_jacobians_[t] = exp_map_jacobian(turn).transpose();
  }
}

void System::add_row(int arm, int segment, const Vec3& point_world, const Vec3& direction,
                     Eigen::Ref<Eigen::RowVectorXd> row) const {
  const HandKinematics& kinematics = kinematics_[arm];
  const Hand& hand = kinematics.hand();
  const auto& frames = kinematics.frames_world();
  const int first = layout_.arm_first[arm];
  for (int s = segment; s > 0; s = hand.segments[s].parent) {
    const Vec3 moment = (point_world - frames[s].position).cross(direction);
    for (int c = kinematics.offsets()[s]; c < kinematics.offsets()[s + 1]; ++c)
      row[first + c] += kinematics.axis_world(c).dot(moment);
  }
}

void System::add_thing_row(int thing, const Vec3& point_world, const Vec3& direction,
                           Eigen::Ref<Eigen::RowVectorXd> row) const {
  if (fixed(thing)) return;
  const int first = layout_.thing_first[thing];
  const Vec3 moment = (point_world - centers_[thing]).cross(direction);
  row.segment<3>(first) += direction.transpose();
  row.segment<3>(first + 3) += moment.transpose() * turn_jacobians_[thing];
}

void System::add_turn_row(int thing, const Vec3& moment, Eigen::Ref<Eigen::RowVectorXd> row) const {
  if (fixed(thing)) return;
  row.segment<3>(layout_.thing_first[thing] + 3) += moment.transpose() * turn_jacobians_[thing];
}

void System::dynamics(const Moment& moment, const Eigen::VectorXd& velocity, Eigen::MatrixXd& mass,
                      Eigen::VectorXd& bias) {
  for (int a = 0; a < arms(); ++a)
    state_->set_hand(a, problem_.arms[a].shoulder_world, moment.coordinates[a]);
  state_->set_velocity(velocity);
  physics::mass_matrix(*state_, mass);
  physics::bias_forces(*state_, bias);
}

}  // namespace prehend::manipulation
