// How a RigHandModel is built: what is constant over the recording is measured (rig_measure.cpp),
// axes are found and the hand is put together (rig_axes.cpp).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/rig_hand.h"
#include "prehend/core/hand_builder.h"

namespace prehend::io {

// Frame whose -Z is `direction` and whose +Y comes nearest to `back`.
inline Quat bone_frame(const Vec3& direction, const Vec3& back) {
  const Vec3 z = -direction.normalized();
  Vec3 x = back.cross(z);
  x = x.norm() < 1e-9 ? any_orthogonal(z) : Vec3(x.normalized());
  Mat3 m;
  m << x, z.cross(x), z;
  return Quat(m).normalized();
}

inline int phalanx_after(Digit digit, int phalanx) {
  return digit == Digit::kThumb && phalanx == 1 ? 3 : phalanx + 1;
}

// Gathers what is constant over the recording, then builds the hand.
class RigHandBuilder {
 public:
  RigHandBuilder(const RigMotion& motion, RigHand mapped, double meters_per_unit, UpAxis up,
                 const std::string& name);

  Result<RigHandModel> build();

 private:
  // One phalanx in its rig joint's frame, in the rig's unit.
  struct Bone {
    int rig_joint = -1;
    Vec3 base = Vec3::Zero();        // joint center; not the origin only where a joint is split
    Vec3 end = Vec3::Zero();         // the next joint center
    bool has_end = false;            // measured, not supplied
    std::optional<Vec3> base_wrist;  // the joint center in the wrist's frame, of a split joint
    Quat frame;                      // segment frame in the rig joint's
    Vec3 vector() const { return end - base; }
  };
  using Digits = std::array<std::array<Bone, 4>, kDigitCount>;

  const RigHand& mapped() const { return model_.mapped_; }
  int wrist() const { return mapped().last(0); }
  Bone& bone(Digit digit, int phalanx) { return bones_[static_cast<int>(digit)][phalanx]; }
  void sample();
  Vec3 mean_in(int joint, int of, const Vec3& point = Vec3::Zero()) const;
  void measure_joints();
  Vec3 split_centre(const std::vector<int>& chain, Digit digit, int phalanx);
  void fit_arc(Bone& b, int next);
  Status measure_palm();
  double standard_length(Digit digit, int phalanx) const;
  Vec3 standard_knuckle(Digit digit) const;
  Status settle_units();
  Vec3 rest_up() const;
  Result<RigHandModel> build_bare();
  void supply_missing();
  bool measured_next(Digit digit, int phalanx);
  Vec3 straight_on(Digit digit, int phalanx);
  Vec3 across_palm() const;
  Vec3 along_palm() const;
  double knuckle_bend(const Vec3& back_if_right) const;
  void settle_side();
  void find_wrist_axes();
  Vec3 standard_back(Digit digit) const;
  Vec3 metacarpal_base(Digit digit);
  void find_digit_axes(Digit digit);
  void keep_openxr_axes();
  void straighten_end(Digit digit, int phalanx, int before);
  Vec3 carried_back(Digit digit, int phalanx, int before, const Quat& metacarpal);
  Vec3 bending_axis(Digit digit, int phalanx, const Vec3& back);
  Result<RigHandModel> assemble();
  Status fill_sizes(HandSize& size);
  void place_digit(Digit digit, Hand& hand);

  const RigMotion& motion_;
  std::string name_;
  RigHandModel model_;
  std::vector<std::vector<Transform>> samples_;
  std::vector<Transform> rest_;
  Digits bones_;
  std::array<Vec3, kDigitCount> knuckles_{};  // in the rig wrist's frame
  Hand standard_;
  double length_units_ = 0.0;
  Quat wrist_frame_;
};

}  // namespace prehend::io
