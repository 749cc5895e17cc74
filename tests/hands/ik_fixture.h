// Hands, random poses and targets for the tests of the contact solver.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "prehend/core/hand_builder.h"
#include "prehend/core/hand_kinematics.h"
#include "prehend/core/hand_pose.h"
#include "prehend/core/random.h"
#include "prehend/hands/contact_ik.h"
#include "prehend/physics/mjcf_hand.h"

namespace prehend::hands {

inline Hand hand_of(HandProfile profile) {
  HandOptions options;
  options.profile = profile;
  return build_hand(options).value();
}

// "anatomical", "ball", or "myohand"; nothing if there are no recordings.
inline std::optional<Hand> hand_named(const std::string& name) {
  if (name == "anatomical") return hand_of(HandProfile::kAnatomical);
  if (name == "ball") return hand_of(HandProfile::kBall);
  const char* folder = std::getenv("PREHEND_DATA");
  const std::filesystem::path file =
      std::filesystem::path(folder ? folder : "../shared/data") / "myohand" / "myohand.xml";
  if (!std::filesystem::exists(file)) return std::nullopt;
  return *physics::MjcfHand::load(file.string()).value().hand();
}

// Within the middle `share` of all ranges.
inline Eigen::VectorXd random_pose(const Hand& hand, Random& random, double share = 1.0) {
  const CoordinateLimits limits = coordinate_limits(hand);
  Eigen::VectorXd q(hand.dof());
  for (int j = 0; j < q.size(); ++j) {
    const double middle = 0.5 * (limits.lower[j] + limits.upper[j]);
    const double half = 0.5 * share * (limits.upper[j] - limits.lower[j]);
    q[j] = random.uniform(middle - half, middle + half);
  }
  return q;
}

inline Transform some_root() { return {exp_map({0.3, -0.5, 0.2}), {0.1, 0.2, -0.3}}; }

// A target where a pose has the point of the skin, the surface facing it.
inline ContactTarget target_at(const Hand& hand, const Transform& root, const Eigen::VectorXd& q,
                               const SkinPoint& skin) {
  const auto frames = segment_frames(hand, pose_from_coordinates(hand, root, q));
  ContactTarget target;
  target.skin = skin;
  target.point_world = frames[skin.segment] * skin.point_segment;
  target.normal_world = -frames[skin.segment].turn(skin.normal_segment);
  return target;
}

inline std::vector<ContactTarget> pad_targets(const Hand& hand, const Transform& root,
                                              const Eigen::VectorXd& q) {
  std::vector<ContactTarget> targets;
  for (const Digit digit : kDigits) {
    if (const auto pad = pad_of(hand, digit)) targets.push_back(target_at(hand, root, q, *pad));
  }
  return targets;
}

// Between the limits, bent a little: where solvers begin when nothing else is known.
inline ContactIkProblem problem_at(const Hand& hand, const Transform& root) {
  const CoordinateLimits limits = coordinate_limits(hand);
  ContactIkProblem problem;
  problem.root_world = root;
  problem.preferred = 0.5 * (limits.lower + limits.upper);
  return problem;
}

}  // namespace prehend::hands
