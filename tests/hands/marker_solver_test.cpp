#include "prehend/hands/marker_solver.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "prehend/core/hand_builder.h"
#include "prehend/core/random.h"
#include "prehend/hands/digits.h"
#include "prehend/hands/posture.h"
#include "prehend/io/marker_file.h"
#include "tests/recordings.h"

namespace prehend::hands {
namespace {

constexpr double kLost = std::numeric_limits<double>::quiet_NaN();

const std::vector<std::string>& names() {
  static const std::vector<std::string> made = {
      "hand_top",        "hand_left",           "hand_right",
      "thumb_knuckle",   "thumb_proximal",      "thumb_tip",
      "index_proximal",  "index_intermediate",  "index_tip",
      "middle_proximal", "middle_intermediate", "middle_tip",
      "ring_proximal",   "ring_intermediate",   "ring_tip",
      "little_proximal", "little_intermediate", "little_tip",
      "right_elbow"};
  return made;
}

struct Performance {
  Hand hand;
  std::vector<Transform> roots;
  std::vector<Eigen::VectorXd> coordinates;
  MarkerRecording recording;
};

// The hand moves and turns while its fingers close one after the other.
Performance performed(double length, double noise, std::uint64_t seed = 7) {
  HandOptions options;
  options.size.length = length;
  Performance made{build_hand(options).value(), {}, {}, {}};
  made.recording.names = names();
  Random random(seed);
  const auto places = marker_places(made.hand, names());
  for (int f = 0; f < 200; ++f) {
    const double t = f / 100.0;
    Eigen::VectorXd q = Eigen::VectorXd::Zero(made.hand.dof());
    for (const Digit digit : kDigits)
      for (const int s : segments_of(made.hand, digit))
        if (made.hand.segments[s].phalanx > 0)
          set_angles(made.hand, s, radians(25.0 + 20.0 * std::sin(2.0 * t + int(digit) + s)),
                     radians(made.hand.segments[s].phalanx == 1 ? 5.0 * std::sin(t) : 0.0), q);
    made.coordinates.push_back(q);
    made.roots.push_back(
        {exp_map(Vec3(0.3 * std::sin(t), 0.5 * t, 0.1)), Vec3(0.1 * t, 0.3, 0.05 * std::sin(t))});
    const auto frames =
        segment_frames(made.hand, pose_from_coordinates(made.hand, made.roots.back(), q));
    auto& positions =
        made.recording.positions_world.emplace_back(names().size(), Vec3::Constant(kLost));
    for (const MarkerPlace& place : places)
      positions[place.marker] = frames[place.segment] * place.point_segment +
                                noise * Vec3(random.normal(), random.normal(), random.normal());
  }
  return made;
}

// Root mean square over all joints but the metacarpals of fingers, degrees.
double error_deg(const Performance& truth, const SolvedMarkers& solved) {
  const std::vector<int> offsets = coordinate_offsets(truth.hand);
  double squares = 0.0, count = 0.0;
  for (std::size_t f = 0; f < truth.coordinates.size(); ++f) {
    const Eigen::VectorXd q = coordinates(*solved.track.hand, solved.track.poses[f]);
    for (int s = 0; s < truth.hand.segment_count(); ++s) {
      const Segment& segment = truth.hand.segments[s];
      if (segment.phalanx == 0 && segment.digit != Digit::kThumb) continue;
      for (int c = offsets[s]; c < offsets[s + 1]; ++c, count += 1.0)
        squares += std::pow(q[c] - truth.coordinates[f][c], 2);
    }
  }
  return degrees(std::sqrt(squares / count));
}

// The solver's constants were chosen on seeds 7 to 12 and 21 to 23, so another is tested beside the
// two worst of those.
TEST(MarkerSolver, RecoversAnglesOfASyntheticHandUnderNoise) {
  for (const std::uint64_t seed : {22u, 23u, 24u}) {
    const Performance truth = performed(0.18, 3e-4, seed);
    MarkerOptions options;
    options.length = 0.18;
    const auto solved = solve_markers(truth.recording, options);
    ASSERT_TRUE(solved.ok()) << solved.message();
    EXPECT_LE(error_deg(truth, *solved), 1.5) << seed;
    EXPECT_LE(solved->residual, 1e-3);
    EXPECT_EQ(solved->not_on_hand, std::vector<std::string>{"right_elbow"});
  }
}

TEST(MarkerSolver, IsNearlyExactWithoutNoise) {
  const Performance truth = performed(0.18, 0.0);
  MarkerOptions options;
  options.length = 0.18;
  const auto solved = solve_markers(truth.recording, options);
  ASSERT_TRUE(solved.ok()) << solved.message();
  // What stays is the pull towards the frame before.
  EXPECT_LE(error_deg(truth, *solved), 0.5);
}

TEST(MarkerSolver, EstimatesTheHandsLength) {
  const Performance truth = performed(0.18, 3e-4);
  const auto solved = solve_markers(truth.recording);
  ASSERT_TRUE(solved.ok()) << solved.message();
  EXPECT_NEAR(solved->length, 0.18, 0.004);
  EXPECT_LE(error_deg(truth, *solved), 2.0);
}

TEST(MarkerSolver, FillsGapsWithoutAJump) {
  const Performance truth = performed(0.19, 3e-4);
  MarkerRecording gaps = truth.recording;
  constexpr int kFirst = 80, kEnd = 110;
  for (int f = kFirst; f < kEnd; ++f)
    for (const int marker : {8, 11}) gaps.positions_world[f][marker].setConstant(kLost);
  MarkerOptions options;
  options.length = 0.19;
  const auto whole = solve_markers(truth.recording, options);
  const auto solved = solve_markers(gaps, options);
  ASSERT_TRUE(whole.ok() && solved.ok()) << solved.message();
  EXPECT_NEAR(solved->filled_fraction, 2.0 * (kEnd - kFirst) / (18.0 * 200.0), 1e-12);
  EXPECT_EQ(solved->gap_free, 200 - (kEnd - kFirst));
  // Against the same recording without gaps, so that no jump hides behind the hand's motion.
  const auto apart = [&](int f) {
    return Eigen::VectorXd(coordinates(*solved->track.hand, solved->track.poses[f]) -
                           coordinates(*whole->track.hand, whole->track.poses[f]));
  };
  double jump = 0.0, within = 0.0, outside = 0.0;
  for (int f = 1; f < 200; ++f) {
    jump = std::max(jump, degrees((apart(f) - apart(f - 1)).cwiseAbs().maxCoeff()));
    const bool near = f >= kFirst - 5 && f < kEnd + 5;
    double& most = near ? within : outside;
    most = std::max(most, degrees(apart(f).cwiseAbs().maxCoeff()));
  }
  EXPECT_LE(jump, 1.2);
  // The two fingertips turn by up to 12 degrees while their markers are lost.
  EXPECT_LE(within, 5.0);
  EXPECT_LE(outside, 1.0);
}

TEST(MarkerSolver, AsksForMarkersOnTheHand) {
  MarkerRecording recording;
  recording.names = {"hand_top", "index_tip", "elbow"};
  recording.positions_world.assign(3, std::vector<Vec3>(3, Vec3::Zero()));
  const auto solved = solve_markers(recording);
  ASSERT_FALSE(solved.ok());
  EXPECT_NE(solved.message().find("three and one are needed"), std::string::npos);
}

TEST(MarkerSolver, ARecordedHandIsFollowedAndItsGapsLeaveNoJump) {
  const auto path = recording("markers/recording.tsv");
  PREHEND_SKIP_WITHOUT(path);
  const auto markers = io::read_markers(path.string());
  ASSERT_TRUE(markers.ok()) << markers.message();
  const auto solved = solve_markers(*markers);
  ASSERT_TRUE(solved.ok()) << solved.message();
  EXPECT_LE(solved->residual, 0.004);
  // Largest change of a joint between two frames, where a marker is lost or comes back and
  // elsewhere.
  double border = 0.0, elsewhere = 0.0;
  for (int f = 1; f < markers->frame_count(); ++f) {
    bool changes = false;
    for (const MarkerPlace& place : solved->places)
      changes |= markers->positions_world[f][place.marker].allFinite() !=
                 markers->positions_world[f - 1][place.marker].allFinite();
    double& largest = changes ? border : elsewhere;
    largest = std::max(largest, (coordinates(*solved->track.hand, solved->track.poses[f]) -
                                 coordinates(*solved->track.hand, solved->track.poses[f - 1]))
                                    .cwiseAbs()
                                    .maxCoeff());
  }
  EXPECT_LE(border, elsewhere) << degrees(border) << " and " << degrees(elsewhere) << " degrees";
}

}  // namespace
}  // namespace prehend::hands
