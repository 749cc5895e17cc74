#include "prehend/methods/grasp_space/refine.h"

#include <cmath>

#include <gtest/gtest.h>

#include "prehend/hands/palm.h"
#include "tests/methods/grasp_space/grasp_fixture.h"

namespace prehend::grasp_space {
namespace {

constexpr double kOnSurface = 1e-4;      // meters between a touch and the object's surface
constexpr double kAlongCapsule = 2e-5;   // meters that a dense walk along an axis may miss
constexpr double kPenetration = 0.0008;  // meters: what a proposal may show before it is proven

struct Pose {
  Transform root;
  Eigen::VectorXd q;
};

class Refine : public testing::TestWithParam<ObjectPtr> {
 protected:
  // What a search leaves, from a random stance.
  Pose searched(int seed) {
    Random random(seed);
    const Stance stance{random_palm(random, 0.04, 0.07), natural_shape(space_, random)};
    SearchOptions options;
    options.seed = seed;
    const SearchResult found = search_.run(stance, options);
    HandPose pose = ShapeKinematics(*hand_, space_).pose(found.reduced);
    place_wrist(*hand_, found.wrist_object, pose);
    return {pose.root_world, coordinates(*hand_, pose)};
  }
  // Least gap between the hand and the object by walking along every capsule.
  double least_gap(const RefinedGrasp& grasp) const {
    const auto frames =
        segment_frames(*hand_, pose_from_coordinates(*hand_, grasp.root_object, grasp.coordinates));
    double least = INFINITY;
    for (int s = 0; s < hand_->segment_count(); ++s) {
      for (const Capsule& local : hand_->segments[s].capsules) {
        const Capsule capsule = frames[s] * local;
        for (int i = 0; i <= 200; ++i) {
          const Vec3 point = capsule.a + i / 200.0 * (capsule.b - capsule.a);
          least = std::min(least, exact_->sample(point).distance - capsule.radius);
        }
      }
    }
    return least;
  }

  const HandPtr hand_ = test_hand();
  const GraspSpace& space_ = *general_space();
  const std::shared_ptr<const geometry::ExactDistance> exact_ =
      geometry::exact_distance(GetParam()->shape);
  GraspSearch search_{*hand_, space_, {exact_, nullptr}};
  GraspRefiner refiner_{*hand_, exact_};
  const CoordinateLimits limits_ = coordinate_limits(*hand_);
};

INSTANTIATE_TEST_SUITE_P(Things, Refine,
                         testing::Values(primitive(ShapeKind::kSphere, {0.035, 0, 0}),
                                         primitive(ShapeKind::kBox, {0.03, 0.04, 0.03}),
                                         primitive(ShapeKind::kCylinder, {0.025, 0.075, 0})),
                         [](const auto& thing) {
                           const ShapeKind kind = thing.param->shape.kind;
                           return kind == ShapeKind::kSphere ? "sphere"
                                  : kind == ShapeKind::kBox  ? "box"
                                                             : "cylinder";
                         });

TEST_P(Refine, BringsTheHandToTouchWithoutPenetration) {
  constexpr int kTrials = 20;
  int good = 0, touches_before = 0, touches_after = 0;
  for (int seed = 1; seed <= kTrials; ++seed) {
    const Pose start = searched(seed);
    const RefinedGrasp before = refiner_.look(start.root, start.q);
    const RefinedGrasp after = refiner_.refine(start.root, start.q);
    for (const auto& t : before.touches) touches_before += t.gap > -kPenetration;
    touches_after += static_cast<int>(after.touches.size());
    good += after.penetration < kPenetration && after.self_penetration < kPenetration &&
            after.touches.size() >= 3;
    EXPECT_LE(after.iterations, RefineOptions{}.max_iterations);
  }
  EXPECT_GE(good, kTrials * 3 / 4);
  EXPECT_GT(touches_after, 2 * touches_before);
}

TEST_P(Refine, KeepsJointsInTheirRangesFromAnyStart) {
  Random random(4);
  for (int i = 0; i < 20; ++i) {
    // Outside the ranges and inside the object, too.
    Eigen::VectorXd q(hand_->dof());
    for (int k = 0; k < q.size(); ++k) {
      const double middle = 0.5 * (limits_.lower[k] + limits_.upper[k]);
      q[k] = middle + random.uniform(-0.7, 0.7) * (limits_.upper[k] - limits_.lower[k]);
    }
    const Transform root = random_palm(random, 0.0, 0.1) * hands::palm_in_wrist(*hand_).inverse();
    EXPECT_EQ(limit_violation(limits_, refiner_.refine(root, q).coordinates), 0.0);
    EXPECT_EQ(limit_violation(limits_, refiner_.clear(root, q, 0.005).coordinates), 0.0);
  }
}

TEST_P(Refine, TouchesLieOnTheSurfaceAndPenetrationIsTheDeepest) {
  for (int seed = 1; seed <= 5; ++seed) {
    const Pose start = searched(seed);
    for (const RefinedGrasp& grasp :
         {refiner_.look(start.root, start.q), refiner_.refine(start.root, start.q)}) {
      double deepest = 0.0;
      for (const TouchPoint& touch : grasp.touches) {
        deepest = std::max(deepest, -touch.gap);
        EXPECT_LT(touch.gap, RefineOptions{}.contact);
        EXPECT_NEAR(exact_->sample(touch.point).distance, 0.0, kOnSurface);
        EXPECT_NEAR(touch.normal.norm(), 1.0, 1e-9);
      }
      EXPECT_EQ(grasp.penetration, deepest);
      EXPECT_NEAR(grasp.penetration, std::max(0.0, -least_gap(grasp)), kAlongCapsule);
      const HandPose pose = pose_from_coordinates(*hand_, grasp.root_object, grasp.coordinates);
      EXPECT_NEAR(grasp.self_penetration, self_penetration(*hand_, pose).depth, 1e-9);
    }
  }
}

TEST_P(Refine, ClearKeepsItsMargin) {
  constexpr double kMargin = 0.008, kShort = 0.001;  // meters; how much may miss
  for (int seed = 1; seed <= 20; ++seed) {
    const Pose start = searched(seed);
    const RefinedGrasp touching = refiner_.refine(start.root, start.q);
    const RefinedGrasp away = refiner_.clear(touching.root_object, touching.coordinates, kMargin);
    EXPECT_GT(least_gap(away), kMargin - kShort) << seed;
    EXPECT_TRUE(away.touches.empty());
  }
}

TEST_P(Refine, LeavesAHandThatIsFarAwayAlone) {
  const Transform far = Transform::from_position({0.0, 0.6, 0.0});
  const Eigen::VectorXd q = Eigen::VectorXd::Zero(hand_->dof());
  for (const RefinedGrasp& grasp : {refiner_.refine(far, q), refiner_.clear(far, q, 0.01)}) {
    EXPECT_LT((grasp.root_object.position - far.position).norm(), 1e-3);
    EXPECT_LT((grasp.coordinates - q).cwiseAbs().maxCoeff(), radians(2.0));
    EXPECT_TRUE(grasp.touches.empty());
  }
}

TEST_P(Refine, SameStartSameBytesWhateverWasRefinedBefore) {
  const Pose start = searched(1), other = searched(2);
  const RefinedGrasp first = refiner_.refine(start.root, start.q);
  refiner_.clear(other.root, other.q, 0.02);
  const RefinedGrasp again = refiner_.refine(start.root, start.q);
  EXPECT_EQ(again.coordinates, first.coordinates);
  EXPECT_EQ(again.root_object.position, first.root_object.position);
  EXPECT_EQ(again.touches.size(), first.touches.size());
}

}  // namespace
}  // namespace prehend::grasp_space
