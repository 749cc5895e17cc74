// Pollard and Zordan 2005, section 4: what the fit needs of a captured grasp. Smoothing and the
// choice of axis-angle vectors that do not jump are ours.
#include "methods/example_control/example_data.h"

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>

#include "methods/example_control/touch_track.h"
#include "prehend/hands/palm.h"

namespace prehend::example_control {
namespace {

// A reach has its power below 6 Hz, and its acceleration needs samples well above twice that.
constexpr double kLowestRate = 24.0;

// Phalanges of each digit.
std::array<std::vector<int>, kDigitCount> digit_segments(const Hand& hand) {
  std::array<std::vector<int>, kDigitCount> digits;
  for (int s = 0; s < hand.segment_count(); ++s) {
    if (hand.segments[s].phalanx >= 1)
      digits[static_cast<size_t>(hand.segments[s].digit)].push_back(s);
  }
  return digits;
}

// A grasp takes two digits: the second nearest says how far it is from one.
template <typename Gap>
double touch_gap(const std::array<std::vector<int>, kDigitCount>& digits, const Gap& gap) {
  std::array<double, kDigitCount> gaps;
  for (size_t d = 0; d < digits.size(); ++d) gaps[d] = gap(digits[d]);
  std::nth_element(gaps.begin(), gaps.begin() + 1, gaps.end());
  return gaps[1];
}

void measure_hands(const HandTrack& track, const HandTrack& other, ExampleData& data) {
  const Hand &hand = *track.hand, &theirs = *other.hand;
  const std::vector<int> palm = hands::palm_segments(hand);
  const std::vector<int> their_palm = hands::palm_segments(theirs);
  std::vector<int> their_all(theirs.segments.size());
  std::iota(their_all.begin(), their_all.end(), 0);
  const auto digits = digit_segments(hand);
  for (std::size_t f = 0; f < track.poses.size(); ++f) {
    const auto frames = segment_frames(hand, track.poses[f]);
    const auto there = segment_frames(theirs, other.poses[f]);
    data.target_world.push_back(there[theirs.wrist()]);
    data.palm.push_back(hands::gap_to_hand(hand, palm, frames, theirs, their_palm, there));
    data.touch.push_back(touch_gap(digits, [&](const std::vector<int>& digit) {
      return hands::gap_to_hand(hand, digit, frames, theirs, their_all, there);
    }));
  }
}

void measure_object(const FitProblem& problem, double smoothing_seconds, ExampleData& data) {
  const Clip& clip = problem.example;
  const ObjectTrack& object = clip.objects[problem.object];
  auto touch = measure_touch(clip.hands[problem.hand], object, *geometry::prepare(object.object),
                             clip.frame_rate, smoothing_seconds);
  data.target_world = object.poses_world;
  data.target_center = object.object->center_of_mass;
  data.palm = touch.track.palm;
  data.touch = std::move(touch.second_digit);
  data.object = std::move(touch.track);
}

}  // namespace

Vec3 nearest_turn(const Vec3& angles, const Vec3& before) {
  const double size = angles.norm();
  if (size < 1e-9) return angles;
  const Vec3 other = angles * (1.0 - 2.0 * kPi / size);
  return (other - before).squaredNorm() < (angles - before).squaredNorm() ? other : angles;
}

Eigen::MatrixXd joint_angles(const HandTrack& track) {
  Eigen::MatrixXd angles(track.poses.size(), track.hand->dof());
  for (int f = 0; f < angles.rows(); ++f) {
    Eigen::VectorXd q = coordinates(*track.hand, track.poses[f]);
    for (int k = 0; k < q.size() && f > 0; k += 3)
      q.segment<3>(k) = nearest_turn(q.segment<3>(k), angles.row(f - 1).segment<3>(k).transpose());
    angles.row(f) = q.transpose();
  }
  return angles;
}

Result<ExampleData> read_example(const FitProblem& problem, const FitOptions& options) {
  const Clip& clip = problem.example;
  if (problem.hand < 0 || problem.hand >= static_cast<int>(clip.hands.size()))
    return Error{fmt::format("'{}' has no hand {} to fit", clip.name, problem.hand + 1)};
  const bool two = problem.object < 0;
  if (two ? clip.hands.size() < 2 : problem.object >= static_cast<int>(clip.objects.size()))
    return Error{fmt::format(
        "'{}' has neither an object nor a second hand that the hand could reach for", clip.name)};
  if (clip.frame_rate < kLowestRate)
    return Error{fmt::format(
        "'{}' has {:.3g} frames a second: too few to differentiate, at least {:.0f} are needed",
        clip.name, clip.frame_rate, kLowestRate)};
  auto track = as_ball_hand(clip.hands[problem.hand]);
  if (!track) return track.error();
  std::optional<HandTrack> other;
  if (two) {
    auto made = as_ball_hand(clip.hands[problem.hand == 0 ? 1 : 0]);
    if (!made) return made.error();
    other = std::move(*made);
  }
  ExampleData data;
  data.hand = track->hand;
  data.frame_rate = clip.frame_rate;
  data.angles = smooth(joint_angles(*track), clip.frame_rate, options.smoothing_seconds);
  for (const HandPose& pose : track->poses)
    data.wrist_world.push_back(segment_frames(*track->hand, pose)[track->hand->wrist()]);
  if (two)
    measure_hands(*track, *other, data);
  else
    measure_object(problem, options.smoothing_seconds, data);
  data.wrist =
      RigidCurve::through_samples(data.wrist_world, clip.frame_rate, options.smoothing_seconds);
  return data;
}

}  // namespace prehend::example_control
