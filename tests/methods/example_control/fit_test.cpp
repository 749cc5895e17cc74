#include "prehend/methods/example_control/fit.h"

#include <gtest/gtest.h>

#include "methods/example_control/example_data.h"
#include "tests/methods/example_control/test_controller.h"

namespace prehend::example_control {
namespace {

constexpr double kRate = 100.0;
constexpr double kTolerance = 0.005;

// Distances over time in straight pieces.
struct Signal {
  std::vector<double> values;
  Signal& go(double seconds, double to) {
    const int frames = static_cast<int>(seconds * kRate + 0.5);
    const double from = values.empty() ? to : values.back();
    for (int i = 1; i <= frames; ++i) values.push_back(from + (to - from) * i / frames);
    return *this;
  }
};

// Fingers are as near as the palm is far, less what they close by.
std::vector<double> touch_of(const std::vector<double>& palm, double reach = 0.02) {
  std::vector<double> touch;
  for (double gap : palm) touch.push_back(std::max(0.0, gap - reach));
  return touch;
}

TEST(FindGrasps, TwoGraspsWithAPauseBetweenThem) {
  Signal palm;
  palm.go(0.5, 0.3).go(0.5, 0.01).go(1.0, 0.01).go(0.5, 0.2);  // the first, let go at 2.0
  palm.go(0.5, 0.01).go(0.6, 0.01).go(0.5, 0.25).go(0.3, 0.25);
  const auto grasps = find_grasp_spans(palm.values, touch_of(palm.values), kRate, kTolerance);
  ASSERT_EQ(grasps.size(), 2u);
  for (const GraspSpan& grasp : grasps) {
    EXPECT_TRUE(grasp.whole());
    EXPECT_NEAR(grasp.level, 0.01 + kTolerance, 1e-12);
  }
  // Where the palm is within the tolerance of its level, to a frame or two.
  EXPECT_NEAR(grasps[0].grip, 100, 2);
  EXPECT_NEAR(grasps[0].release, 200, 3);
  EXPECT_NEAR(grasps[0].first, 49, 1);  // the last moment far away
  EXPECT_NEAR(grasps[0].last, 249, 1);  // farthest between the two
  EXPECT_NEAR(grasps[1].first, 249, 1);
  EXPECT_NEAR(grasps[1].grip, 300, 2);
  EXPECT_NEAR(grasps[1].release, 360, 3);
  EXPECT_NEAR(grasps[1].last, 409, 1);
}

TEST(FindGrasps, AShortLossOfTouchDoesNotEndAGrasp) {
  Signal palm;
  palm.go(0.5, 0.3).go(0.5, 0.01).go(1.0, 0.01).go(0.5, 0.3);
  std::vector<double> touch = touch_of(palm.values);
  std::fill(touch.begin() + 140, touch.begin() + 153, 0.02);
  EXPECT_EQ(find_grasp_spans(palm.values, touch, kRate, kTolerance).size(), 1u);
  std::fill(touch.begin() + 140, touch.begin() + 160, 0.02);
  EXPECT_EQ(find_grasp_spans(palm.values, touch, kRate, kTolerance).size(), 2u);
}

TEST(FindGrasps, ATouchThatIsTooShortIsNone) {
  Signal palm;
  palm.go(0.5, 0.3).go(0.5, 0.05).go(0.5, 0.05).go(0.5, 0.3);
  std::vector<double> touch(palm.values.size(), 0.04);
  std::fill(touch.begin() + 110, touch.begin() + 128, 0.0);
  EXPECT_TRUE(find_grasp_spans(palm.values, touch, kRate, kTolerance).empty());
  std::fill(touch.begin() + 110, touch.begin() + 133, 0.0);
  EXPECT_EQ(find_grasp_spans(palm.values, touch, kRate, kTolerance).size(), 1u);
}

TEST(FindGrasps, AHandThatIsThereFromTheBeginningDoesNotCome) {
  Signal palm;
  palm.go(1.0, 0.01).go(0.5, 0.3);
  auto grasps = find_grasp_spans(palm.values, touch_of(palm.values), kRate, kTolerance);
  ASSERT_EQ(grasps.size(), 1u);
  EXPECT_FALSE(grasps[0].comes);
  EXPECT_TRUE(grasps[0].goes);
  EXPECT_FALSE(grasps[0].whole());
  EXPECT_EQ(grasps[0].first, 0);

  std::reverse(palm.values.begin(), palm.values.end());
  grasps = find_grasp_spans(palm.values, touch_of(palm.values), kRate, kTolerance);
  ASSERT_EQ(grasps.size(), 1u);
  EXPECT_TRUE(grasps[0].comes);
  EXPECT_FALSE(grasps[0].goes);
  EXPECT_LE(grasps[0].last, static_cast<int>(palm.values.size()) - 1);
}

TEST(FindGrasps, AHandThatStaysAwayGraspsNothing) {
  const std::vector<double> far(100, 0.2);
  EXPECT_TRUE(find_grasp_spans(far, far, kRate, kTolerance).empty());
  EXPECT_TRUE(find_grasp_spans({}, {}, kRate, kTolerance).empty());
}

class Fit : public testing::Test {
 protected:
  static void SetUpTestSuite() { clip_ = new Clip(cylinder_grasp()); }
  static void TearDownTestSuite() { delete clip_; }
  static FitProblem problem() {
    FitProblem made;
    made.example = *clip_;
    return made;
  }
  // One line with these words, or an empty string if all went well.
  static void expect_error(const FitProblem& problem, const std::string& words,
                           const FitOptions& options = {}) {
    const auto result = fit(problem, options);
    ASSERT_FALSE(result.ok()) << words;
    EXPECT_NE(result.message().find(words), std::string::npos) << result.message();
    EXPECT_EQ(result.message().find('\n'), std::string::npos) << result.message();
  }
  static Clip* clip_;
};
Clip* Fit::clip_ = nullptr;

// Digits that hold, turn what they hold, rest and then open along another direction, as a bell of
// speed that has its top a moment before they leave.
TEST(GraspSpans, OpeningBeginsWhereTheJointsStartToMoveThatWay) {
  constexpr int kBegins = 150, kTop = 168, kLeaves = 172;
  Eigen::MatrixXd speeds = Eigen::MatrixXd::Zero(300, 6);
  for (int f = 80; f < 130; ++f) speeds(f, 0) = 3.0;
  for (int f = kBegins; f <= 2 * kTop - kBegins; ++f) {
    const double bell = 0.5 - 0.5 * std::cos(kPi * (f - kBegins) / (kTop - kBegins));
    speeds.row(f).tail<3>().setConstant(2.0 * bell);
  }
  GraspSpan span;
  span.grip = 60;
  span.release = kLeaves;
  span.last = 299;
  EXPECT_NEAR(opening_begins(speeds, span, kRate), kBegins, 6);
  EXPECT_GE(opening_begins(speeds, span, kRate), kBegins);
  span.grip = kTop - 3;  // never before the grip
  EXPECT_GT(opening_begins(speeds, span, kRate), span.grip);
  EXPECT_EQ(opening_begins(0.01 * speeds, span, kRate), kLeaves);
}

// Digits that stay two centimeters off and come nearest only for a moment.
TEST(GraspSpans, WhatMovesBesideAHandIsHeldThoughTheCaptureLeavesAGap) {
  constexpr int kLifts = 100, kSetsDown = 200, kFrames = 300;
  std::vector<double> palm(kFrames), touch(kFrames), speed(kFrames, 0.0);
  for (int f = 0; f < kFrames; ++f) {
    const double away = std::max({0, 90 - f, f - 210});
    palm[f] = 0.04 + 0.003 * away;
    touch[f] = (f == 150 ? 0.005 : 0.02) + 0.003 * away;
    if (f >= kLifts && f <= kSetsDown && std::abs(f - 150) > 30) speed[f] = 0.3;
  }
  EXPECT_TRUE(find_grasp_spans(palm, touch, kRate, 0.005).empty());
  const auto grasps = find_grasp_spans(palm, touch, kRate, 0.005, speed);
  ASSERT_EQ(grasps.size(), 1u);
  EXPECT_TRUE(grasps[0].whole());
  EXPECT_NEAR(grasps[0].grip, kLifts, 2);
  EXPECT_NEAR(grasps[0].release, kSetsDown, 2);
  EXPECT_TRUE(find_grasp_spans(palm, touch, kRate, 0.005, std::vector<double>(kFrames)).empty());
}

// The performer begins to let go at 4 s and has left a quarter of a second later.
TEST(GraspSpans, TheReleaseIsWhenThePerformerBeginsToLetGo) {
  FitProblem problem;
  problem.example = cylinder_grasp();
  const auto grasps = list_grasps(problem);
  ASSERT_TRUE(grasps.ok()) << grasps.message();
  ASSERT_EQ(grasps->size(), 1u);
  EXPECT_NEAR(grasps->front().release / problem.example.frame_rate, 4.0, 0.06);
}

// The method's promise: free motion along the example's wrist is the example's.
TEST_F(Fit, FreeMotionIsTheExamples) {
  constexpr double kWithin = radians(8.0);
  FitProblem searched = problem();
  searched.library = {range_of_motion()};
  const auto best = fit(searched);
  ASSERT_TRUE(best.ok()) << best.message();
  const FitResult& given = fitted_grasp();
  for (const FitResult* result : {&*best, &given}) {
    EXPECT_LT(result->free_rms, kWithin);
    EXPECT_LT(result->free_joint_rms, kWithin);
    EXPECT_EQ(result->example_angles.rows(), result->free_angles.rows());
    EXPECT_EQ(result->phases.size(), static_cast<size_t>(result->free_angles.rows()));
    RecordProperty("free_rms_deg", std::to_string(degrees(result->free_rms)));
    // By hand: the mean square over the components that move by two degrees.
    double sum = 0.0;
    int moving = 0;
    const auto learned = double(std::count(result->learned.begin(), result->learned.end(), 1));
    EXPECT_GT(learned, 100);
    for (int k = 0; k < result->example_angles.cols(); ++k) {
      const auto was = result->example_angles.col(k);
      if (was.maxCoeff() - was.minCoeff() < radians(2.0)) continue;
      for (int f = 0; f < was.size(); ++f)
        if (result->learned[f]) sum += std::pow(was[f] - result->free_angles(f, k), 2) / learned;
      ++moving;
    }
    EXPECT_NEAR(result->free_rms, std::sqrt(sum / moving), 1e-9);
    EXPECT_GT(moving, 20);
  }
  // Searching does not make the model's own error worse; the engine's may differ by a little.
  EXPECT_LT(best->free_rms, given.free_rms + radians(0.5));
}

TEST_F(Fit, TheControllerIsWholeAndHasTheExamplesPath) {
  const FitResult& result = fitted_grasp();
  const Controller& controller = result.controller;
  ASSERT_TRUE(validate(controller).ok());
  EXPECT_TRUE(fits_hand(controller, *result.hand).ok());
  EXPECT_TRUE((controller.neutral.array() >= controller.lower.array()).all());
  EXPECT_TRUE((controller.neutral.array() <= controller.upper.array()).all());
  const ExamplePath& path = controller.path;
  EXPECT_EQ(path.wrist_world.size(), result.phases.size());
  EXPECT_NEAR(controller.grip_seconds, (path.release_frame - path.grip_frame) / path.frame_rate,
              1e-9);
  // The palm has arrived when it grips, and the states follow figure 3.
  EXPECT_EQ(path.distances[path.grip_frame], 0.0);
  EXPECT_EQ(result.phases[path.grip_frame], Phase::kGripping);
  EXPECT_EQ(result.phases[path.release_frame - 1], Phase::kGripping);
  EXPECT_EQ(result.phases[path.release_frame], Phase::kReleasing);
  EXPECT_TRUE(std::is_sorted(result.phases.begin(), result.phases.end()));
}

TEST_F(Fit, NeutralIsTheMeanOfTheLibraryAndLimitsItsExtremes) {
  FitProblem with = problem();
  with.library = {range_of_motion()};
  FitOptions options;
  options.distances = Distances{};
  const auto alone = fit(problem(), options), more = fit(with, options);
  ASSERT_TRUE(alone.ok() && more.ok());
  const Controller &a = alone->controller, &b = more->controller;
  EXPECT_TRUE((b.lower.array() <= a.lower.array()).all());
  EXPECT_TRUE((b.upper.array() >= a.upper.array()).all());
  const HandTrack track = as_ball_hand(with.library[0].hands[0]).value();
  const Eigen::MatrixXd moved = joint_angles(track);
  const double own = clip_->frame_count(), other = static_cast<double>(moved.rows());
  const Eigen::VectorXd mean =
      (own * a.neutral + other * moved.colwise().mean().transpose()) / (own + other);
  EXPECT_LT((b.neutral - mean).cwiseAbs().maxCoeff(), 1e-9);
}

TEST_F(Fit, TheSameClipGivesTheSameBytes) {
  FitOptions options;
  options.distances = Distances{};
  const auto one = fit(problem(), options), other = fit(problem(), options);
  ASSERT_TRUE(one.ok() && other.ok());
  EXPECT_EQ(one->controller.positions, other->controller.positions);
  EXPECT_EQ(one->controller.velocities, other->controller.velocities);
  EXPECT_EQ(one->free_angles, other->free_angles);
}

TEST_F(Fit, BadExamplesAreRefusedInOneLine) {
  const auto whole = list_grasps(problem());
  ASSERT_TRUE(whole.ok()) << whole.message();
  ASSERT_EQ(whole->size(), 1u);
  const GraspSpan span = whole->front();
  const int last = clip_->frame_count() - 1;

  FitProblem bad = problem();
  bad.example = cut(*clip_, span.grip + 2, last);
  expect_error(bad, "no approach");
  bad.example = cut(*clip_, 0, span.first + 5);
  expect_error(bad, "no contact");
  bad = problem();
  bad.example.frame_rate = 12.0;
  expect_error(bad, "12 frames a second: too few");
  bad = problem();
  bad.hand = 1;
  expect_error(bad, "no hand 2");
  bad = problem();
  bad.object = 1;
  expect_error(bad, "neither an object nor a second hand");
  bad.object = -1;
  expect_error(bad, "neither an object nor a second hand");
  FitOptions options;
  options.grasp = 3;
  expect_error(problem(), "has 1 grasp, from 0 on: there is no 3", options);
}

TEST_F(Fit, AFewFramesAreNoGrasp) {
  FitProblem bad = problem();
  for (int frames : {1, 2, 5}) {
    bad.example = cut(*clip_, 0, frames - 1);
    expect_error(bad, "no contact");
  }
  bad.example.hands[0].poses.clear();
  bad.example.objects[0].poses_world.clear();
  expect_error(bad, "no contact");
}

TEST_F(Fit, ABallHandMovesAsTheHandItWasMadeOf) {
  const HandTrack& given = clip_->hands[0];
  const auto made = as_ball_hand(given);
  ASSERT_TRUE(made.ok()) << made.message();
  ASSERT_EQ(made->poses.size(), given.poses.size());
  for (size_t f = 0; f < given.poses.size(); f += 20) {
    const auto was = xr_frames(*given.hand, given.poses[f]);
    const auto is = xr_frames(*made->hand, made->poses[f]);
    for (int j = 0; j < kXrJointCount; ++j)
      EXPECT_LT(angle_between(was[j].rotation, is[j].rotation), 1e-6) << f << " " << j;
  }
}

TEST_F(Fit, AHandWithoutALittleFingerIsRefused) {
  Hand lacking = *clip_->hands[0].hand;
  const auto names = xr_joint_names();
  for (size_t j = 0; j < names.size(); ++j) {
    if (names[j] == "little-proximal") lacking.xr_segments[j] = -1;
  }
  FitProblem bad = problem();
  bad.example.hands[0].hand = std::make_shared<const Hand>(lacking);
  expect_error(bad, "lacks the joint little-proximal");
  bad = problem();
  bad.library = {bad.example};
  bad.library[0].hands[0].hand = std::make_shared<const Hand>(lacking);
  expect_error(bad, "lacks the joint");
}

TEST_F(Fit, BadOptionsAreRefusedInOneLine) {
  FitOptions options;
  options.distances = Distances{0.3, 0.05};
  expect_error(problem(), "D1 = 0.3 m must be less than D2 = 0.05 m", options);
  options.distances = Distances{0.3, 0.3};
  expect_error(problem(), "must be less than", options);
  options.distances = Distances{NAN, 0.3};
  expect_error(problem(), "D1", options);
  options.distances = Distances{-0.1, 0.3};
  expect_error(problem(), "0 < D1 < D2", options);
  options = {};
  options.distances = Distances{};
  options.gains.stiffness = 1e7;
  expect_error(problem(), "unstable", options);
  options.gains = {200.0, -1.0, 5000.0};
  expect_error(problem(), "damping", options);
  options.gains = {NAN, 50.0, 5000.0};
  expect_error(problem(), "stiffness nan", options);
}

TEST_F(Fit, ALibraryOfTheOtherHandIsRefused) {
  FitProblem bad = problem();
  HandOptions options;
  options.profile = HandProfile::kBall;
  options.side = Side::kLeft;
  const HandPtr left = std::make_shared<const Hand>(build_hand(options).value());
  Clip other;
  other.name = "other";
  other.hands = {{left, std::vector<HandPose>(10, rest_pose(*left))}};
  bad.library = {other};
  expect_error(bad, "'other' shows a left hand, the example a right one");
  bad.library[0].hands.clear();
  expect_error(bad, "'other' has no hand");
}

TEST_F(Fit, AnglesGoOnBeyondAHalfTurn) {
  const HandPtr hand = std::make_shared<const Hand>(ball_hand());
  HandTrack track{hand, {}};
  const int dof = hand->dof();
  for (double angle = 2.8; angle < 3.6; angle += 0.05) {
    Eigen::VectorXd q = Eigen::VectorXd::Zero(dof);
    q[6] = angle;
    track.poses.push_back(pose_from_coordinates(*hand, {}, q));
  }
  const Eigen::MatrixXd angles = joint_angles(track);
  for (int f = 0; f < angles.rows(); ++f) EXPECT_NEAR(angles(f, 6), 2.8 + 0.05 * f, 1e-9) << f;
}

}  // namespace
}  // namespace prehend::example_control
