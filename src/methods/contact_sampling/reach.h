// Ye and Liu 2012, section 4.2, "Initial case": reachable volumes of the fingertips, and the parts
// of an object's surface that they meet (contact patches, figure 2).
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "methods/contact_sampling/beyond/working_hand.h"
#include "prehend/core/hand_kinematics.h"
#include "prehend/core/random.h"
#include "prehend/geometry/surface_points.h"

namespace prehend::contact_sampling {

// Where each pad can be, in the wrist's frame.
class ReachableVolume {
 public:
  ReachableVolume(const WorkingHand& hand, std::uint64_t seed);

  // Whether the digit's pad can lie on a surface here, within `tolerance` meters of the samples.
  bool reaches(Digit digit, const Vec3& point_wrist, const Vec3& normal_wrist,
               double tolerance) const;

 private:
  struct Sample {
    Vec3 point, normal;  // of the pad's skin
  };
  static std::int64_t key(const Vec3& point, double cell);

  std::array<std::vector<Sample>, kDigitCount> samples_;
  std::array<std::unordered_map<std::int64_t, std::vector<int>>, kDigitCount> cells_;
};

// Points spread over an object's surface by area.
std::vector<geometry::SurfacePoint> surface_samples(const Object& object, std::uint64_t seed);

// Indices of the surface's points that each digit reaches.
using ContactPatches = std::array<std::vector<int>, kDigitCount>;
ContactPatches contact_patches(const ReachableVolume& volume, const WorkingHand& hand,
                               const std::vector<geometry::SurfacePoint>& surface,
                               const Transform& object_in_wrist, double tolerance);

}  // namespace prehend::contact_sampling
