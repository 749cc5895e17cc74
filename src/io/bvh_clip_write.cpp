#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "prehend/core/atomic_file.h"
#include "prehend/core/text.h"
#include "prehend/io/bvh_clip.h"

namespace prehend::io {
namespace {

const std::vector<BvhChannel> kPositions = {BvhChannel::kXPosition, BvhChannel::kYPosition,
                                            BvhChannel::kZPosition};

void add_rotations(const EulerOrder& order, BvhJoint& joint) {
  for (const int axis : order.axes)
    joint.channels.push_back(
        static_cast<BvhChannel>(static_cast<int>(BvhChannel::kXRotation) + axis));
}

void finish(Bvh& bvh, double frame_rate, int frame_count) {
  bvh.frame_time = 1.0 / frame_rate;
  bvh.frame_count = frame_count;
  for (BvhJoint& joint : bvh.joints) {
    joint.first_channel = bvh.channel_count;
    bvh.channel_count += static_cast<int>(joint.channels.size());
  }
  bvh.values.reserve(static_cast<std::size_t>(frame_count) * bvh.channel_count);
}

void push_angles(const Quat& rotation, const EulerOrder& order, Vec3& previous, Bvh& bvh) {
  previous = euler_angles(rotation, order, previous);
  for (int i = 0; i < 3; ++i) bvh.values.push_back(degrees(previous[i]));
}

// Letters that every file system and every BVH reader takes.
std::string safe_name(const std::string& name) {
  std::string out;
  for (const char c : name)
    out += std::isalnum(static_cast<unsigned char>(c)) || c == '-' ? c : '_';
  return out.empty() ? "track" : out;
}

std::string unique_name(const std::string& wanted, std::set<std::string>& used) {
  std::string name = safe_name(wanted);
  for (int i = 2; !used.insert(name).second; ++i) name = fmt::format("{}-{}", safe_name(wanted), i);
  return name;
}

}  // namespace

Bvh bvh_from_hand(const HandTrack& track, double frame_rate, const BvhWriteOptions& options) {
  const Hand& hand = *track.hand;
  const double scale = 1.0 / options.meters_per_unit;
  Bvh bvh;
  for (const Segment& segment : hand.segments) {
    BvhJoint joint;
    joint.name = safe_name(segment.name);
    joint.parent = segment.parent;
    if (segment.parent < 0) joint.channels = kPositions;
    if (segment.parent >= 0) joint.offset = segment.rest_parent.position * scale;
    add_rotations(options.order, joint);
    bvh.joints.push_back(std::move(joint));
  }
  for (const FingerPad& pad : hand.pads)
    if (pad.segment >= 0) bvh.joints[pad.segment].end_sites.push_back(pad.tip * scale);
  // Some readers want every branch to end.
  std::vector<bool> ends(bvh.joints.size(), true);
  for (const BvhJoint& joint : bvh.joints)
    if (joint.parent >= 0) ends[joint.parent] = false;
  for (std::size_t i = 0; i < ends.size(); ++i)
    if (ends[i] && bvh.joints[i].end_sites.empty()) bvh.joints[i].end_sites.push_back(Vec3::Zero());

  finish(bvh, frame_rate, static_cast<int>(track.poses.size()));
  std::vector<Vec3> previous(bvh.joints.size(), Vec3::Zero());
  for (const HandPose& pose : track.poses) {
    for (std::size_t i = 0; i < bvh.joints.size(); ++i) {
      const bool root = bvh.joints[i].parent < 0;
      if (root)
        for (int axis = 0; axis < 3; ++axis)
          bvh.values.push_back(pose.root_world.position[axis] * scale);
      push_angles(root ? pose.root_world.rotation : pose.rotations[i], options.order, previous[i],
                  bvh);
    }
  }
  return bvh;
}

Bvh bvh_from_object(const ObjectTrack& track, double frame_rate, const BvhWriteOptions& options) {
  Bvh bvh;
  BvhJoint joint;
  joint.name = safe_name(track.object->name);
  joint.channels = kPositions;
  add_rotations(options.order, joint);
  joint.end_sites.push_back(Vec3(0.0, 0.1 / options.meters_per_unit, 0.0));
  bvh.joints.push_back(joint);
  finish(bvh, frame_rate, static_cast<int>(track.poses_world.size()));
  Vec3 previous = Vec3::Zero();
  for (const Transform& pose : track.poses_world) {
    for (int axis = 0; axis < 3; ++axis)
      bvh.values.push_back(pose.position[axis] / options.meters_per_unit);
    push_angles(pose.rotation, options.order, previous, bvh);
  }
  return bvh;
}

namespace {

bool is_finite(const Bvh& bvh) {
  const auto finite = [](const Vec3& v) { return v.allFinite(); };
  return std::isfinite(bvh.frame_time) &&
         std::all_of(bvh.values.begin(), bvh.values.end(),
                     [](double v) { return std::isfinite(v); }) &&
         std::all_of(bvh.joints.begin(), bvh.joints.end(), [&](const BvhJoint& joint) {
           return finite(joint.offset) &&
                  std::all_of(joint.end_sites.begin(), joint.end_sites.end(), finite);
         });
}

}  // namespace

Result<std::vector<std::string>> write_bvh_clip(const std::string& path, const Clip& clip,
                                                const BvhWriteOptions& options) {
  const std::size_t count = clip.hands.size() + clip.objects.size();
  if (count == 0) return Error{fmt::format("cannot write {}: the clip has no tracks", path)};
  const std::filesystem::path target(path);
  std::set<std::string> used;
  const auto path_of = [&](const std::string& track) {
    if (count == 1) return path;
    const auto name = fmt::format("{}.{}{}", target.stem().string(), unique_name(track, used),
                                  target.extension().string());
    return (target.parent_path() / name).string();
  };
  std::vector<PendingFile> files;
  const auto add = [&](const std::string& track, const Bvh& bvh) -> Status {
    if (!is_finite(bvh))
      return Error{fmt::format("cannot write {}: a number of {} is not finite",
                               printable(path, 400), printable(track))};
    auto file = PendingFile::create(path_of(track));
    if (!file) return file.error();
    if (const Status s = file->write(format_bvh(bvh)); !s) return s;
    files.push_back(std::move(*file));
    return {};
  };
  for (const HandTrack& track : clip.hands)
    if (const Status s =
            add(to_string(track.hand->side), bvh_from_hand(track, clip.frame_rate, options));
        !s)
      return s.error();
  for (const ObjectTrack& track : clip.objects)
    if (const Status s = add(track.object->name, bvh_from_object(track, clip.frame_rate, options));
        !s)
      return s.error();
  std::vector<std::string> written;
  for (PendingFile& file : files) {
    if (const Status s = file.commit(); !s) return s.error();
    written.push_back(file.path());
  }
  return written;
}

}  // namespace prehend::io
