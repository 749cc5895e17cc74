#include "prehend/methods/grasp_space/examples.h"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "prehend/methods/grasp_space/train.h"
#include "tests/methods/clip_gaps.h"

namespace prehend::grasp_space {
namespace {

constexpr double kPenetration = 0.001;        // meters, of a closed hand into the thing
constexpr double kMotionPenetration = 0.003;  // on the way there and back
constexpr double kSelfPenetration = 0.003;
constexpr double kTouch = 0.002;  // a digit this near counts as touching

double deepest(const Clip& clip, int frame) {
  const auto all = gaps(clip, frame);
  return -*std::min_element(all.begin(), all.end());
}

// The middle of the hold, between two settlings of the grip.
int closed_frame(const Clip& clip) {
  const auto& poses = clip.hands[0].poses;
  std::vector<int> still;
  for (int f = 1; f < clip.frame_count(); ++f) {
    const Vec3 step = poses[f].root_world.position - poses[f - 1].root_world.position;
    if (step.norm() < 1e-12) still.push_back(f);
  }
  return still[still.size() / 2];
}

std::string type_of(const Clip& clip) { return clip.name.substr(0, clip.name.find('-')); }

class Examples : public testing::Test {
 protected:
  static void SetUpTestSuite() { clips_ = example_motions(); }
  static void TearDownTestSuite() { clips_.clear(); }
  static std::vector<Clip> clips_;
};
std::vector<Clip> Examples::clips_;

TEST_F(Examples, AreValidClipsOfARightHandOfEveryType) {
  std::map<std::string, int> count;
  for (const Clip& clip : clips_) {
    EXPECT_TRUE(validate(clip).ok()) << clip.name;
    EXPECT_EQ(clip.hands[0].hand->side, Side::kRight);
    ++count[type_of(clip)];
  }
  for (const hands::GraspKind kind : hands::kGraspKinds)
    EXPECT_GE(count[to_string(kind)], 12) << to_string(kind);
}

TEST_F(Examples, CloseWithoutPenetrationWithinTheLimits) {
  const CoordinateLimits limits = coordinate_limits(*clips_[0].hands[0].hand);
  for (const Clip& clip : clips_) {
    const int frame = closed_frame(clip);
    const HandPose& pose = clip.hands[0].poses[frame];
    EXPECT_LT(deepest(clip, frame), kPenetration) << clip.name;
    EXPECT_LT(self_penetration(*clip.hands[0].hand, pose).depth, kSelfPenetration) << clip.name;
    EXPECT_LT(limit_violation(limits, coordinates(*clip.hands[0].hand, pose)), 1e-6) << clip.name;
  }
}

TEST_F(Examples, ReachTheThingWithoutPassingThroughIt) {
  for (const Clip& clip : clips_) {
    for (int f = 0; f < clip.frame_count(); f += 4) {
      EXPECT_LT(deepest(clip, f), kMotionPenetration) << clip.name << " frame " << f;
    }
  }
}

// Which digits' ends each type needs on the thing.
TEST_F(Examples, HoldTheThingAsTheirTypeDoes) {
  for (const Clip& clip : clips_) {
    const Hand& hand = *clip.hands[0].hand;
    const auto gap = gaps(clip, closed_frame(clip));
    const auto touches = [&](Digit digit, int phalanx) {
      for (int s = 0; s < hand.segment_count(); ++s) {
        if (hand.segments[s].digit == digit && hand.segments[s].phalanx == phalanx)
          return gap[s] < kTouch;
      }
      return false;
    };
    const std::string type = type_of(clip);
    // Around a thin cylinder the thumb lies on the fingers.
    const bool thin = type == "cylindrical" && clip.objects[0].object->shape.size.x() < 0.02;
    if (!thin) {
      EXPECT_EQ(touches(Digit::kThumb, 3), type != "hook") << clip.name;
    }
    if (type == "lateral") {
      EXPECT_TRUE(touches(Digit::kIndex, 1) || touches(Digit::kIndex, 2) ||
                  touches(Digit::kIndex, 3));
    }
    if (type == "tip" || type == "palmar" || type == "cylindrical") {
      EXPECT_TRUE(touches(Digit::kIndex, 3)) << clip.name;
    }
    if (type == "cylindrical" || type == "hook" || type == "spherical") {
      for (Digit finger : {Digit::kIndex, Digit::kMiddle, Digit::kRing}) {
        EXPECT_TRUE(touches(finger, 1) || touches(finger, 2) || touches(finger, 3)) << clip.name;
      }
    }
  }
}

// Jeannerod's observation: the aperture peaks late in the reach and exceeds the thing.
TEST_F(Examples, OpenWiderThanTheThingOnTheWay) {
  for (const Clip& clip : clips_) {
    const std::string type = type_of(clip);
    if (type == "hook") continue;
    const auto aperture = [&](int frame) {
      const auto joints = xr_frames(*clip.hands[0].hand, clip.hands[0].poses[frame]);
      // A key is held between the thumb's pad and the side of the index finger.
      const int opposite =
          type == "lateral" ? xr_joint_of(Digit::kIndex, 3) : xr_tip_of(Digit::kIndex);
      return (joints[xr_tip_of(Digit::kThumb)].position - joints[opposite].position).norm();
    };
    // The hold's second half left out, the reach ends at about three quarters of this.
    const int closed = closed_frame(clip);
    int widest = closed / 4;
    for (int f = widest; f < closed; ++f) widest = aperture(f) > aperture(widest) ? f : widest;
    EXPECT_GT(aperture(widest), aperture(closed) + 0.01) << clip.name;
    // The observation was made on grips between fingertips; a thin key needs no late peak.
    if (type != "lateral") {
      EXPECT_GT(widest, 0.35 * closed) << clip.name;
    }
    EXPECT_LT(widest, 0.7 * closed) << clip.name;
  }
}

TEST_F(Examples, AreTheSameForTheSameSeedAndDifferForAnother) {
  const auto alike = [](const Clip& a, const Clip& b) {
    for (int f = 0; f < std::min(a.frame_count(), b.frame_count()); ++f) {
      for (std::size_t s = 0; s < a.hands[0].poses[f].rotations.size(); ++s) {
        const Quat& p = a.hands[0].poses[f].rotations[s];
        if (p.coeffs() != b.hands[0].poses[f].rotations[s].coeffs()) return false;
      }
    }
    return a.frame_count() == b.frame_count();
  };
  const auto again = example_motions(hands::GraspKind::kHook);
  const std::size_t first = clips_.size() - again.size();  // hooks come last
  for (std::size_t i = 0; i < again.size(); ++i) EXPECT_TRUE(alike(again[i], clips_[first + i]));
  ExampleOptions other;
  other.seed = 2;
  EXPECT_FALSE(alike(example_motions(hands::GraspKind::kHook, other)[0], again[0]));
}

// The paper, after Santello: two components keep more than 80 % of the variance of human grasps and
// three 87 %. Ours, of six kinds of grasp, within a few points of that.
TEST_F(Examples, SpanAFewDimensions) {
  const auto samples = pose_samples(clips_, TrainOptions().least_change);
  ASSERT_TRUE(samples.ok());
  const optimize::Pca pca = optimize::fit_pca(*samples);
  EXPECT_NEAR(pca.kept(2), 0.80, 0.06);
  EXPECT_NEAR(pca.kept(3), 0.87, 0.05);
  // The first opens and closes: every finger's joints flex together, the PIPs most.
  for (int pip : {4, 7, 10, 13}) {
    EXPECT_GT(std::abs(pca.components(3 * pip, 0)), 0.2);
    EXPECT_GT(pca.components(3 * pip, 0) * pca.components(3 * 7, 0), 0.0);
  }
}

TEST(ExampleNames, EndWithAllOfThem) {
  ASSERT_EQ(model_names().size(), 7u);
  EXPECT_EQ(model_names().back(), "general");
  EXPECT_FALSE(kind_of_model("general").value());
  for (int i = 0; i < 6; ++i) EXPECT_EQ(*kind_of_model(model_names()[i]), hands::kGraspKinds[i]);
  const auto wrong = kind_of_model("pinch");
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.message().find("cylindrical"), std::string::npos);
}

}  // namespace
}  // namespace prehend::grasp_space
