#include <gtest/gtest.h>

#include "prehend/methods/example_control/grasp_spans.h"

namespace prehend::example_control {
namespace {

constexpr double kRate = 100.0;
constexpr double kTolerance = 0.005;

// A hand that comes, closes, lifts, sets down and goes, in pieces of seconds.
class Story {
 public:
  // For so long: how near palm and opposing digits end, and where the object's lowest point does.
  Story& go(double seconds, double palm, double opposed, double height) {
    const int frames = static_cast<int>(seconds * kRate + 0.5);
    const double palm_from = track_.palm.empty() ? palm : track_.palm.back();
    const double opposed_from = track_.opposed.empty() ? opposed : track_.opposed.back();
    const double height_from = track_.height.empty() ? height : track_.height.back();
    for (int i = 1; i <= frames; ++i) {
      const double part = double(i) / frames;
      track_.palm.push_back(palm_from + part * (palm - palm_from));
      track_.opposed.push_back(opposed_from + part * (opposed - opposed_from));
      track_.nearest.push_back(std::min(track_.palm.back(), track_.opposed.back()));
      track_.thumb_opposed.push_back(thumb ? track_.opposed.back() : 1.0);
      track_.palm_up.push_back(palm_up);
      track_.height.push_back(height_from + part * (height - height_from));
      track_.place.push_back(Vec3(0.0, track_.height.back() + 0.05, 0.0));
      track_.speed.push_back(std::abs(height - height_from) / seconds);
    }
    return *this;
  }
  std::vector<GraspSpan> grasps() {
    track_.frame_rate = kRate;
    return find_pick_ups(track_, kTolerance);
  }

  bool thumb = true;
  double palm_up = -0.8;

 private:
  TouchTrack track_;
};

// Comes within 1 s, touches 0.1 s later, lifts after another 0.1 s, holds for a second.
Story& pick_up(Story& story) {
  return story.go(0.5, 0.3, 0.25, 0.0)
      .go(0.5, 0.02, 0.03, 0.0)
      .go(0.1, 0.02, 0.0, 0.0)
      .go(0.1, 0.02, 0.0, 0.0)
      .go(0.5, 0.02, 0.0, 0.1)
      .go(0.5, 0.02, 0.0, 0.1)
      .go(0.5, 0.02, 0.0, 0.0);
}
Story& leave(Story& story) { return story.go(0.2, 0.02, 0.05, 0.0).go(0.8, 0.3, 0.3, 0.0); }

TEST(PickUps, TheGripIsTheFirstTouchBeforeTheObjectMoves) {
  Story story;
  leave(pick_up(story));
  const auto grasps = story.grasps();
  ASSERT_EQ(grasps.size(), 1u);
  const GraspSpan& span = grasps[0];
  EXPECT_TRUE(span.suitable());
  EXPECT_TRUE(span.whole());
  // The digits are within 6 mm four fifths of the way from 30 mm to 0, at 1.08 s.
  EXPECT_NEAR(span.grip, 108, 2);
  EXPECT_NEAR(span.carry, 120, 2);
  EXPECT_NEAR(span.settled, span.grip + 50, 2);
  EXPECT_NEAR(span.first, 49, 1);
  EXPECT_GT(span.release, 265);
  EXPECT_NEAR(span.level, 0.02 + kTolerance, 1e-12);
}

// The palm is nearest long after the pick-up, as it is when people handle things.
TEST(PickUps, APalmThatComesNearerLaterDoesNotDelayTheGrip) {
  Story story;
  pick_up(story).go(0.5, 0.02, 0.0, 0.2).go(3.0, 0.0, 0.0, 0.2).go(0.5, 0.0, 0.0, 0.0);
  leave(story);
  const auto grasps = story.grasps();
  ASSERT_EQ(grasps.size(), 1u);
  EXPECT_NEAR(grasps[0].grip, 108, 2);
  EXPECT_LT(grasps[0].settled, 170);
}

TEST(PickUps, WhatIsPassedOnAndTakenBackInTheAirIsOneGrasp) {
  Story story;
  pick_up(story).go(0.3, 0.02, 0.0, 0.2).go(0.3, 0.1, 0.1, 0.25).go(0.3, 0.1, 0.1, 0.2);
  story.go(0.3, 0.02, 0.0, 0.15).go(0.5, 0.02, 0.0, 0.0);
  leave(story);
  EXPECT_EQ(story.grasps().size(), 1u);

  Story again;  // but put down between
  leave(pick_up(again)).go(0.5, 0.3, 0.3, 0.0);
  leave(pick_up(again));
  EXPECT_EQ(again.grasps().size(), 2u);
}

TEST(PickUps, EachReasonIsGiven) {
  const auto only = [](Story& story) {
    const auto grasps = story.grasps();
    EXPECT_EQ(grasps.size(), 1u);
    return grasps.empty() ? std::vector<Unsuitable>{} : grasps[0].why;
  };
  Story hook;
  hook.thumb = false;
  EXPECT_EQ(only(leave(pick_up(hook))), std::vector{Unsuitable::kHook});
  Story below;
  below.palm_up = 0.9;
  EXPECT_EQ(only(leave(pick_up(below))), std::vector{Unsuitable::kFromBelow});
  Story there;
  there.go(0.3, 0.02, 0.0, 0.0).go(0.5, 0.02, 0.0, 0.1).go(0.5, 0.02, 0.0, 0.0);
  EXPECT_EQ(only(leave(there)), std::vector{Unsuitable::kNoApproach});
  Story over;  // it moves in the air before the hand comes
  over.go(0.5, 0.3, 0.3, 0.0).go(0.5, 0.3, 0.3, 0.2).go(0.5, 0.1, 0.1, 0.3);
  over.go(0.2, 0.02, 0.0, 0.25).go(0.6, 0.02, 0.0, 0.4).go(0.6, 0.02, 0.0, 0.0);
  EXPECT_EQ(only(leave(over)), std::vector{Unsuitable::kTakenOver});
  Story open;  // carried, but nothing opposes
  open.go(0.5, 0.3, 0.3, 0.0).go(0.5, 0.0, 0.1, 0.0).go(0.5, 0.0, 0.1, 0.1);
  open.go(0.5, 0.0, 0.1, 0.0).go(0.5, 0.3, 0.3, 0.0);
  EXPECT_EQ(only(open), std::vector{Unsuitable::kNeverCloses});
}

TEST(PickUps, AHandThatTouchesNothingPicksUpNothing) {
  Story away;
  away.go(1.0, 0.2, 0.2, 0.0).go(1.0, 0.1, 0.1, 0.0).go(1.0, 0.2, 0.2, 0.0);
  EXPECT_TRUE(away.grasps().empty());
  EXPECT_TRUE(find_pick_ups({}, kTolerance).empty());
}

TEST(PickUps, TheBestIsSuitableThenWholeThenFirst) {
  GraspSpan good, half, bad;
  good.comes = good.goes = half.comes = bad.comes = bad.goes = true;
  bad.why = {Unsuitable::kHook};
  EXPECT_EQ(best_grasp({bad, half, good, good}), 2);
  EXPECT_EQ(best_grasp({bad, half}), 1);
  EXPECT_EQ(best_grasp({bad}), 0);
}

}  // namespace
}  // namespace prehend::example_control
