// Writes what the clients open: clips as GLB and pages, and where our kinematics puts the joints.
//   client_files FOLDER
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "prehend/core/atomic_file.h"
#include "prehend/core/capsule.h"
#include "prehend/core/hand_builder.h"
#include "prehend/io/bvh_clip.h"
#include "prehend/io/glb.h"
#include "prehend/io/page.h"

namespace prehend {
namespace {

constexpr double kRadius = 0.026, kHalfLength = 0.07;
constexpr int kFrames = 120;
const Vec3 kAxisWrist(0.0, -0.052, -0.085);  // a point of the bar, which lies along the wrist's X

TriangleMesh bar_mesh(double radius, double half_length, int sides) {
  TriangleMesh mesh;
  for (double x : {-half_length, half_length})
    for (int s = 0; s < sides; ++s) {
      const double angle = 2.0 * kPi * s / sides;
      mesh.vertices.emplace_back(x, radius * std::cos(angle), radius * std::sin(angle));
    }
  mesh.vertices.emplace_back(-half_length, 0.0, 0.0);
  mesh.vertices.emplace_back(half_length, 0.0, 0.0);
  for (int s = 0; s < sides; ++s) {
    const int next = (s + 1) % sides;
    mesh.faces.push_back({s, next, sides + next});
    mesh.faces.push_back({s, sides + next, sides + s});
    mesh.faces.push_back({2 * sides, next, s});
    mesh.faces.push_back({2 * sides + 1, sides + s, sides + next});
  }
  return mesh;
}

Object bar() {
  Object object;
  object.name = "bar";
  object.shape.mesh = std::make_shared<TriangleMesh>(bar_mesh(kRadius, kHalfLength, 48));
  object.mass = 0.3;
  object.inertia = Vec3(1e-4, 5e-4, 5e-4).asDiagonal();
  return object;
}

// Distance between a segment's skin and the bar in the wrist's frame.
double clearance(const Hand& hand, const std::vector<Transform>& frames, int segment) {
  double least = 1.0;
  for (const Capsule& capsule : hand.segments[segment].capsules) {
    for (int i = 0; i <= 16; ++i) {
      const Vec3 point = frames[segment] * (capsule.a + (capsule.b - capsule.a) * (i / 16.0));
      const double away = (point - kAxisWrist).tail<2>().norm();
      least = std::min(least, away - capsule.radius - kRadius);
    }
  }
  return least;
}

// Bends every finger joint from the base on until its segment or a later one touches the bar.
std::vector<double> closing_angles(const Hand& hand) {
  std::vector<double> angles(hand.segments.size(), 0.0);
  HandPose pose = rest_pose(hand);
  for (int s = 0; s < hand.segment_count(); ++s) {
    const Segment& segment = hand.segments[s];
    if (segment.phalanx < 1 || segment.digit == Digit::kThumb) continue;
    const Quat rest = pose.rotations[s];
    const auto free = [&] {
      const auto frames = segment_frames(hand, pose);
      for (int later = s; later < hand.segment_count(); ++later)
        if (hand.segments[later].digit == segment.digit && clearance(hand, frames, later) < 0.0)
          return false;
      return true;
    };
    while (angles[s] < 1.5) {
      pose.rotations[s] = rest * exp_map(-(angles[s] + 0.005) * Vec3::UnitX());
      if (!free()) break;
      angles[s] += 0.005;
    }
    pose.rotations[s] = rest * exp_map(-angles[s] * Vec3::UnitX());
  }
  return angles;
}

void add_contacts(Clip& clip, int frame, double squeeze) {
  const Hand& hand = *clip.hands[0].hand;
  const Transform& bar_world = clip.objects[0].poses_world[frame];
  const auto frames = segment_frames(hand, clip.hands[0].poses[frame]);
  for (int s = 0; s < hand.segment_count(); ++s) {
    if (hand.segments[s].phalanx < 1) continue;
    const Vec3 middle = bar_world.inverse() * (frames[s] * hand.segments[s].center_of_mass);
    const Vec3 out = Vec3(0.0, middle.y(), middle.z()).normalized();
    const double gap = (middle - kRadius * out).norm() - 0.012;
    if (gap > 0.006 || std::abs(middle.x()) > kHalfLength) continue;
    Contact contact;
    contact.by = ContactSide::hand(0, s);
    contact.on = ContactSide::object(0);
    contact.point_on = Vec3(middle.x(), kRadius * out.y(), kRadius * out.z());
    contact.normal_world = bar_world.turn(out);
    contact.force_world = -squeeze * (1.0 + 0.3 * s / hand.segment_count()) * contact.normal_world +
                          0.2 * squeeze * Vec3::UnitY();
    clip.contacts[frame].push_back(contact);
  }
}

// A hand closes around a bar, lifts it and turns.
Clip grip(const Hand& hand) {
  Clip clip;
  clip.name = "Grip";
  clip.frame_rate = 60.0;
  clip.forces_recorded = true;
  clip.contacts.resize(kFrames);
  clip.hands.resize(1);
  clip.objects.resize(1);
  clip.hands[0].hand = std::make_shared<Hand>(hand);
  clip.objects[0].object = std::make_shared<Object>(bar());
  const std::vector<double> angles = closing_angles(hand);
  const auto smooth = [](double t) {
    t = std::clamp(t, 0.0, 1.0);
    return t * t * (3.0 - 2.0 * t);
  };
  for (int f = 0; f < kFrames; ++f) {
    const double close = smooth(f / 45.0), lift = smooth((f - 55) / 60.0);
    HandPose pose = rest_pose(hand);
    for (int s = 0; s < hand.segment_count(); ++s)
      pose.rotations[s] = pose.rotations[s] * exp_map(-close * angles[s] * Vec3::UnitX());
    const Transform wrist{exp_map({0.25 * lift, 0.9 * lift, 0.0}),
                          {0.0, kRadius - kAxisWrist.y() + 0.12 * lift, 0.08}};
    place_wrist(hand, wrist, pose);
    clip.hands[0].poses.push_back(pose);
    clip.objects[0].poses_world.push_back(wrist * Transform::from_position(kAxisWrist));
    if (close > 0.98) add_contacts(clip, f, 2.0 * smooth((f - 42) / 20.0));
  }
  return clip;
}

Clip two_hands(const Hand& right) {
  Clip clip = grip(right);
  clip.name = "Two hands";
  HandTrack left;
  left.hand = std::make_shared<Hand>(mirrored(right));
  for (const HandPose& pose : clip.hands[0].poses) {
    HandPose other;
    other.root_world = mirror_x(pose.root_world);
    other.root_world.position.x() += 0.25;
    for (const Quat& rotation : pose.rotations) other.rotations.push_back(mirror_x(rotation));
    left.poses.push_back(other);
  }
  clip.hands.push_back(left);
  ObjectTrack table;
  Object top;
  top.name = "table";
  top.fixed = true;
  top.shape.mesh = std::make_shared<TriangleMesh>(bar_mesh(0.02, 0.3, 4));
  table.object = std::make_shared<Object>(top);
  table.poses_world.assign(kFrames, Transform::from_position({0.1, -0.02, 0.0}));
  clip.objects.push_back(table);
  return clip;
}

// "frame,joint,x,y,z" of every OpenXR joint, in meters.
std::string joint_table(const Clip& clip) {
  std::string text = "frame,joint,x,y,z\n";
  for (int f = 0; f < clip.frame_count(); f += 17) {
    const auto frames = xr_frames(*clip.hands[0].hand, clip.hands[0].poses[f]);
    for (int j = 0; j < kXrJointCount; ++j) {
      const Vec3& p = frames[j].position;
      text +=
          fmt::format("{},{},{:.9f},{:.9f},{:.9f}\n", f, xr_joint_names()[j], p.x(), p.y(), p.z());
    }
  }
  return text;
}

Status write_all(const std::string& folder) {
  const auto hand = build_hand();
  if (!hand) return hand.error();
  const Clip clip = grip(*hand), both = two_hands(*hand);
  Clip pose = cut(clip, 70, 70);
  const io::ClipMarks marks = {
      {"penetration", 50, 70, 62, "penetration 6.0 mm: right index-distal in bar", Vec3(0, 0.1, 0)},
      {"limits", 10, 10, 10, "joint beyond its range: right ring-proximal-flexion", std::nullopt}};
  const auto at = [&](const char* name) { return folder + "/" + name; };
  for (const Status& status :
       {io::write_glb(clip, at("grip.glb")), io::write_glb(both, at("two_hands.glb")),
        io::write_glb(pose, at("pose.glb")),
        io::write_glb(clip, at("capsules.glb"), {.skin = false}),
        io::write_page(clip, at("grip.html"), {.theme = "light"}),
        io::write_page(both, at("two_hands.html"), {.theme = "dark"}),
        io::write_page(pose, at("pose.html"), {.title = "One pose"}),
        io::write_glb(clip, at("marked.glb"), {.marks = marks}),
        io::write_page(clip, at("marked.html"), {.theme = "light", .marks = marks}),
        write_file(at("joints.csv"), joint_table(clip))})
    if (!status) return status;
  // BVH holds one skeleton a file, so the hand goes without its bar.
  Clip alone = clip;
  alone.objects.clear();
  alone.contacts.clear();
  if (const auto files = io::write_bvh_clip(at("grip.bvh"), alone); !files) return files.error();
  return {};
}

}  // namespace
}  // namespace prehend

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: client_files FOLDER\n");
    return 2;
  }
  std::filesystem::create_directories(argv[1]);
  if (const auto status = prehend::write_all(argv[1]); !status) {
    fmt::print(stderr, "{}\n", status.message());
    return 2;
  }
}
