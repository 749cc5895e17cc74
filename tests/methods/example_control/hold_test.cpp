#include "methods/example_control/holding/hold.h"

#include <gtest/gtest.h>

#include "prehend/geometry/primitive.h"
#include "prehend/physics/dynamics.h"
#include "prehend/physics/grasp_proof.h"
#include "tests/methods/example_control/test_controller.h"

namespace prehend::example_control {
namespace {

constexpr double kStep = 0.002;
constexpr double kForce = 1e-4;   // of a force, relative: the cone program's tolerance
constexpr double kTorque = 1e-6;  // N m
constexpr double kHalf = 0.02;    // of the box, m

// A box between thumb and index finger: one contact on each of two opposite sides, in the middle.
class HoldTest : public testing::Test {
 protected:
  HoldTest() {
    physics::HandSetup setup;
    setup.hand = hand_;
    setup.root = physics::RootMotion::kFixed;
    setup.collides = false;
    state_.emplace(physics::World::build({&setup, 1}, {}).value());
    const Transform root{exp_map({0.3, -0.4, 0.2}), {0.1, 0.2, -0.1}};
    state_->set_hand(0, root, test_controller(*hand_).rest_pose(Setpoint::kGrip));
    frames_.resize(hand_->segments.size());
    physics::segment_frames(*state_, 0, frames_);
    box_ = Transform::from_position(root * Vec3(-0.02, -0.05, -0.1));
    now_.frames_world = frames_;
    now_.wrist.pose = root;
    now_.object_world = box_;
    now_.gravity_world = gravity_world();
    contacts_.resize(2);
    contacts_[0].by = ContactSide::hand(0, hand_->find("thumb-distal"));
    contacts_[1].by = ContactSide::hand(0, hand_->find("index-intermediate"));
    for (int i = 0; i < 2; ++i) {
      contacts_[i].on = ContactSide::object(0);
      contacts_[i].normal_world = (i == 0 ? 1.0 : -1.0) * Vec3::UnitX();
      contacts_[i].point_on = kHalf * contacts_[i].normal_world;
    }
    now_.contacts = contacts_;
    // The cone program alone, unless a test asks for more.
    options_.squeeze = options_.squeeze_of_alpha = options_.max_squeeze = 0.0;
    options_.settle_seconds = 0.5;
  }

  Hold make(double mass = 0.2) {
    object_ = std::make_shared<const Object>(
        *geometry::object_from_primitive("box", ShapeKind::kBox, Vec3::Constant(kHalf), mass));
    return Hold(*hand_, object_, options_);
  }
  void wait(Hold& hold, double seconds, bool gripping = true) {
    for (int i = 0; i < static_cast<int>(seconds / kStep + 0.5); ++i)
      hold.update(now_, gripping, kStep);
  }
  double margin() const { return options_.friction_margin / object_->friction; }

  // By the engine's Jacobians: what the joints must give for these forces on the box.
  Eigen::VectorXd joint_torques(const Vec3& first, const Vec3& second) {
    Eigen::VectorXd torques = Eigen::VectorXd::Zero(hand_->dof());
    physics::PointJacobian jacobian;
    for (int i = 0; i < 2; ++i) {
      physics::segment_jacobian(*state_, 0, contacts_[i].by.segment, box_ * contacts_[i].point_on,
                                jacobian);
      torques += jacobian.topRows<3>().transpose() * (i == 0 ? first : second);
    }
    return torques;
  }
  // Forces of two contacts that share a load and press against each other.
  Eigen::VectorXd shared_load(const Vec3& load, double normal) {
    const Vec3 inwards = -normal * Vec3::UnitX();
    return joint_torques(inwards + 0.5 * load, -inwards + 0.5 * load);
  }
  double off(const Hold& hold, const Eigen::VectorXd& torques) const {
    return (hold.torques() - torques).cwiseAbs().maxCoeff();
  }

  const HandPtr hand_ = std::make_shared<const Hand>(ball_hand());
  HoldOptions options_;
  std::optional<physics::State> state_;
  std::vector<Transform> frames_;
  std::vector<Contact> contacts_;
  Transform box_;
  ObjectPtr object_;
  Hold::Situation now_;
};

// Two fingers carry the weight by friction: each half of it, pressing by margin / mu times that.
TEST_F(HoldTest, CarriesTheWeightWithTheLeastForces) {
  Hold hold = make();
  wait(hold, 0.6);
  const double weight = object_->mass * kStandardGravity;
  EXPECT_NEAR(hold.planned_force(), weight * margin(), kForce * weight);
  EXPECT_LT(off(hold, shared_load({0.0, weight, 0.0}, 0.5 * weight * margin())), kTorque);
  // It carries from the first plan on.
  EXPECT_LE(hold.extra_alpha(), options_.closing_rate * options_.period);
}

// Once the box has its place: what is held firmly slides into no palm.
TEST_F(HoldTest, AlphaHoldsFirmer) {
  options_.draw = 0.0;
  Hold hold = make();
  now_.alpha = 0.5;
  wait(hold, options_.settle_seconds);
  const double weight = object_->mass * kStandardGravity;
  EXPECT_NEAR(hold.planned_force(), weight * margin(), kForce * weight);
  wait(hold, options_.blend_seconds + 0.02);
  EXPECT_NEAR(hold.planned_force(), 1.5 * weight * margin(), kForce * weight);
}

TEST_F(HoldTest, AlphaSqueezes) {
  options_.squeeze = 0.5;
  options_.squeeze_of_alpha = 5.0;
  const double weight = 0.2 * kStandardGravity;
  for (double alpha : {0.0, 0.2, 0.4}) {
    Hold hold = make();
    now_.alpha = alpha;
    wait(hold, 1.0);
    EXPECT_NEAR(hold.planned_force(), weight * ((1.0 + alpha) * margin() + 0.5 + 5.0 * alpha),
                1e-3 * weight);
  }
}

// Until the box has its place it is drawn to the palm, which is where the wrist's +Y points.
TEST_F(HoldTest, DrawsTheBoxIntoThePalmAtFirst) {
  const Vec3 up = now_.wrist.pose.turn(Vec3::UnitY());
  options_.draw = 0.2;
  Hold hold = make();
  wait(hold, 0.4);
  const double weight = object_->mass * kStandardGravity;
  const Vec3 load = weight * (Vec3::UnitY() + options_.draw * up);
  // What points along the fingers' line is given by pressing less at one side.
  const Vec3 across(0.0, load.y(), load.z());
  const double most = 0.5 * across.norm() * margin();
  EXPECT_NEAR(hold.planned_force(), 2.0 * most + std::abs(load.x()), 1e-3 * weight);
  wait(hold, 0.2);
  EXPECT_NEAR(hold.planned_force(), weight * margin(), kForce * weight);
}

// What cannot be squeezed yet is not waited for with a growing force.
TEST_F(HoldTest, ASqueezeGrowsOnlyAgainstSomething) {
  options_.squeeze = 0.5;
  options_.max_squeeze = 20.0;
  Hold hold = make();
  now_.contacts = std::span(contacts_).first(1);
  wait(hold, 1.0);
  now_.contacts = contacts_;
  wait(hold, 0.02);
  const double weight = object_->mass * kStandardGravity;
  EXPECT_NEAR(hold.planned_force(), weight * (margin() + options_.squeeze), 0.05 * weight);
}

TEST_F(HoldTest, CarriesTheBoxAlongWithAWristThatAcceleratesAndTurns) {
  Hold hold = make();
  const double mass = object_->mass;
  now_.wrist.acceleration = {0.0, 2.0, 1.0};
  wait(hold, 0.6);
  const Vec3 lifted = mass * (now_.wrist.acceleration - gravity_world());
  EXPECT_LT(off(hold, shared_load(lifted, 0.5 * lifted.norm() * margin())), kTorque);
  // On a circle about the wrist, all turning together.
  const Vec3 spin(3.0, 0.0, 0.0), arm = box_.position - now_.wrist.pose.position;
  now_.wrist.acceleration.setZero();
  now_.wrist.angular_velocity = now_.object_twist.angular = spin;
  now_.object_twist.linear = spin.cross(arm);
  wait(hold, 0.3);
  const Vec3 circled = mass * (spin.cross(spin.cross(arm)) - gravity_world());
  ASSERT_GT((circled + mass * gravity_world()).norm(), 0.05 * mass * kStandardGravity);
  EXPECT_LT(off(hold, shared_load(circled, 0.5 * circled.norm() * margin())), kTorque);
}

// What slips is drawn back as by a critically damped spring, the more the longer it is off.
TEST_F(HoldTest, DrawsBackWhatSlips) {
  Hold hold = make();
  wait(hold, 0.6);
  constexpr double kOff = 0.002, kSeconds = 0.1;
  now_.object_world.position.y() -= kOff;
  for (auto& frame : frames_) frame.position.y() -= kOff;  // same arms
  wait(hold, kSeconds);
  const double pull = options_.frequency * options_.frequency * kOff;
  const double load =
      object_->mass * (kStandardGravity + pull + pull * kSeconds / options_.integral_seconds);
  EXPECT_NEAR(hold.planned_force(), load * margin(), 1e-3 * load);
}

TEST_F(HoldTest, DampsWhatFalls) {
  Hold hold = make();
  wait(hold, 0.6);
  constexpr double kSpeed = 0.05;
  now_.object_twist.linear = {0.0, -kSpeed, 0.0};
  wait(hold, 0.004);
  const double load = object_->mass * (kStandardGravity + 2.0 * options_.frequency * kSpeed);
  EXPECT_NEAR(hold.planned_force(), load * margin(), kForce * load);
}

TEST_F(HoldTest, ASqueezeChangesNoForceOnTheBox) {
  options_.squeeze = 3.0;
  options_.max_squeeze = 20.0;
  Hold hold = make();
  wait(hold, 2.0);
  const double weight = object_->mass * kStandardGravity;
  const double normal = 0.5 * (weight * margin() + options_.squeeze * weight);
  EXPECT_NEAR(hold.planned_force(), 2.0 * normal, 1e-3 * normal);
  constexpr double kBalanced = 1e-3;  // of the squeeze, what balancing leaves
  EXPECT_LT(off(hold, shared_load({0.0, weight, 0.0}, normal)), kBalanced * normal * 0.1);
}

TEST_F(HoldTest, GivesNothingUnlessItGrips) {
  Hold hold = make();
  wait(hold, 0.5, false);
  EXPECT_EQ(hold.torques().norm(), 0.0);
  EXPECT_EQ(hold.planned_force(), 0.0);
  wait(hold, 0.5);
  EXPECT_GT(hold.torques().norm(), 0.01);
  // Force goes within the time it takes to let go, and does not jump.
  double before = hold.torques().norm();
  for (int i = 0; i < static_cast<int>(options_.blend_seconds / kStep) + 2; ++i) {
    hold.update(now_, false, kStep);
    EXPECT_LE(hold.torques().norm(), before + 1e-12);
    before = hold.torques().norm();
  }
  EXPECT_EQ(before, 0.0);
  EXPECT_EQ(hold.planned_force(), 0.0);
}

// A hand that lets go and grips again at once holds the box where it is then.
TEST_F(HoldTest, EveryGripTakesItsOwnPlace) {
  Hold hold = make();
  wait(hold, 1.0);
  wait(hold, 0.02, false);
  EXPECT_GT(hold.torques().norm(), 0.0);  // not yet faded
  now_.object_world.position.y() -= 0.005;
  for (auto& frame : frames_) frame.position.y() -= 0.005;
  wait(hold, 0.6);
  const double weight = object_->mass * kStandardGravity;
  EXPECT_NEAR(hold.planned_force(), weight * margin(), kForce * weight);
}

TEST_F(HoldTest, ForceComesWithoutAJump) {
  Hold hold = make();
  Eigen::VectorXd before = hold.torques();
  wait(hold, 0.5);
  const double full = hold.torques().norm();
  Hold again = make();
  for (int i = 0; i < 200; ++i) {
    again.update(now_, true, kStep);
    EXPECT_LT((again.torques() - before).norm(), 0.05 * full) << i;
    before = again.torques();
  }
}

// Fingers that wait for the thumb press gently, and its coming is no blow.
TEST_F(HoldTest, ForceComesWithoutAJumpWhenTheThumbArrivesLate) {
  Hold hold = make();
  now_.contacts = std::span(contacts_).last(1);
  wait(hold, 0.4);
  Eigen::VectorXd before = hold.torques();
  std::vector<double> jumps;
  now_.contacts = contacts_;
  for (int i = 0; i < 200; ++i) {
    hold.update(now_, true, kStep);
    jumps.push_back((hold.torques() - before).norm());
    before = hold.torques();
  }
  constexpr double kJump = 0.15;  // of the whole: the part that waited comes at once
  EXPECT_LT(*std::max_element(jumps.begin(), jumps.end()), kJump * before.norm());
}

TEST_F(HoldTest, NothingTouchedClosesTheHandFurtherUpToALimit) {
  Hold hold = make();
  now_.contacts = {};
  wait(hold, 0.4);
  EXPECT_NEAR(hold.extra_alpha(), 0.4 * options_.closing_rate, 0.01);
  wait(hold, 3.0);
  EXPECT_NEAR(hold.extra_alpha(), options_.max_alpha, 1e-12);
  EXPECT_EQ(hold.torques().norm(), 0.0);
  wait(hold, 0.5, false);
  EXPECT_EQ(hold.extra_alpha(), 0.0);
}

TEST_F(HoldTest, ContactsBeyondTouchCarryNothing) {
  for (Contact& contact : contacts_) contact.gap = 0.002;
  Hold hold = make();
  wait(hold, 0.6);
  EXPECT_LT(hold.planned_force(), 1e-3);
  EXPECT_GT(hold.extra_alpha(), 0.1);
}

TEST_F(HoldTest, NoJointGivesMoreThanItsStrength) {
  options_.squeeze = 0.5;
  options_.max_squeeze = 500.0;
  options_.max_contact_force = 20.0;
  Hold hold = make(20.0);
  wait(hold, 3.0);
  const Hand strong = physics::with_strength(*hand_, options_.max_contact_force);
  const auto offsets = coordinate_offsets(*hand_);
  double most = 0.0;
  for (int s = 1; s < hand_->segment_count(); ++s) {
    if (offsets[s + 1] == offsets[s]) continue;
    const double torque = hold.torques().segment<3>(offsets[s]).norm();
    const double strength = strong.segments[s].joints[0].max_torque;
    EXPECT_LE(torque, strength * (1.0 + 1e-9)) << hand_->segments[s].name;
    most = std::max(most, torque / strength);
  }
  EXPECT_GT(most, 0.3);  // it does try
}

}  // namespace
}  // namespace prehend::example_control
