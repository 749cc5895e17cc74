// Ye and Liu 2012, section 4.3, "Kinematics", and section 7's proxy points.
// Implements: eq. 1 to 3 by hands::ContactIk, the set P of contact points, the tests for entering
//   the object and for digits in each other.
// Departs:    penetration is kept out while solving, not after (see contact_ik.h). A digit that
//   misses its guiding point by more than kMet fails; the paper lets it pass if something touches.
// Symbols:    as in kinematic_test.h.
#include "methods/contact_sampling/kinematic_test.h"

#include <algorithm>
#include <cmath>

#include "prehend/core/capsule.h"

namespace prehend::contact_sampling {
namespace {

// Contacts of one segment nearer than this are one, m.
constexpr double kSamePlace = 0.003;
// A distal segment that touches with a side nearer than this to its nail touches with the nail.
constexpr double kNailCosine = 0.35;
// A pad faces the surface within this angle: eq. 2 asks for 90 degrees, at which a tip would touch
// with its side.
constexpr double kFacing = radians(75.0);
// A place on the skin that moved by more than this has rolled, m.
constexpr double kRolled = 0.001;
// Digits that give way in one frame, counted with their tries.
constexpr int kFollowRounds = 12;
// Half the width of the patch that a fingertip touches with, m.
constexpr double kPatch = 0.003;
// A proxy point lies at most this far below the plane of its contact, m: the round skin is 0.6 mm
// above that plane at the patch's rim, and contacts must be within 2 mm of it.
constexpr double kDeepestProxy = 0.0009;
// Normals this far apart make an edge.
const double kEdgeCosine = std::cos(radians(20.0));

}  // namespace

KinematicTest::KinematicTest(const WorkingHand& hand, const SamplingOptions& options, int tries)
    : hand_(hand),
      options_(options),
      ik_(*hand.hand,
          [&] {
            hands::ContactIkOptions ik;
            ik.tries = tries;
            return ik;
          }()),
      gaps_(*hand.hand),
      kinematics_(*hand.hand),
      pose_(hand.rest) {
  targets_.reserve(kDigitCount);
  target_digits_.reserve(kDigitCount);
}

KinematicOutcome KinematicTest::solve(const Input& input) {
  targets_.clear();
  target_digits_.clear();
  for (int d = 0; d < kDigitCount; ++d) {
    const Guide& guide = (*input.guides)[d];
    if (!guide.active) continue;
    hands::ContactTarget target;
    target.skin = guide.skin;
    target.point_world =
        input.object_world * (guide.point_object + guide.hover * guide.normal_object);
    target.normal_world = input.object_world.turn(guide.normal_object);
    target.facing_angle = kFacing;
    targets_.push_back(target);
    target_digits_.push_back(kDigits[d]);
  }
  problem_.root_world = input.wrist_world;
  problem_.root_shift = input.wrist_shift;
  problem_.root_turn = input.wrist_turn;
  problem_.start_root_world = input.start_wrist_world;
  problem_.targets = targets_;
  problem_.preferred = input.preferred ? *input.preferred : *input.previous;
  if (!input.preferred && hand_.natural.size() > 0)
    problem_.preferred = hand_.drawn_turn * *input.previous + hand_.drawn_shift;
  problem_.preference.setConstant(hand_.dof(), input.preference);
  problem_.previous = *input.previous;
  problem_.greatest_change.setConstant(hand_.dof(), input.greatest_change);
  for (int c = 0; c < hand_.dof(); ++c) {
    if (hand_.digit_of[c] == Digit::kNone) problem_.greatest_change[c] = 0.0;
  }
  problem_.obstacles = input.obstacles;
  const hands::ContactIkResult& result = ik_.solve(problem_);
  pose_ = result.coordinates;
  wrist_world_ = result.root_world;
  return judge(input, result);
}

KinematicOutcome KinematicTest::judge(const Input& input,
                                      const hands::ContactIkResult& result) const {
  KinematicOutcome outcome;
  for (size_t i = 0; i < result.errors.size(); ++i) {
    if (result.errors[i] <= kMet) continue;
    outcome.cause = DeadEnd::kReach;
    outcome.digit = target_digits_[i];
    return outcome;
  }
  (void)input;
  if (result.penetration.depth > kDeepest) {
    outcome.cause = DeadEnd::kCollision;
    outcome.digit = hand_.hand->segments[result.penetration.segment].digit;
    return outcome;
  }
  if (result.self_penetration.depth > kSelfDeepest) {
    outcome.cause = DeadEnd::kCollision;
    outcome.digit = hand_.hand->segments[result.self_penetration.segment_a].digit;
    outcome.other = hand_.hand->segments[result.self_penetration.segment_b].digit;
    return outcome;
  }
  outcome.feasible = true;
  return outcome;
}

KinematicOutcome KinematicTest::follow(const Input& input, const geometry::ExactDistance& surface,
                                       double most_creep, Guides& guides,
                                       DigitStrategies& gave_way) {
  gave_way.fill(Strategy::kStatic);
  Input own = input;
  own.guides = &guides;
  const Guides before = guides;
  std::array<int, kDigitCount> tries = {};
  KinematicOutcome outcome = solve(own);
  for (int round = 0; round < kFollowRounds; ++round) {
    if (outcome.feasible || outcome.digit == Digit::kNone || outcome.other != Digit::kNone) break;
    const int d = static_cast<int>(outcome.digit);
    Guide& guide = guides[d];
    if (!guide.active || guide.hover > kTouch) break;
    const int attempt = tries[d]++;
    if (attempt == 0) {
      const Vec3 skin = guide.skin.point_segment;
      roll(input.object_world, guide);
      if ((guide.skin.point_segment - skin).norm() > kRolled) gave_way[d] = Strategy::kRolling;
    } else if (attempt <= 2 && most_creep > 0.0) {
      kinematics_.update(wrist_world_, pose_);
      const Vec3 skin = input.object_world.inverse() *
                        (kinematics_.frames_world()[guide.skin.segment] * guide.skin.point_segment);
      const Vec3 way = skin - before[d].point_object;
      const Vec3 wanted = before[d].point_object + std::min(1.0, most_creep / way.norm()) * way;
      const auto on = surface.closest(wanted);
      guide.point_object = on.point;
      guide.normal_object = on.normal;
      gave_way[d] = Strategy::kSliding;
    } else {
      guide.active = false;
      gave_way[d] = Strategy::kFree;
    }
    outcome = solve(own);
  }
  return outcome;
}

void KinematicTest::roll(const Transform& object_world, Guide& guide) {
  kinematics_.update(wrist_world_, pose_);
  const Vec3 point = kinematics_.frames_world()[guide.skin.segment].inverse() *
                     (object_world * guide.point_object);
  double nearest = INFINITY;
  for (const Capsule& capsule : hand_.hand->segments[guide.skin.segment].capsules) {
    const Vec3 line = capsule.b - capsule.a;
    const double along =
        line.squaredNorm() > 0.0
            ? std::clamp((point - capsule.a).dot(line) / line.squaredNorm(), 0.0, 1.0)
            : 0.0;
    const Vec3 axis = capsule.a + along * line;
    const double distance = (point - axis).norm();
    if (distance < 1e-6 || std::abs(distance - capsule.radius) > nearest) continue;
    nearest = std::abs(distance - capsule.radius);
    guide.skin.normal_segment = (point - axis) / distance;
    guide.skin.point_segment = axis + capsule.radius * guide.skin.normal_segment;
  }
}

double KinematicTest::strength(int segment, const Vec3& point_world,
                               const Vec3& normal_world) const {
  double most = options_.max_normal;
  if (!options_.finger_strength) return most;
  const Hand& hand = *hand_.hand;
  for (int s = segment; s >= 0; s = hand.segments[s].parent) {
    int coordinate = kinematics_.offsets()[s];
    for (const Joint& joint : hand.segments[s].joints) {
      const Vec3 arm = point_world - kinematics_.frames_world()[s].position;
      if (joint.max_torque > 0.0 && joint.type == JointType::kHinge) {
        const double lever =
            std::abs(kinematics_.axis_world(coordinate).dot(arm.cross(normal_world)));
        if (lever > 1e-4) most = std::min(most, joint.max_torque / lever);
      }
      coordinate += joint.dof();
    }
  }
  return most;
}

bool KinematicTest::touching(const Eigen::VectorXd& pose, const Transform& wrist_world,
                             const Transform& object_world,
                             const geometry::SignedDistance& distance, int hand, int object,
                             std::vector<TestContact>& contacts) {
  place(pose, wrist_world);
  hands::HandGaps::Found found;
  bool fine = true;
  const Transform object_from_world = object_world.inverse();
  for (int c = 0; c < static_cast<int>(gaps_.capsules().size()); ++c) {
    const int count = gaps_.near_obstacle(c, distance, object_world, kTouch, found);
    for (int i = 0; i < count; ++i) {
      const hands::ObstacleGap& gap = found[i];
      const Segment& segment = hand_.hand->segments[gap.segment];
      const bool pad = segment.phalanx == 3;
      const Transform segment_from_world = kinematics_.frames_world()[gap.segment].inverse();
      const Vec3 skin_normal = -segment_from_world.turn(gap.normal_world);
      if (pad && skin_normal.dot(hand_.hand->pads[int(segment.digit)].nail_normal) > kNailCosine) {
        fine = false;
        continue;
      }
      if (!options_.whole_hand && !pad) continue;
      TestContact test;
      test.skin_normal_segment = skin_normal;
      HandContact& contact = test.contact;
      contact.hand = hand;
      contact.segment = gap.segment;
      contact.digit =
          segment.phalanx >= 1 || segment.digit == Digit::kThumb ? segment.digit : Digit::kNone;
      contact.object = object;
      contact.point_segment =
          segment_from_world * (gap.point_world + 0.5 * gap.gap * gap.normal_world);
      contact.point_object =
          object_from_world * (gap.point_world - 0.5 * gap.gap * gap.normal_world);
      contact.normal_object = object_from_world.turn(gap.normal_world);
      contact.gap = gap.gap;
      test.max_normal = strength(gap.segment, gap.point_world, gap.normal_world);
      const bool known =
          std::any_of(contacts.begin(), contacts.end(), [&](const TestContact& other) {
            return other.contact.hand == hand && other.contact.segment == contact.segment &&
                   (other.contact.point_object - contact.point_object).norm() < kSamePlace;
          });
      if (!known) contacts.push_back(test);
    }
  }
  return fine;
}

void KinematicTest::place(const Eigen::VectorXd& pose, const Transform& wrist_world) {
  kinematics_.update(wrist_world, pose);
  gaps_.place(kinematics_.frames_world());
}

double KinematicTest::deepest(const Eigen::VectorXd& pose, const Transform& wrist_world,
                              std::span<const hands::Obstacle> obstacles) {
  place(pose, wrist_world);
  hands::HandGaps::Found found;
  double depth = 0.0;
  for (const hands::Obstacle& obstacle : obstacles) {
    for (int c = 0; c < static_cast<int>(gaps_.capsules().size()); ++c) {
      const int count = gaps_.near_obstacle(c, *obstacle.distance, obstacle.pose_world, 0.0, found);
      for (int i = 0; i < count; ++i) depth = std::max(depth, -found[i].gap);
    }
  }
  return depth;
}

double entered_by(const hands::HandGaps& a, const hands::HandGaps& b) {
  double depth = 0.0;
  for (const hands::PlacedCapsule& one : a.capsules()) {
    const Capsule& first = one.capsule_world;
    for (const hands::PlacedCapsule& other : b.capsules()) {
      const Capsule& second = other.capsule_world;
      // Balls around the two that hold them.
      const double reach = first.radius + second.radius + 0.5 * (first.b - first.a).norm() +
                           0.5 * (second.b - second.a).norm();
      const Vec3 middles = 0.5 * (first.a + first.b - second.a - second.b);
      if (middles.squaredNorm() > reach * reach) continue;
      const double apart = closest_on_lines(first.a, first.b, second.a, second.b).distance;
      depth = std::max(depth, first.radius + second.radius - apart);
    }
  }
  return depth;
}

void add_proxies(const geometry::ExactDistance& distance, std::vector<TestContact>& contacts) {
  const size_t count = contacts.size();
  for (size_t i = 0; i < count; ++i) {
    const Vec3 normal = contacts[i].contact.normal_object;
    const Vec3 tangent = any_orthogonal(normal), other = normal.cross(tangent);
    for (const Vec3& aside : {tangent, Vec3(-tangent), other, Vec3(-other)}) {
      const Vec3& middle = contacts[i].contact.point_object;
      auto near = distance.closest(middle + kPatch * aside);
      if ((middle - near.point).dot(normal) > kDeepestProxy)
        near = distance.closest(middle + 0.5 * kPatch * aside);
      if (near.normal.dot(normal) > kEdgeCosine || near.normal.dot(normal) < 0.0 ||
          (middle - near.point).dot(normal) > kDeepestProxy)
        continue;
      TestContact proxy = contacts[i];
      proxy.contact.point_object = near.point;
      proxy.contact.normal_object = near.normal;
      contacts.push_back(proxy);
    }
  }
}

}  // namespace prehend::contact_sampling
