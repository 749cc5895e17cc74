#include "methods/example_control/example_data.h"

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>

#include "prehend/hands/palm.h"

namespace prehend::example_control {
namespace {

// A reach has its power below 6 Hz, and its acceleration needs samples well above twice that.
constexpr double kLowestRate = 24.0;

// The axis-angle vector of the same rotation that is nearest to `before`.
Vec3 nearest_turn(const Vec3& angles, const Vec3& before) {
  const double size = angles.norm();
  if (size < 1e-9) return angles;
  const Vec3 other = angles * (1.0 - 2.0 * kPi / size);
  return (other - before).squaredNorm() < (angles - before).squaredNorm() ? other : angles;
}

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

void measure(const FitProblem& problem, const HandTrack& track, const HandTrack* other,
             ExampleData& data) {
  const Hand& hand = *track.hand;
  const std::vector<int> palm = hands::palm_segments(hand);
  const auto digits = digit_segments(hand);
  const ObjectTrack* object = other ? nullptr : &problem.example.objects[problem.object];
  const auto distance = object ? geometry::exact_distance(object->object->shape) : nullptr;
  for (int f = 0; f < static_cast<int>(track.poses.size()); ++f) {
    const auto frames = segment_frames(hand, track.poses[f]);
    data.wrist_world.push_back(frames[hand.wrist()]);
    if (other) {
      const Hand& theirs = *other->hand;
      const auto there = segment_frames(theirs, other->poses[f]);
      data.target_world.push_back(there[theirs.wrist()]);
      std::vector<int> their_all(theirs.segments.size());
      std::iota(their_all.begin(), their_all.end(), 0);
      data.palm.push_back(
          hands::gap_to_hand(hand, palm, frames, theirs, hands::palm_segments(theirs), there));
      data.touch.push_back(touch_gap(digits, [&](const std::vector<int>& digit) {
        return hands::gap_to_hand(hand, digit, frames, theirs, their_all, there);
      }));
    } else {
      const Transform& pose = object->poses_world[f];
      data.target_world.push_back(pose);
      data.palm.push_back(hands::gap_to_object(hand, palm, frames, pose, *distance));
      data.touch.push_back(touch_gap(digits, [&](const std::vector<int>& digit) {
        return hands::gap_to_object(hand, digit, frames, pose, *distance);
      }));
    }
  }
}

std::vector<double> speeds_of(const std::vector<Transform>& poses, double frame_rate,
                              double smoothing_seconds) {
  Eigen::MatrixXd positions(poses.size(), 3);
  for (size_t f = 0; f < poses.size(); ++f) positions.row(f) = poses[f].position.transpose();
  const Eigen::VectorXd speeds =
      smooth(positions, frame_rate, smoothing_seconds).first.rowwise().norm();
  return {speeds.data(), speeds.data() + speeds.size()};
}

}  // namespace

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
  measure(problem, *track, other ? &*other : nullptr, data);
  if (!two) {
    data.target_center = clip.objects[problem.object].object->center_of_mass;
    data.target_speed = speeds_of(data.target_world, clip.frame_rate, options.smoothing_seconds);
  }
  data.wrist =
      RigidCurve::through_samples(data.wrist_world, clip.frame_rate, options.smoothing_seconds);
  return data;
}

}  // namespace prehend::example_control
