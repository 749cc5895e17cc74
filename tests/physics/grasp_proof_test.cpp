#include "prehend/physics/grasp_proof.h"

#include <cmath>

#include <gtest/gtest.h>

#include "prehend/geometry/primitive.h"
#include "prehend/hands/posture.h"
#include "tests/physics/physics_fixture.h"

namespace prehend::physics {
namespace {

constexpr double kRadius = 0.025, kHalfLength = 0.05, kMass = 0.15;

// A hand wrapped around a cylinder that stands at the origin, along Y.
struct Wrap {
  HandPtr hand = make_hand(HandProfile::kAnatomical);
  ObjectPtr cylinder = std::make_shared<const Object>(
      geometry::object_from_primitive("cylinder", ShapeKind::kCylinder, {kRadius, kHalfLength, 0},
                                      kMass)
          .value());
  GraspPlan plan;

  // Joints that the squeeze takes this much farther than touching.
  explicit Wrap(double squeeze = radians(15.0)) {
    const hands::Posture wrap = hands::make_posture(*hand, "wrap").value();
    const Vec3 axis = (wrap.held->b - wrap.held->a).normalized();
    const Vec3 knuckle = xr_frames(*hand, wrap.pose)[11].position;
    const Vec3 middle = wrap.held->a + axis * axis.dot(knuckle - wrap.held->a);
    const Quat upright = Quat::FromTwoVectors(axis, Vec3::UnitY());
    plan.root_object = plan.pregrasp_root = {upright, -(upright * middle)};
    plan.grasp = coordinates(*hand, wrap.pose);
    Eigen::VectorXd more = Eigen::VectorXd::Zero(hand->dof());
    for (int s = 0; s < hand->segment_count(); ++s) {
      const Segment& segment = hand->segments[s];
      const bool bends = segment.phalanx > 0 || segment.digit == Digit::kThumb;
      if (bends) hands::set_angles(*hand, s, 1.0, 0.0, more);
    }
    plan.pregrasp = plan.grasp - radians(8.0) * more;
    plan.squeeze = plan.grasp + squeeze * more;
  }

  std::shared_ptr<const GraspProver> prover(const GraspProofOptions& options = {}) const {
    return GraspProver::build(hand, cylinder, geometry::exact_distance(cylinder->shape), options)
        .value();
  }
  GraspProof prove(const GraspProofOptions& options = {}) const {
    const auto made = prover(options);
    State state(made->world());
    return made->prove(state, plan);
  }
};

TEST(GraspProof, AWrappedCylinderHolds) {
  const GraspProof proof = Wrap().prove();
  EXPECT_TRUE(proof.held) << proof.reason;
  EXPECT_TRUE(proof.reason.empty());
  EXPECT_GT(proof.grip_force, 1.0);
  EXPECT_GE(proof.contacts.size(), 4u);
  EXPECT_LT(proof.displacement, 0.05);
  EXPECT_LT(proof.rotation, radians(15.0));
  EXPECT_LE(proof.closing_displacement, proof.displacement);
  EXPECT_LE(proof.closing_rotation, proof.rotation);
}

TEST(GraspProof, ContactForcesBalanceAndStayInTheirCones) {
  const Wrap wrap;
  const GraspProof proof = wrap.prove();
  Vec3 sum = Vec3::Zero();
  for (const Contact& contact : proof.contacts) {
    const double normal = -contact.force_world.dot(contact.normal_world);
    const double across = (contact.force_world + normal * contact.normal_world).norm();
    EXPECT_GE(normal, -1e-9);
    // The engine's cones are soft by its impedance.
    EXPECT_LE(across, 1.02 * wrap.cylinder->friction * normal + 1e-6);
    sum += contact.force_world;
  }
  // At the end of the squeeze the object is nearly at rest.
  EXPECT_LT(sum.norm(), 0.1 * proof.grip_force);
}

TEST(GraspProof, WithoutSqueezeItDoesNotHold) {
  Wrap wrap(0.0);
  wrap.plan.grasp = wrap.plan.squeeze = wrap.plan.pregrasp;
  const GraspProof proof = wrap.prove();
  EXPECT_FALSE(proof.held);
  EXPECT_FALSE(proof.reason.empty());
}

TEST(GraspProof, AnOpenHandDoesNotHold) {
  Wrap wrap;
  wrap.plan.grasp = wrap.plan.squeeze = wrap.plan.pregrasp =
      Eigen::VectorXd::Zero(wrap.hand->dof());
  wrap.plan.root_object.position.y() += 1.0;  // away
  wrap.plan.pregrasp_root = wrap.plan.root_object;
  const GraspProof proof = wrap.prove();
  EXPECT_FALSE(proof.held);
  EXPECT_EQ(proof.grip_force, 0.0);
  EXPECT_TRUE(proof.contacts.empty());
  // Nothing pushes it before the pushes begin.
  EXPECT_EQ(proof.closing_displacement, 0.0);
  EXPECT_EQ(proof.closing_rotation, 0.0);
}

TEST(GraspProof, AFreeObjectFallsAsTheProtocolSays) {
  // Without a hand a push of 10 N / kg moves it 5 cm in 0.1 s: the first push ends the proof.
  Wrap wrap;
  wrap.plan.root_object.position.y() += 1.0;
  wrap.plan.pregrasp_root = wrap.plan.root_object;
  GraspProofOptions options;
  const GraspProof proof = wrap.prove(options);
  EXPECT_FALSE(proof.held);
  // The step that passes 5 cm: s = a t^2 / 2, so v = sqrt(2 a s), and one step of it at most.
  const double step = std::sqrt(2.0 * options.push_per_mass * 0.05) * options.timestep;
  EXPECT_GE(proof.displacement, 0.05);
  EXPECT_LE(proof.displacement, 0.05 + 1.5 * step);
}

TEST(GraspProof, AHeavyPushFails) {
  GraspProofOptions options;
  options.push_per_mass = 4000.0;
  const GraspProof proof = Wrap().prove(options);
  EXPECT_FALSE(proof.held);
  EXPECT_EQ(proof.reason, "the object was pushed out of the hand");
}

TEST(GraspProof, AGraspInsideTheObjectIsNoGrasp) {
  Wrap wrap;
  const hands::Posture fist = hands::make_posture(*wrap.hand, "fist").value();
  wrap.plan.grasp = coordinates(*wrap.hand, fist.pose);
  const GraspProof proof = wrap.prove();
  EXPECT_FALSE(proof.held);
  EXPECT_GT(proof.penetration, 0.01);
  EXPECT_EQ(proof.reason, "the grasp lies inside the object");
}

TEST(GraspProof, SameBytesWhateverWasProvenBefore) {
  const Wrap wrap;
  const auto prover = wrap.prover();
  State state(prover->world());
  const GraspProof first = prover->prove(state, wrap.plan);
  Wrap other(radians(40.0));
  prover->prove(state, other.plan);
  const GraspProof again = prover->prove(state, wrap.plan);
  EXPECT_EQ(again.displacement, first.displacement);
  EXPECT_EQ(again.rotation, first.rotation);
  EXPECT_EQ(again.grip_force, first.grip_force);
  ASSERT_EQ(again.contacts.size(), first.contacts.size());
  for (size_t i = 0; i < first.contacts.size(); ++i) {
    EXPECT_EQ(again.contacts[i].force_world, first.contacts[i].force_world);
  }
}

TEST(GraspProof, ServosGiveWayAlikeAndNoMoreThanTheJointsCan) {
  const Wrap wrap;
  const auto prover = wrap.prover();
  const Eigen::VectorXd range =
      prover->servos().max_torque.cwiseQuotient(prover->servos().stiffness);
  for (const double angle : range) EXPECT_NEAR(angle, prover->options().servo_range, 1e-12);
  State state(prover->world());
  state.set_hand(0, Transform::from_position({0.0, 1.0, 0.0}), wrap.plan.grasp);
  state.set_servo_target(0, Eigen::VectorXd(wrap.plan.grasp.array() + 10.0));
  state.evaluate();
  const Eigen::VectorXd torques = state.servo_torques().head(wrap.hand->dof());
  EXPECT_LE((torques - prover->servos().max_torque).maxCoeff(), 1e-9);
}

// A straight finger that pushes across itself with its tip: every joint's torque is force times
// the way from the joint to the tip.
TEST(WithStrength, GivesTheForceAtTheTipOfAStraightFinger) {
  constexpr double kForce = 20.0;
  Hand unknown = *make_hand(HandProfile::kAnatomical);
  for (Segment& segment : unknown.segments) {
    for (Joint& joint : segment.joints) joint.max_torque = 0.0;
  }
  const Hand strong = with_strength(unknown, kForce);
  const auto frames = segment_frames(strong, rest_pose(strong));
  for (const Digit digit : kDigits) {
    const FingerPad& pad = strong.pads[static_cast<int>(digit)];
    const Vec3 tip = frames[pad.segment] * pad.tip;
    for (int s = 0; s < strong.segment_count(); ++s) {
      if (strong.segments[s].digit != digit) continue;
      for (const Joint& joint : strong.segments[s].joints) {
        EXPECT_NEAR(joint.max_torque, kForce * (tip - frames[s].position).norm(), 1e-12)
            << joint.name;
      }
    }
  }
}

TEST(WithStrength, KeepsWhatIsKnown) {
  const HandPtr hand = make_hand(HandProfile::kAnatomical);
  const Hand strong = with_strength(*hand, 1000.0);
  for (int s = 0; s < hand->segment_count(); ++s) {
    for (size_t j = 0; j < hand->segments[s].joints.size(); ++j) {
      const double known = hand->segments[s].joints[j].max_torque;
      EXPECT_TRUE(known <= 0.0 || strong.segments[s].joints[j].max_torque == known);
    }
  }
}

}  // namespace
}  // namespace prehend::physics
