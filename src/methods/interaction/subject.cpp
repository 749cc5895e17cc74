// Beyond the paper: its subject, simulated. Joints are springs of known compliance with damping,
// segments have mass, contacts and their friction are the engine's.
#include "prehend/methods/interaction/subject.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "methods/interaction/subject_intent.h"
#include "prehend/core/random.h"
#include "prehend/physics/recorder.h"
#include "prehend/physics/state.h"

namespace prehend::interaction {
namespace {

constexpr double kTimestep = 0.0005;  // s
// s: damping over stiffness of every joint. The paper's table 2 has b / k of 23 ms exploring and
// 15 ms scratching.
constexpr double kDampingTime = 0.02;
constexpr double kRigid = 60.0;  // N m/rad, of joints without compliance
// s: damping over stiffness of the arm that carries the wrist; about critical for a hand of 0.4 kg.
constexpr double kArmDampingTime = 0.008;
constexpr double kJudged = 0.2;  // s at the end
constexpr double kFrameRate = 60.0;

class Session {
 public:
  Session(const SubjectOptions& options, Intent intent)
      : options_(options), intent_(std::move(intent)), random_(options.seed, 13) {}

  Status prepare() {
    run_.compliance = typical_compliance(*intent_.hand, options_.compliance);
    if (options_.braced) run_.compliance.root.setZero();
    physics::HandSetup hand;
    hand.hand = intent_.hand;
    hand.root = options_.braced ? physics::RootMotion::kDriven : physics::RootMotion::kFree;
    hand.strength = physics::RootStrength::unlimited();
    hand.servo_time = kDampingTime;
    hand.passive_joints = false;
    hand.self_collision = false;
    const Eigen::VectorXd& joints = run_.compliance.joints;
    for (Eigen::Index c = 0; c < joints.size(); ++c)
      hand.servo_stiffness_of_joints.push_back(joints[c] > 0.0 ? 1.0 / joints[c] : kRigid);
    std::vector<physics::ObjectSetup> objects;
    for (const TrajectoryObject& object : intent_.objects)
      objects.push_back({object.object, nullptr, object.object->fixed});
    physics::WorldOptions world;
    // The subject's own weight is carried by its posture: only objects weigh.
    world.gravity.setZero();
    world.timestep = kTimestep;
    world.contact_time = 0.002;
    auto built = physics::World::build({&hand, 1}, objects, world);
    if (!built) return built.error();
    state_.emplace(*built);
    const IntendedPose start = intent_.at(0.0);
    state_->set_hand(0, start.wrist_world, start.joints);
    for (std::size_t o = 0; o < intent_.objects.size(); ++o) {
      const Object& object = *intent_.objects[o].object;
      state_->set_object_pose(static_cast<int>(o), intent_.objects[o].pose_world);
      if (!object.fixed && static_cast<int>(o) != intent_.platform)
        state_->set_object_wrench(static_cast<int>(o),
                                  {object.mass * gravity_world(), Vec3::Zero()});
    }
    applied_.setZero((*built)->dof());
    Capture& capture = run_.capture;
    capture.name = to_string(options_.task);
    capture.hand = intent_.hand;
    capture.frame_rate = options_.rate;
    capture.objects = intent_.objects;
    channel_of_.assign(intent_.hand->segment_count(), -1);
    return {};
  }

  Result<SubjectRun> run(const Monitor& monitor) {
    physics::Recorder recorder(*state_, kFrameRate);
    const int substeps = static_cast<int>(std::lround(1.0 / (options_.rate * kTimestep)));
    const int samples = static_cast<int>(intent_.duration() * options_.rate);
    for (int s = 0; s < samples && !monitor.stop.stop_requested(); ++s) {
      record_pose();
      sums_.assign(intent_.hand->segment_count(), {});
      for (int k = 0; k < substeps; ++k) {
        drive();
        recorder.before_step(*state_);
        state_->step();
        recorder.after_step(*state_);
        add_forces(s);
      }
      record_forces(s, substeps);
      if (s % 50 == 0) monitor.report(double(s) / samples, "subject simulated");
    }
    if (!state_->healthy()) return Error{"the simulation of the virtual subject came apart"};
    run_.clip = recorder.finish(to_string(options_.task));
    if (judged_ > 0) run_.grip_force /= judged_;
    if (intent_.held >= 0)
      run_.held = state_->object_pose(intent_.held).position.y() -
                      intent_.objects[intent_.held].pose_world.position.y() >
                  0.5 * (intent_.path.last().wrist_world.position.y() -
                         intent_.path.key(2).wrist_world.position.y());
    return std::move(run_);
  }

 private:
  // The arm is a spring to where the wrist is meant to be; the joints' springs are the engine's.
  void drive() {
    const double time = state_->time();
    if (intent_.platform >= 0) move_platform(time);
    const IntendedPose now = intent_.at(time), next = intent_.at(time + kTimestep);
    state_->set_servo_target(0, now.joints);
    if (options_.braced) {
      state_->set_root_target(0, now.wrist_world);
      return;
    }
    state_->velocity(velocity_);
    state_->hand_pose(0, pose_);
    const Transform& root = pose_.root_world;
    const auto& c = run_.compliance.root;
    const Vec3 linear =
        (now.wrist_world.position - root.position) +
        kArmDampingTime * ((next.wrist_world.position - now.wrist_world.position) / kTimestep -
                           velocity_.head<3>());
    const Quat back = root.rotation.conjugate();
    const Vec3 spin =
        angular_velocity_world(now.wrist_world.rotation, next.wrist_world.rotation, kTimestep);
    const Vec3 angular = back * log_map(now.wrist_world.rotation * back) +
                         kDampingTime * (back * spin - velocity_.segment<3>(3));
    applied_.head<3>() = root.turn((back * linear).cwiseQuotient(c.head<3>()));
    applied_.segment<3>(3) = angular.cwiseQuotient(c.tail<3>());
    state_->set_applied(applied_);
  }

  // Its pose and velocity are given at every step, whatever pushes on it.
  void move_platform(double time) {
    Transform pose = intent_.objects[intent_.platform].pose_world;
    const double height = intent_.platform_height(time);
    const double speed = (intent_.platform_height(time + kTimestep) - height) / kTimestep;
    pose.position.y() += height;
    state_->set_object_pose(intent_.platform, pose);
    state_->set_object_twist(intent_.platform, {Vec3(0.0, speed, 0.0), Vec3::Zero()});
  }

  void record_pose() {
    Capture& capture = run_.capture;
    state_->hand_pose(0, pose_);
    state_->joint_coordinates(0, joints_);
    Transform root = pose_.root_world;
    for (double& angle : joints_) angle += options_.angle_noise * random_.normal();
    for (double& x : root.position) x += options_.position_noise * random_.normal();
    if (options_.angle_noise > 0.0) {
      // Markers on the back of the hand are 60 mm apart, twice a phalanx.
      const Vec3 turn(random_.normal(), random_.normal(), random_.normal());
      root.rotation = (exp_map(0.5 * options_.angle_noise * turn) * root.rotation).normalized();
    }
    capture.roots_world.push_back(root);
    capture.coordinates.push_back(joints_);
  }

  struct Sum {
    Vec3 force = Vec3::Zero(), point = Vec3::Zero();
    double weight = 0.0;
  };

  void add_forces(int sample) {
    state_->contacts(contacts_);
    frames_.resize(intent_.hand->segment_count());
    segment_frames(*intent_.hand, pose_, frames_);
    const bool judged = sample >= static_cast<int>((intent_.duration() - kJudged) * options_.rate);
    for (const Contact& contact : contacts_) {
      if (!contact.by.is_hand(0) || !contact.on.is_object()) continue;
      const int segment = contact.by.segment;
      Sum& sum = sums_[segment];
      const double weight = contact.force_world.norm();
      sum.force -= contact.force_world;
      sum.point += weight * (frames_[segment].inverse() *
                             (state_->object_pose(contact.on.index) * contact.point_on));
      sum.weight += weight;
      if (judged && contact.on.is_object(intent_.held))
        run_.grip_force -= contact.normal_world.dot(contact.force_world);
    }
    judged_ += judged;
  }

  void record_forces(int sample, int substeps) {
    Capture& capture = run_.capture;
    for (int s = 0; s < intent_.hand->segment_count(); ++s) {
      if (sums_[s].weight > 0.0 && channel_of_[s] < 0) {
        channel_of_[s] = static_cast<int>(capture.channels.size());
        ForceChannel& made = capture.channels.emplace_back();
        made.segment = s;
        made.rate = options_.rate;
        // A sample is the mean over its interval and belongs to its middle.
        made.start = 0.5 / options_.rate;
        made.points_segment.assign(sample, Vec3::Zero());
        made.forces_world.assign(sample, Vec3::Zero());
      }
      if (channel_of_[s] < 0) continue;
      ForceChannel& channel = capture.channels[channel_of_[s]];
      const Sum& sum = sums_[s];
      const Vec3 noise(random_.normal(), random_.normal(), random_.normal());
      channel.forces_world.push_back(sum.force / substeps + options_.force_noise * noise);
      channel.points_segment.push_back(sum.weight > 0.0 ? Vec3(sum.point / sum.weight)
                                       : channel.points_segment.empty()
                                           ? Vec3(Vec3::Zero())
                                           : channel.points_segment.back());
    }
  }

  const SubjectOptions& options_;
  Intent intent_;
  Random random_;
  std::optional<physics::State> state_;
  SubjectRun run_;
  Eigen::VectorXd applied_, velocity_, joints_;
  HandPose pose_;
  std::vector<Contact> contacts_;
  std::vector<Transform> frames_;
  std::vector<Sum> sums_;
  std::vector<int> channel_of_;
  int judged_ = 0;
};

}  // namespace

const char* to_string(SubjectTask task) {
  switch (task) {
    case SubjectTask::kTap:
      return "tap";
    case SubjectTask::kStroke:
      return "stroke";
    case SubjectTask::kBox:
      return "box";
    case SubjectTask::kBulb:
      return "bulb";
    case SubjectTask::kPerturb:
      return "perturb";
  }
  return "";
}

Result<SubjectRun> simulate_subject(const SubjectOptions& options, const Monitor& monitor) {
  const double substeps = 1.0 / (options.rate * kTimestep);
  if (!(options.rate > 0.0) || std::abs(substeps - std::round(substeps)) > 1e-9 || substeps < 1.0)
    return Error{fmt::format("a rate of {:g} Hz should be 2000 over a whole number", options.rate)};
  Session session(options, make_intent(options));
  if (const Status ready = session.prepare(); !ready) return ready.error();
  return session.run(monitor);
}

}  // namespace prehend::interaction
