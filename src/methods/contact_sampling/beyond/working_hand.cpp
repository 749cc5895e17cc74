// Beyond the paper: see working_hand.h.
#include "methods/contact_sampling/beyond/working_hand.h"

#include <algorithm>

#include <fmt/format.h>
#include <Eigen/Cholesky>

#include "prehend/hands/posture.h"

namespace prehend::contact_sampling {
namespace {

// How much a pose stays where it was against a prior, 1 / rad^2: with the spread of 0.15 rad that a
// prior has at the least, a joint goes a tenth of the way in a frame.
constexpr double kStay = 400.0;

// The hand from the wrist on, and which segments of the whole one those are.
Hand from_wrist_on(const Hand& full, std::vector<int>& full_segment) {
  Hand hand = full;
  hand.profile = "custom";
  hand.segments.clear();
  hand.overlapping.clear();
  std::vector<int> index(full.segments.size(), -1);
  for (int s = 0; s < full.segment_count(); ++s) {
    const Segment& segment = full.segments[s];
    const bool root = s == full.wrist();
    if (!root && (segment.parent < 0 || index[segment.parent] < 0)) continue;
    index[s] = static_cast<int>(hand.segments.size());
    full_segment.push_back(s);
    hand.segments.push_back(segment);
    Segment& copy = hand.segments.back();
    copy.parent = root ? -1 : index[segment.parent];
    if (root) {
      copy.joints.clear();
      copy.rest_parent = Transform::Identity();
    }
  }
  for (FingerPad& pad : hand.pads) pad.segment = pad.segment < 0 ? -1 : index[pad.segment];
  for (int& segment : hand.xr_segments) segment = segment < 0 ? -1 : index[segment];
  for (const auto& [a, b] : full.overlapping) {
    if (index[a] >= 0 && index[b] >= 0) hand.overlapping.emplace_back(index[a], index[b]);
  }
  std::sort(hand.overlapping.begin(), hand.overlapping.end());
  return hand;
}

void map_coordinates(WorkingHand& working) {
  const std::vector<int> full = coordinate_offsets(*working.full);
  for (int s = 0; s < working.hand->segment_count(); ++s) {
    const Segment& segment = working.hand->segments[s];
    for (int k = 0; k < segment.dof(); ++k) {
      working.full_coordinate.push_back(full[working.full_segment[s]] + k);
      working.digit_of.push_back(segment.digit);
    }
  }
}

// The coordinates of a posture of the whole hand. Postures that a hand cannot make are left out.
std::optional<Eigen::VectorXd> posture(const WorkingHand& working, const char* name) {
  const auto made = hands::make_posture(*working.full, name);
  if (!made) return std::nullopt;
  const Eigen::VectorXd full = coordinates(*working.full, made->pose);
  Eigen::VectorXd q(working.full_coordinate.size());
  for (Eigen::Index i = 0; i < q.size(); ++i) q[i] = full[working.full_coordinate[i]];
  return Eigen::VectorXd(q.cwiseMax(working.limits.lower).cwiseMin(working.limits.upper));
}

}  // namespace

Result<WorkingHand> make_working_hand(const CapturedHand& captured) {
  WorkingHand working;
  working.full = captured.hand;
  working.hand = std::make_shared<const Hand>(from_wrist_on(*captured.hand, working.full_segment));
  const Hand& hand = *working.hand;
  map_coordinates(working);
  working.limits = coordinate_limits(hand);
  for (int d = 0; d < kDigitCount; ++d) working.has_digit[d] = hand.pads[d].segment >= 0;

  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(working.dof())
                                   .cwiseMax(working.limits.lower)
                                   .cwiseMin(working.limits.upper);
  if (captured.rest.size() > 0) {
    working.rest.resize(working.dof());
    for (int i = 0; i < working.dof(); ++i) {
      working.rest[i] = captured.rest[working.full_coordinate[i]];
    }
    working.rest = working.rest.cwiseMax(working.limits.lower).cwiseMin(working.limits.upper);
  } else {
    working.rest = posture(working, "rest").value_or(zero);
  }
  working.open = posture(working, "spread").value_or(zero);
  working.fist = posture(working, "fist").value_or(working.limits.upper);
  for (const char* name : {"wrap", "pinch", "kapandji-4", "kapandji-6", "kapandji-2"}) {
    if (auto q = posture(working, name)) working.thumb_ends.push_back(*q);
  }
  if (working.thumb_ends.empty()) working.thumb_ends.push_back(working.fist);

  working.captured = captured.poses;
  for (const HandPose& pose : captured.poses) {
    working.wrist_world.push_back(segment_frames(*working.full, pose)[working.full->wrist()]);
  }
  return working;
}

// The least of kStay |q - before|^2 / 2 and the prior's cost is linear in the pose before.
void take_prior(const PosePrior& prior, WorkingHand& hand) {
  const int dof = hand.dof();
  if (prior.weight <= 0.0 || prior.mean.size() == 0) return;
  Eigen::MatrixXd precision(dof, dof);
  hand.natural.resize(dof);
  for (int i = 0; i < dof; ++i) {
    hand.natural[i] = prior.mean[hand.full_coordinate[i]];
    for (int j = 0; j < dof; ++j) {
      precision(i, j) =
          prior.weight * prior.precision(hand.full_coordinate[i], hand.full_coordinate[j]);
    }
  }
  const Eigen::MatrixXd both = precision + kStay * Eigen::MatrixXd::Identity(dof, dof);
  const Eigen::LDLT<Eigen::MatrixXd> solver(both);
  hand.drawn_turn = solver.solve(kStay * Eigen::MatrixXd::Identity(dof, dof));
  hand.drawn_shift = solver.solve(precision * hand.natural);
}

HandPose full_pose(const WorkingHand& hand, int frame, const Transform& wrist_world,
                   const Eigen::VectorXd& coordinates) {
  HandPose pose = hand.captured[frame];
  const HandPose digits = pose_from_coordinates(*hand.hand, wrist_world, coordinates);
  for (size_t s = 1; s < hand.full_segment.size(); ++s) {
    pose.rotations[hand.full_segment[s]] = digits.rotations[s];
  }
  place_wrist(*hand.full, wrist_world, pose);
  return pose;
}

}  // namespace prehend::contact_sampling
