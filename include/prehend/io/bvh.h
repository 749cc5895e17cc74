// BVH as it stands in the file: its own joints, units and degrees. bvh_clip.h makes hands of it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prehend/core/math.h"
#include "prehend/core/result.h"

namespace prehend::io {

enum class BvhChannel { kXPosition, kYPosition, kZPosition, kXRotation, kYRotation, kZRotation };

// What a position channel of a joint means when its OFFSET is not zero: programs differ.
enum class BvhPositions {
  kReplaceOffset,  // the channel is the joint's place in its parent (Blender, MotionBuilder)
  kAddToOffset,    // the channel is a displacement from the OFFSET
};

struct BvhJoint {
  std::string name;
  int parent = -1;  // index into Bvh::joints, smaller than its own; -1 for a root
  Vec3 offset = Vec3::Zero();
  std::vector<BvhChannel> channels;  // in the file's order; rotations multiply in that order
  int first_channel = 0;             // of a frame's numbers
  BvhPositions positions = BvhPositions::kReplaceOffset;
  std::vector<Vec3> end_sites;

  bool has_positions() const;
};

struct Bvh {
  std::vector<BvhJoint> joints;
  double frame_time = 1.0 / 60.0;  // seconds
  int frame_count = 0;
  int channel_count = 0;
  std::vector<double> values;  // frame by frame; lengths in the file's unit, angles in degrees

  std::span<const double> frame(int index) const {
    return {values.data() + static_cast<std::size_t>(index) * channel_count,
            static_cast<std::size_t>(channel_count)};
  }
  // Frames a second, with the rounding of the file's frame time undone (0.0333333 is 30).
  double frame_rate() const;
  int find(std::string_view name) const;  // -1 if there is none
};

// Any order and subset of channels on any joint, tabs, any line ends, several roots. `name` stands
// in messages: "hand.bvh:12: ...".
Result<Bvh> parse_bvh(std::string_view text, const std::string& name);
Result<Bvh> read_bvh(const std::string& path);

std::string format_bvh(const Bvh& bvh);

// Reflected in the plane x = 0: what was written in left-handed coordinates, in right-handed ones.
Bvh mirrored(const Bvh& bvh);

// Where a joint stands in its parent, and all joints in the world, in the file's unit. Frame -1 is
// the pose that the HIERARCHY draws: every channel at rest.
Transform bvh_local(const Bvh& bvh, int joint, int frame);
void bvh_frames(const Bvh& bvh, int frame, std::span<Transform> frames_world);
std::vector<Transform> bvh_frames(const Bvh& bvh, int frame);

// Rotation axes in the order of multiplication, such as "ZXY".
struct EulerOrder {
  int axes[3] = {2, 0, 1};
};
Result<EulerOrder> parse_euler_order(std::string_view text);

// Angles in radians with R = R_a(x) R_b(y) R_c(z), the solution nearest to `previous`, so that a
// sequence is continuous through +-180 degrees and through the gimbal's lock.
Vec3 euler_angles(const Quat& rotation, const EulerOrder& order, const Vec3& previous);
Quat from_euler(const Vec3& angles, const EulerOrder& order);

}  // namespace prehend::io
