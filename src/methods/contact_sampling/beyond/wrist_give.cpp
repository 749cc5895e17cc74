// Beyond the paper: see wrist_give.h.
#include "methods/contact_sampling/beyond/wrist_give.h"

#include <algorithm>
#include <cmath>

namespace prehend::contact_sampling {
namespace {

// The part of the bounds that keeping still may use up; the rest is for the grasp's own offset.
constexpr double kStillPart = 0.75, kCalmPart = 0.5;
// Steps to the middle of the smallest ball: the error falls as one over their number.
constexpr int kBallSteps = 60;
// Widths of the smoothing that are tried, as parts of the hold's length, from none at all up.
constexpr double kWidths[] = {0.5, 0.25, 0.12, 0.06, 0.03};

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

std::vector<Transform> gaussian(const std::vector<Transform>& poses, double width) {
  std::vector<Transform> result;
  std::vector<double> weights(poses.size());
  const int n = static_cast<int>(poses.size());
  for (int i = 0; i < n; ++i) {
    // The window is as wide to both sides, so that steady motion is not delayed at the ends.
    const double side = std::min({3.0 * width, double(i), double(n - 1 - i)});
    for (int j = 0; j < n; ++j) {
      const double apart = (j - i) / std::max(width, 1e-6);
      weights[j] = std::abs(j - i) <= side ? std::exp(-0.5 * apart * apart) : 0.0;
    }
    result.push_back(weighted_mean(poses, weights));
  }
  return result;
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

CalmWrist calm_wrist(const Scene& scene, const Hold& hold, int hand) {
  std::vector<Transform> captured;
  for (int f = hold.frames.first; f <= hold.frames.last; ++f) {
    captured.push_back(scene.objects[hold.object].poses_world[f].inverse() *
                       scene.hands[hand].wrist_world[f]);
  }
  CalmWrist calm;
  calm.wrist_object = captured;
  if (!scene.options->give) return calm;
  const WristGive& give = *scene.options->give;
  const auto accept = [&](std::vector<Transform> smoothed, double part) {
    const Deviation off = deviation(captured, smoothed);
    if (off.shift > part * give.shift || off.turn > part * give.turn) return false;
    calm.wrist_object = std::move(smoothed);
    calm.shift_left = give.shift - off.shift;
    calm.turn_left = give.turn - off.turn;
    return true;
  };
  calm.shift_left = give.shift;
  calm.turn_left = give.turn;
  calm.still = accept(std::vector<Transform>(captured.size(), middle_of(captured)), kStillPart);
  if (calm.still) return calm;
  for (const double width : kWidths) {
    if (accept(gaussian(captured, width * captured.size()), kCalmPart)) break;
  }
  return calm;
}

Transform held_wrist(const Scene& scene, const Hold& hold, const CalmWrist& calm,
                     const Transform& offset, int frame) {
  return scene.objects[hold.object].poses_world[frame] *
         calm.wrist_object[frame - hold.frames.first] * offset;
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
