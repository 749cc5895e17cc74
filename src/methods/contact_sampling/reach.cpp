// Ye and Liu 2012, section 4.2, "Initial case".
// Implements: reachable volumes, contact patches, samples by area, pruning of samples that no pad
//   can face.
// Departs:    a volume is a cloud of pads of random poses in a grid, not a surface: it also says
//   which way the pad can face, which prunes without inverse kinematics.
#include "methods/contact_sampling/reach.h"

#include <algorithm>
#include <cmath>

namespace prehend::contact_sampling {
namespace {

// Poses of a digit that make its volume: with 3,000 the samples of an index finger are 4 mm apart.
constexpr int kPoses = 3000;
constexpr double kCell = 0.012;  // m
// A pad faces a surface if its normal is within this of the direction into it.
const double kFacingCosine = std::cos(radians(60.0));
// Area of a sample, m^2, and bounds of their number.
constexpr double kAreaPerSample = 4e-5;
constexpr int kLeastSamples = 200, kMostSamples = 1500;

}  // namespace

std::int64_t ReachableVolume::key(const Vec3& point, double cell) {
  const auto part = [&](double x) {
    return static_cast<std::int64_t>(std::floor(x / cell)) & 0xfffff;
  };
  return part(point.x()) | part(point.y()) << 20 | part(point.z()) << 40;
}

ReachableVolume::ReachableVolume(const WorkingHand& hand, std::uint64_t seed) {
  HandKinematics kinematics(*hand.hand);
  Eigen::VectorXd q = hand.rest;
  Random random(seed, 0x7eac4);
  for (int i = 0; i < kPoses; ++i) {
    for (int c = 0; c < hand.dof(); ++c) {
      q[c] = random.uniform(hand.limits.lower[c], hand.limits.upper[c]);
    }
    kinematics.update(Transform::Identity(), q);
    for (int d = 0; d < kDigitCount; ++d) {
      if (!hand.has_digit[d]) continue;
      const FingerPad& pad = hand.hand->pads[d];
      const Transform& frame = kinematics.frames_world()[pad.segment];
      samples_[d].push_back({frame * pad.point, frame.turn(pad.normal)});
      cells_[d][key(samples_[d].back().point, kCell)].push_back(i);
    }
  }
}

bool ReachableVolume::reaches(Digit digit, const Vec3& point_wrist, const Vec3& normal_wrist,
                              double tolerance) const {
  const int d = static_cast<int>(digit);
  const int reach = std::max(1, static_cast<int>(std::ceil(tolerance / kCell)));
  for (int x = -reach; x <= reach; ++x) {
    for (int y = -reach; y <= reach; ++y) {
      for (int z = -reach; z <= reach; ++z) {
        const auto cell = cells_[d].find(key(point_wrist + kCell * Vec3(x, y, z), kCell));
        if (cell == cells_[d].end()) continue;
        for (const int i : cell->second) {
          const Sample& sample = samples_[d][i];
          if ((sample.point - point_wrist).squaredNorm() < tolerance * tolerance &&
              -sample.normal.dot(normal_wrist) > kFacingCosine)
            return true;
        }
      }
    }
  }
  return false;
}

std::vector<geometry::SurfacePoint> surface_samples(const Object& object, std::uint64_t seed) {
  const geometry::SurfaceSampler sampler(*object.shape.mesh);
  const int count =
      std::clamp(static_cast<int>(sampler.area() / kAreaPerSample), kLeastSamples, kMostSamples);
  Random random(seed, 0x5a3f1e);
  std::vector<geometry::SurfacePoint> points;
  for (int i = 0; i < count; ++i) points.push_back(sampler.draw(random));
  return points;
}

ContactPatches contact_patches(const ReachableVolume& volume, const WorkingHand& hand,
                               const std::vector<geometry::SurfacePoint>& surface,
                               const Transform& object_in_wrist, double tolerance) {
  ContactPatches patches;
  for (int d = 0; d < kDigitCount; ++d) {
    if (!hand.has_digit[d]) continue;
    for (int i = 0; i < static_cast<int>(surface.size()); ++i) {
      if (volume.reaches(kDigits[d], object_in_wrist * surface[i].point,
                         object_in_wrist.turn(surface[i].normal), tolerance))
        patches[d].push_back(i);
    }
  }
  return patches;
}

}  // namespace prehend::contact_sampling
