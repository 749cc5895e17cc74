// Beyond the paper: see wrist_give.h.
#include "methods/contact_sampling/beyond/wrist_give.h"

#include <algorithm>
#include <cmath>

#include "prehend/hands/digit_closer.h"

namespace prehend::contact_sampling {
namespace {

// The part of the bounds that keeping still may use up; the rest is for the grasp's own offset.
constexpr double kStillPart = 0.75;
// Steps to the middle of the smallest ball: the error falls as one over their number.
constexpr int kBallSteps = 60;
Transform weighted_mean(const std::vector<Transform>& poses, const std::vector<double>& weights) {
  Vec3 position = Vec3::Zero();
  Eigen::Vector4d rotation = Eigen::Vector4d::Zero();
  double total = 0.0;
  for (size_t i = 0; i < poses.size(); ++i) {
    if (weights[i] <= 0.0) continue;
    const Eigen::Vector4d q = poses[i].rotation.coeffs();
    rotation += (q.dot(poses[0].rotation.coeffs()) < 0.0 ? -weights[i] : weights[i]) * q;
    position += weights[i] * poses[i].position;
    total += weights[i];
  }
  Transform mean;
  mean.position = position / total;
  mean.rotation.coeffs() = rotation.normalized();
  return mean;
}

// The pose from which the farthest is nearest (Badoiu and Clarkson's steps towards the farthest).
Transform middle_of(const std::vector<Transform>& poses) {
  Transform middle = weighted_mean(poses, std::vector<double>(poses.size(), 1.0));
  for (int step = 1; step <= kBallSteps; ++step) {
    const auto farther = [&](const Transform& a, const Transform& b) {
      return (a.position - middle.position).squaredNorm() <
             (b.position - middle.position).squaredNorm();
    };
    const auto turned = [&](const Transform& a, const Transform& b) {
      return angle_between(a.rotation, middle.rotation) <
             angle_between(b.rotation, middle.rotation);
    };
    const Transform far = *std::max_element(poses.begin(), poses.end(), farther);
    const Transform turn = *std::max_element(poses.begin(), poses.end(), turned);
    middle.position += (far.position - middle.position) / (step + 2.0);
    middle.rotation = slerp(middle.rotation, turn.rotation, 1.0 / (step + 2.0));
  }
  return middle;
}

// Sweeps over the frames until the string is tight: a kink goes a frame a sweep.
constexpr int kSweepsPerFrame = 20, kMostSweeps = 4000;
// Steps of a palm out of an object: each goes as far as it is inside, and a little more, m.
constexpr int kLiftRounds = 8;
constexpr double kLiftStep = 0.0005;

// Where a frame's wrist may be: a ball, and a turn.
struct Bounds {
  Transform middle;
  double shift = 0.0, turn = 0.0;
};

// The shortest way that stays within the bounds of every frame: every pose goes to the middle of
// its neighbors, and back into its bounds.
std::vector<Transform> drawn_tight(const std::vector<Bounds>& bounds) {
  std::vector<Transform> path;
  for (const Bounds& own : bounds) path.push_back(own.middle);
  const int n = static_cast<int>(path.size());
  const auto settle = [&](int f) {
    const Transform& a = path[f == 0 ? 1 : f - 1];
    const Transform& b = path[f == n - 1 ? n - 2 : f + 1];
    const Bounds& in = bounds[f];
    Transform& own = path[f];
    own.position = 0.5 * (a.position + b.position);
    own.rotation = slerp(a.rotation, b.rotation, 0.5);
    const Vec3 off = own.position - in.middle.position;
    if (off.norm() > in.shift) own.position = in.middle.position + in.shift / off.norm() * off;
    const double angle = angle_between(in.middle.rotation, own.rotation);
    if (angle > in.turn) own.rotation = slerp(in.middle.rotation, own.rotation, in.turn / angle);
  };
  const int sweeps = n < 2 ? 0 : std::min(kMostSweeps, kSweepsPerFrame * n);
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (int f = 0; f < n; ++f) settle(sweep % 2 == 0 ? f : n - 1 - f);
  }
  return path;
}

// How far the wrist must go along the back of the hand, m, for the palm to leave the object; at
// most `most`.
double lift_of_palm(hands::DigitCloser& closing, const WorkingHand& hand,
                    const hands::Obstacle& object, const Transform& wrist, double most) {
  double lift = 0.0;
  for (int round = 0; round < kLiftRounds && lift < most; ++round) {
    const Transform lifted = wrist * Transform::from_position(lift * Vec3::UnitY());
    const double gap = closing.gap(Digit::kNone, lifted, {&object, 1}, hand.open);
    if (gap > 0.0) break;
    lift += kLiftStep - gap;
  }
  return std::min(lift, most);
}

struct Deviation {
  double shift = 0.0, turn = 0.0;
};
Deviation deviation(const std::vector<Transform>& a, const std::vector<Transform>& b) {
  Deviation worst;
  for (size_t i = 0; i < a.size(); ++i) {
    worst.shift = std::max(worst.shift, (a[i].position - b[i].position).norm());
    worst.turn = std::max(worst.turn, angle_between(a[i].rotation, b[i].rotation));
  }
  return worst;
}

}  // namespace

CalmWrist calm_wrist(const Scene& scene, const Hold& hold, int hand, const WristGive& give) {
  std::vector<Transform> captured;
  for (int f = hold.frames.first; f <= hold.frames.last; ++f) {
    captured.push_back(scene.objects[hold.object].poses_world[f].inverse() *
                       scene.hands[hand].wrist_world[f]);
  }
  CalmWrist calm;
  calm.give = give;
  calm.wrist_object = captured;
  if (give.shift <= 0.0) return calm;
  const std::vector<Transform> still(captured.size(), middle_of(captured));
  const Deviation off = deviation(captured, still);
  calm.still = off.shift <= kStillPart * give.shift && off.turn <= kStillPart * give.turn;
  if (calm.still) {
    calm.wrist_object = still;
    calm.shift_left = give.shift - off.shift;
    calm.turn_left = give.turn - off.turn;
  } else {
    hands::DigitCloser closing(*scene.hands[hand].hand);
    const hands::Obstacle object{scene.objects[hold.object].prepared->contact().get(), Transform()};
    std::vector<Bounds> bounds;
    for (const Transform& wrist : captured) {
      const double lift = lift_of_palm(closing, scene.hands[hand], object, wrist, give.shift);
      bounds.push_back({wrist * Transform::from_position(lift * Vec3::UnitY()),
                        kStillPart * (give.shift - lift), kStillPart * give.turn});
    }
    calm.wrist_object = drawn_tight(bounds);
    calm.shift_left = give.shift;
    calm.turn_left = give.turn;
  }
  return calm;
}

Transform held_wrist(const Scene& scene, const Hold& hold, int hand, const CalmWrist& calm,
                     const Transform& offset, int frame) {
  const Transform wrist = scene.objects[hold.object].poses_world[frame] *
                          calm.wrist_object[frame - hold.frames.first] * offset;
  if (calm.still || calm.give.shift <= 0.0) return wrist;
  const Transform& captured = scene.hands[hand].wrist_world[frame];
  const double shift = (wrist.position - captured.position).norm();
  const double turn = angle_between(wrist.rotation, captured.rotation);
  const WristGive& give = calm.give;
  Transform drawn = wrist;
  if (shift > give.shift)
    drawn.position = captured.position + give.shift / shift * (wrist.position - captured.position);
  if (turn > give.turn) drawn.rotation = slerp(captured.rotation, wrist.rotation, give.turn / turn);
  return drawn;
}

std::vector<Transform> faded_wrist(const Scene& scene, int hand,
                                   const std::vector<HeldWrist>& held) {
  const std::vector<Transform>& captured = scene.hands[hand].wrist_world;
  std::vector<Transform> result = captured;
  const double fade =
      scene.options->give ? scene.options->give->fade_seconds * scene.problem->frame_rate : 0.0;
  // Offsets at the ends of holds, in the wrist's frame, count less and less away from them.
  for (int f = 0; f < scene.frames(); ++f) {
    bool inside = false;
    for (const HeldWrist& hold : held) {
      if (f < hold.frames.first || f > hold.frames.last) continue;
      result[f] = hold.wrist_world[f - hold.frames.first];
      inside = true;
    }
    if (inside || fade <= 0.0) continue;
    for (const HeldWrist& hold : held) {
      const bool before = f < hold.frames.first;
      const int edge = before ? hold.frames.first : hold.frames.last;
      const double weight = 1.0 - minimum_jerk(std::abs(f - edge), 0.0, fade);
      if (weight <= 0.0) continue;
      const Transform& at = before ? hold.wrist_world.front() : hold.wrist_world.back();
      result[f] =
          result[f] * interpolate(Transform::Identity(), captured[edge].inverse() * at, weight);
    }
  }
  return result;
}

}  // namespace prehend::contact_sampling
