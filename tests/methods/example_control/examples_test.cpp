#include "prehend/methods/example_control/examples.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "prehend/core/hand_builder.h"
#include "tests/methods/clip_gaps.h"

namespace prehend::example_control {
namespace {

constexpr double kHeldPenetration = 0.001;    // meters, of the hand into what it holds
constexpr double kMotionPenetration = 0.002;  // on the way there and back
constexpr double kSelfPenetration = 0.003;
constexpr double kTouch = 0.001;         // a segment this near counts as touching
constexpr double kLimit = radians(1.0);  // this near counts as reached
constexpr double kFarAway = 0.40;        // meters, before the reach and after
constexpr double kStillSeconds = 0.5;    // at both ends
constexpr PerformanceOptions kQuiet = {.noise = 0.0};

double gap(const Clip& clip, int frame) {
  const auto all = gaps(clip, frame);
  return *std::min_element(all.begin(), all.end());
}

double worst_self_penetration(const Clip& clip) {
  double worst = 0.0;
  for (const HandTrack& track : clip.hands) {
    for (const HandPose& pose : track.poses)
      worst = std::max(worst, self_penetration(*track.hand, pose).depth);
  }
  return worst;
}

Vec3 wrist(const Clip& clip, int frame, int hand = 0) {
  return clip.hands[hand].poses[frame].root_world.position;
}

double largest_turn(const HandPose& a, const HandPose& b) {
  double turn = angle_between(a.root_world.rotation, b.root_world.rotation);
  for (std::size_t s = 0; s < a.rotations.size(); ++s)
    turn = std::max(turn, angle_between(a.rotations[s], b.rotations[s]));
  return turn;
}

void expect_stillness_at_both_ends(const Clip& clip) {
  const int still = static_cast<int>(kStillSeconds * clip.frame_rate);
  const int last = clip.frame_count() - 1;
  for (const HandTrack& track : clip.hands) {
    for (int f = 0; f <= still; ++f) {
      for (const auto& [frame, end] : {std::pair(f, 0), std::pair(last - f, last)}) {
        EXPECT_LT(largest_turn(track.poses[frame], track.poses[end]), 1e-9);
        EXPECT_LT(
            (track.poses[frame].root_world.position - track.poses[end].root_world.position).norm(),
            1e-9);
      }
    }
  }
}

bool same_bytes(const Clip& a, const Clip& b) {
  if (a.frame_count() != b.frame_count() || a.hands.size() != b.hands.size()) return false;
  for (std::size_t h = 0; h < a.hands.size(); ++h) {
    for (int f = 0; f < a.frame_count(); ++f) {
      const HandPose &p = a.hands[h].poses[f], &q = b.hands[h].poses[f];
      if (p.root_world.position != q.root_world.position) return false;
      for (std::size_t s = 0; s < p.rotations.size(); ++s) {
        if (p.rotations[s].coeffs() != q.rotations[s].coeffs()) return false;
      }
    }
  }
  return true;
}

using Maker = Clip (*)(const PerformanceOptions&);
class EveryExample : public testing::TestWithParam<Maker> {};

TEST_P(EveryExample, IsAValidClipOfRightBallHandsThatDoNotPassThroughThemselves) {
  const Clip clip = GetParam()({});
  EXPECT_TRUE(validate(clip).ok());
  for (const HandTrack& track : clip.hands) {
    EXPECT_EQ(track.hand->profile, "ball");
    EXPECT_EQ(track.hand->side, Side::kRight);
    EXPECT_NEAR(track.hand->length, 0.19, 1e-3);
  }
  EXPECT_LT(worst_self_penetration(clip), kSelfPenetration);
}

TEST_P(EveryExample, IsStillAtBothEnds) { expect_stillness_at_both_ends(GetParam()(kQuiet)); }

TEST_P(EveryExample, IsTheSameForTheSameSeedAndDiffersForAnother) {
  EXPECT_TRUE(same_bytes(GetParam()({}), GetParam()({})));
  EXPECT_FALSE(same_bytes(GetParam()({}), GetParam()({.seed = 2})));
}

TEST_P(EveryExample, TakesAsLongAtAnyFrameRate) {
  EXPECT_NEAR(GetParam()({.frame_rate = 120.0}).duration(), GetParam()({}).duration(), 0.02);
}

// The noise of neighboring frames of a hand at rest: of two normal deviations in three directions.
TEST_P(EveryExample, IsAsNoisyAsAsked) {
  const PerformanceOptions options{.noise = radians(0.3)};
  const Clip clip = GetParam()(options);
  double sum = 0.0;
  int count = 0;
  for (int f = 1; f < kStillSeconds * clip.frame_rate; ++f) {
    for (std::size_t s = 1; s < clip.hands[0].hand->segments.size(); ++s) {
      const auto& poses = clip.hands[0].poses;
      const double turn = angle_between(poses[f].rotations[s], poses[f - 1].rotations[s]);
      sum += turn * turn;
      ++count;
    }
  }
  EXPECT_NEAR(std::sqrt(sum / (6.0 * count)), options.noise, 0.1 * options.noise);
}

INSTANTIATE_TEST_SUITE_P(Examples, EveryExample,
                         testing::Values(cylinder_grasp, range_of_motion, handshake));

class CylinderGrasp : public testing::Test {
 protected:
  // The first frame at which the object is lifted this far.
  int frame_at_height(double height) const {
    int f = 0;
    while (f + 1 < clip_.frame_count() && lifted(f) < height) ++f;
    return f;
  }
  double lifted(int frame) const {
    return clip_.objects[0].poses_world[frame].position.y() -
           clip_.objects[0].poses_world[0].position.y();
  }
  double aperture(int frame) const {
    const auto joints = xr_frames(*clip_.hands[0].hand, clip_.hands[0].poses[frame]);
    return (joints[xr_tip_of(Digit::kThumb)].position - joints[xr_tip_of(Digit::kIndex)].position)
        .norm();
  }
  // Frames at which the wrist leaves its first place and comes to the object.
  std::pair<int, int> reach() const {
    int start = 0, end = 0;
    while ((wrist(clip_, start) - wrist(clip_, 0)).norm() < 1e-6) ++start;
    for (end = start; (wrist(clip_, end + 1) - wrist(clip_, end)).norm() > 1e-6;) ++end;
    return {start, end};
  }
  const Clip clip_ = cylinder_grasp();
};

TEST_F(CylinderGrasp, HoldsWithThumbFingersAndPalmWithoutPenetration) {
  const Clip clean = cylinder_grasp(kQuiet);
  const int held = frame_at_height(0.14);
  const Hand& hand = *clean.hands[0].hand;
  const auto gap = gaps(clean, held);
  for (Digit digit : kDigits)
    EXPECT_LT(gap[hand.pads[static_cast<int>(digit)].segment], kTouch) << to_string(digit);
  double palm = INFINITY;
  for (int s = 0; s < hand.segment_count(); ++s)
    palm = hand.segments[s].phalanx <= 0 ? std::min(palm, gap[s]) : palm;
  EXPECT_LT(palm, kTouch);
  EXPECT_GT(*std::min_element(gap.begin(), gap.end()), -kHeldPenetration);
}

TEST_F(CylinderGrasp, NeverPassesThroughTheCylinderOrTheFloor) {
  for (std::uint64_t seed : {1, 2, 3, 4}) {
    const Clip clip = cylinder_grasp({.seed = seed});
    const Hand& hand = *clip.hands[0].hand;
    for (int f = 0; f < clip.frame_count(); f += 2) {
      EXPECT_GT(gap(clip, f), -kMotionPenetration) << "seed " << seed << " frame " << f;
      const auto frames = segment_frames(hand, clip.hands[0].poses[f]);
      for (int s = 0; s < hand.segment_count(); ++s) {
        for (const Capsule& local : hand.segments[s].capsules) {
          const Capsule capsule = frames[s] * local;
          EXPECT_GT(std::min(capsule.a.y(), capsule.b.y()), capsule.radius);
        }
      }
    }
  }
}

TEST_F(CylinderGrasp, ComesFromAfarAndGoesThere) {
  EXPECT_GT(gap(clip_, 0), kFarAway);
  EXPECT_GT(gap(clip_, clip_.frame_count() - 1), kFarAway);
  const auto [start, end] = reach();
  for (int f = start; f < end; ++f) {
    EXPECT_LE((wrist(clip_, f + 1) - wrist(clip_, end)).norm(),
              (wrist(clip_, f) - wrist(clip_, end)).norm());
  }
}

// Jeannerod's observation: the aperture peaks at 60 to 70 % of the reach and exceeds the thing.
TEST_F(CylinderGrasp, OpensWidestAtTwoThirdsOfTheReach) {
  const auto [start, end] = reach();
  int widest = start;
  for (int f = start; f <= end; ++f) widest = aperture(f) > aperture(widest) ? f : widest;
  EXPECT_GT(widest - start, 0.6 * (end - start));
  EXPECT_LT(widest - start, 0.72 * (end - start));
  const double diameter = 2.0 * clip_.objects[0].object->shape.size.x();
  EXPECT_GT(aperture(widest), 1.3 * diameter);
  EXPECT_LT(aperture(0), aperture(widest) - 0.03);
  EXPECT_LT(aperture(frame_at_height(0.1)), aperture(widest) - 0.03);
}

TEST_F(CylinderGrasp, LiftsTheCylinderRigidlyAndSetsItDownWhereItStood) {
  const auto& object = clip_.objects[0];
  const double half_height = object.object->shape.size.y();
  EXPECT_NEAR(object.poses_world[0].position.y(), half_height, 1e-9);
  EXPECT_LT((object.poses_world.back().position - object.poses_world[0].position).norm(), 1e-9);
  double highest = 0.0;
  const int held = frame_at_height(0.05);
  const Transform first =
      clip_.hands[0].poses[held].root_world.inverse() * object.poses_world[held];
  for (int f = 0; f < clip_.frame_count(); ++f) {
    highest = std::max(highest, lifted(f));
    if (lifted(f) < 1e-6) continue;
    const Transform now = clip_.hands[0].poses[f].root_world.inverse() * object.poses_world[f];
    EXPECT_LT((now.position - first.position).norm(), 1e-9);
    EXPECT_LT(angle_between(now.rotation, first.rotation), 1e-7);
    // Upright all the way.
    EXPECT_LT(angle_between(object.poses_world[f].rotation, Quat::Identity()), 1e-7);
  }
  EXPECT_NEAR(highest, 0.15, 1e-6);
}

TEST_F(CylinderGrasp, ThumbIsUpAndThePalmFacesTheCylinder) {
  const int before = reach().second - 20;
  const Transform& root = clip_.hands[0].poses[before].root_world;
  EXPECT_GT(root.turn(-Vec3::UnitX()).y(), 0.9);  // the thumb's side
  const Vec3 palm = root.turn(-Vec3::UnitY());
  EXPECT_LT(std::abs(palm.y()), 1e-6);
  const Vec3 knuckle = root * Vec3(0.0, 0.0, -0.09);
  EXPECT_GT(palm.dot((clip_.objects[0].poses_world[before].position - knuckle).normalized()), 0.7);
}

TEST(RangeOfMotion, ReachesBothEndsOfEveryCoordinate) {
  const Clip clip = range_of_motion(kQuiet);
  const Hand hand = build_hand().value();
  const CoordinateLimits limits = coordinate_limits(hand);
  Eigen::VectorXd least = limits.upper, most = limits.lower;
  for (const HandPose& pose : clip.hands[0].poses) {
    const Eigen::VectorXd q = coordinates(hand, retarget(*clip.hands[0].hand, pose, hand));
    EXPECT_LT(limit_violation(limits, q), 1e-6);
    least = least.cwiseMin(q);
    most = most.cwiseMax(q);
  }
  int c = 0;
  for (const Segment& segment : hand.segments) {
    for (const Joint& joint : segment.joints) {
      EXPECT_LT(least[c] - limits.lower[c], kLimit) << joint.name;
      EXPECT_LT(limits.upper[c] - most[c], kLimit) << joint.name;
      ++c;
    }
  }
}

TEST(RangeOfMotion, MovesFingerByFingerAndKeepsTheWristStill) {
  const Clip clip = range_of_motion(kQuiet);
  const Hand& hand = *clip.hands[0].hand;
  const HandPose& rest = clip.hands[0].poses[0];
  std::vector<Digit> order;  // of fingers that bend alone
  for (int f = 0; f < clip.frame_count(); ++f) {
    const HandPose& pose = clip.hands[0].poses[f];
    EXPECT_EQ(wrist(clip, f), wrist(clip, 0));
    std::vector<Digit> bent;
    for (Digit digit : kDigits) {
      const int middle = hand.xr_segments[xr_tip_of(digit) - 1];
      if (angle_between(pose.rotations[middle], rest.rotations[middle]) > radians(30.0))
        bent.push_back(digit);
    }
    if (bent.size() == 1 && (order.empty() || order.back() != bent[0])) order.push_back(bent[0]);
  }
  const std::vector<Digit> expected = {Digit::kIndex, Digit::kMiddle, Digit::kRing, Digit::kLittle,
                                       Digit::kThumb};
  ASSERT_GE(order.size(), expected.size());
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), order.begin()));
}

class Handshake : public testing::Test {
 protected:
  // Least gap between those segments of the two hands that are asked for; negative inside.
  template <class Wanted>
  static double gap_between(const Clip& clip, int frame, const Wanted& wanted) {
    double least = INFINITY;
    const Hand &first = *clip.hands[0].hand, &second = *clip.hands[1].hand;
    const auto at = segment_frames(first, clip.hands[0].poses[frame]);
    const auto other_at = segment_frames(second, clip.hands[1].poses[frame]);
    for (int s = 0; s < first.segment_count(); ++s) {
      for (int t = 0; t < second.segment_count(); ++t) {
        if (!wanted(first.segments[s], second.segments[t])) continue;
        for (const Capsule& one : first.segments[s].capsules) {
          for (const Capsule& other : second.segments[t].capsules)
            least = std::min(least, distance(at[s] * one, other_at[t] * other));
        }
      }
    }
    return least;
  }
  static bool any(const Segment&, const Segment&) { return true; }
  static bool palms(const Segment& a, const Segment& b) { return a.phalanx <= 0 && b.phalanx <= 0; }
  // Frames from the first to the last of the shakes.
  std::pair<int, int> shakes() const {
    std::vector<int> high;
    for (int f = 0; f < clip_.frame_count(); ++f) {
      if (wrist(clip_, f).y() > clasp_height() + 0.005) high.push_back(f);
    }
    return {high.front(), high.back()};
  }
  // Of the wrist when the hands have come together: it is nearest to the middle from then on.
  double clasp_height() const {
    int arrived = 0;
    for (int f = 1; f < clip_.frame_count(); ++f)
      arrived = wrist(clip_, f).z() < wrist(clip_, arrived).z() - 1e-9 ? f : arrived;
    return wrist(clip_, arrived).y();
  }
  const Clip clip_ = handshake(kQuiet);
};

TEST_F(Handshake, IsOfTwoHandsThatAreOneTurnedHalfAboutTheVertical) {
  ASSERT_EQ(clip_.hands.size(), 2u);
  EXPECT_EQ(clip_.hands[0].hand->name, "first");
  EXPECT_EQ(clip_.hands[1].hand->name, "second");
  const Transform half_turn{exp_map({0.0, kPi, 0.0}), Vec3::Zero()};
  for (int f = 0; f < clip_.frame_count(); ++f) {
    const auto first = segment_frames(*clip_.hands[0].hand, clip_.hands[0].poses[f]);
    const auto second = segment_frames(*clip_.hands[1].hand, clip_.hands[1].poses[f]);
    for (std::size_t s = 0; s < first.size(); ++s) {
      const Transform turned = half_turn * first[s];
      EXPECT_LT((turned.position - second[s].position).norm(), 1e-9);
      EXPECT_LT(angle_between(turned.rotation, second[s].rotation), 1e-6);
    }
  }
}

TEST_F(Handshake, HandsComeFromAfarAndNeverPassThroughEachOther) {
  EXPECT_GT(gap_between(clip_, 0, any), 0.3);
  EXPECT_GT(gap_between(clip_, clip_.frame_count() - 1, any), 0.3);
  for (std::uint64_t seed : {1, 2}) {
    const Clip noisy = handshake({.seed = seed});
    for (int f = 0; f < noisy.frame_count(); f += 2)
      EXPECT_GT(gap_between(noisy, f, any), -kMotionPenetration) << "frame " << f;
  }
}

TEST_F(Handshake, PalmsTouchAndDigitsLieOnTheOtherThroughTheShakes) {
  const auto [first, last] = shakes();
  for (int f = first; f <= last; f += 5) {
    EXPECT_LT(gap_between(clip_, f, palms), kTouch);
    for (Digit digit : kDigits) {
      const auto digit_on_palm = [digit](const Segment& a, const Segment& b) {
        return a.digit == digit && a.phalanx > 0 && b.phalanx <= 1;
      };
      EXPECT_LT(gap_between(clip_, f, digit_on_palm), kTouch) << to_string(digit);
    }
  }
  // They hold: nothing moves against anything.
  EXPECT_LT(largest_turn(clip_.hands[0].poses[first], clip_.hands[0].poses[last]), 1e-9);
}

// In the other's frame: the back is +Y, the thumb's side -X.
TEST_F(Handshake, ThumbsLieOverTheTopAndFingersReachAroundTheLittleFingersSide) {
  const int f = shakes().first;
  const Hand& hand = *clip_.hands[0].hand;
  const auto frames = segment_frames(hand, clip_.hands[0].poses[f]);
  const Transform other = clip_.hands[1].poses[f].root_world;
  const auto tip = [&](Digit digit) {
    const FingerPad& pad = hand.pads[static_cast<int>(digit)];
    return Vec3(other.inverse() * (frames[pad.segment] * pad.tip));
  };
  EXPECT_GT(tip(Digit::kThumb).y(), 0.0);
  for (Digit finger : {Digit::kIndex, Digit::kMiddle, Digit::kRing, Digit::kLittle}) {
    EXPECT_GT(tip(finger).x(), 0.02) << to_string(finger);
    EXPECT_GT(tip(finger).y(), 0.0) << to_string(finger);
  }
  EXPECT_GT(clip_.hands[0].poses[f].root_world.turn(-Vec3::UnitX()).y(), 0.7);  // thumbs up
}

TEST_F(Handshake, ShakesThreeTimesUpAndDown) {
  const auto [first, last] = shakes();
  const double middle = clasp_height();
  int rises = 0;
  double highest = 0.0, lowest = 0.0;
  for (int f = first - 5; f < last + 15; ++f) {
    const double now = wrist(clip_, f).y() - middle, next = wrist(clip_, f + 1).y() - middle;
    rises += now < 0.005 && next >= 0.005;
    highest = std::max(highest, now);
    lowest = std::min(lowest, now);
  }
  EXPECT_EQ(rises, 3);
  EXPECT_NEAR(highest, 0.04, 2e-3);
  EXPECT_NEAR(lowest, -0.04, 2e-3);
}

}  // namespace
}  // namespace prehend::example_control
