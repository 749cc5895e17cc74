// A small clip with all that a clip can hold: a hand of every kind of joint, a box and a ball that
// move, contacts with forces, frames without contacts.
#pragma once

#include <memory>

#include "prehend/core/clip.h"

namespace prehend::io::testing {

inline Segment test_segment(const std::string& name, int parent, const Vec3& at, Digit digit,
                            int phalanx) {
  Segment segment;
  segment.name = name;
  segment.parent = parent;
  segment.rest_parent = {exp_map({0.05 * phalanx, 0.1, -0.02}), at};
  segment.capsules.push_back({Vec3::Zero(), {0.0, 0.0, -0.03}, 0.008});
  segment.mass = 0.02 + 0.001 * phalanx;
  segment.center_of_mass = {0.0, 0.001, -0.015};
  segment.inertia = Vec3(3e-6, 2e-6, 1e-6).asDiagonal();
  segment.digit = digit;
  segment.phalanx = phalanx;
  return segment;
}

// A wrist and an index finger: hands that lack joints must work too.
inline Hand small_hand(Side side = Side::kRight) {
  Hand hand;
  hand.name = to_string(side);
  hand.profile = "custom";
  hand.side = side;
  hand.length = 0.18;
  hand.breadth = 0.08;
  hand.segments = {test_segment("wrist", -1, Vec3::Zero(), Digit::kNone, -1),
                   test_segment("index-metacarpal", 0, {0.01, 0.0, -0.02}, Digit::kIndex, 0),
                   test_segment("index-proximal", 1, {0.0, 0.002, -0.07}, Digit::kIndex, 1),
                   test_segment("index-distal", 2, {0.0, 0.0, -0.04}, Digit::kIndex, 3)};
  hand.segments[0].rest_parent = {};
  Joint ball{.name = "index-mcp", .type = JointType::kBall};
  ball.lower = {-1.5, -0.3, -0.1};
  ball.upper = {0.4, 0.3, 0.1};
  ball.max_torque = 1.25;
  Joint hinge{.name = "index-dip"};
  hinge.lower.x() = -0.1;
  hinge.upper.x() = 1.4;
  hinge.passive_stiffness = 0.1;
  hinge.damping = 0.003;
  hand.segments[2].joints = {ball};
  hand.segments[3].joints = {hinge, hinge};
  hand.xr_segments.fill(-1);
  hand.xr_segments[0] = 0;
  hand.pads[1].segment = 3;
  hand.pads[1].tip = {0.0, 0.001, -0.025};
  hand.pads[1].point = {0.0, -0.007, -0.018};
  hand.overlapping = {{0, 1}, {1, 2}};
  return hand;
}

inline TriangleMesh box_mesh(const Vec3& half) {
  TriangleMesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.vertices.emplace_back((i & 1 ? 1 : -1) * half.x(), (i & 2 ? 1 : -1) * half.y(),
                               (i & 4 ? 1 : -1) * half.z());
  mesh.faces = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

inline Object test_box(const std::string& name) {
  Object box;
  box.name = name;
  box.shape.kind = ShapeKind::kBox;
  box.shape.size = {0.03, 0.02, 0.025};
  box.shape.mesh = std::make_shared<TriangleMesh>(box_mesh(box.shape.size));
  box.mass = 0.123456789012345;
  box.center_of_mass = {0.001, -0.002, 0.0003};
  box.inertia << 1e-4, 1e-6, 2e-6, 1e-6, 2e-4, 3e-6, 2e-6, 3e-6, 3e-4;
  box.friction = 0.7;
  box.torsional_friction = 0.015;
  return box;
}

inline HandTrack waving(Hand hand, int frames) {
  HandTrack track;
  for (int f = 0; f < frames; ++f) {
    HandPose pose = rest_pose(hand);
    pose.root_world = {exp_map({0.3 * f, 1.0, -0.1 * f}), {0.1, 1.0 + 0.01 * f, -0.2}};
    for (std::size_t s = 1; s < pose.rotations.size(); ++s)
      pose.rotations[s] = pose.rotations[s] * exp_map({-0.11 * f, 0.03 * s, 0.02});
    track.poses.push_back(pose);
  }
  track.hand = std::make_shared<const Hand>(std::move(hand));
  return track;
}

inline ObjectTrack tumbling(Object object, int frames) {
  ObjectTrack track;
  for (int f = 0; f < frames; ++f)
    track.poses_world.push_back(
        {exp_map({0.0, 0.4 * f, 0.2}), {0.3, 0.9 - 0.02 * f, 0.01 * f * f}});
  track.object = std::make_shared<const Object>(std::move(object));
  return track;
}

inline Clip test_clip(int frames = 7) {
  Clip clip;
  clip.name = "wave \"and\" tumble";
  clip.frame_rate = 119.88;
  clip.hands = {waving(small_hand(Side::kRight), frames), waving(small_hand(Side::kLeft), frames)};
  clip.objects = {tumbling(test_box("box"), frames), tumbling(test_box("table"), frames)};
  clip.forces_recorded = true;
  clip.floor_height = -0.25;
  clip.contacts.resize(frames);
  // All kinds of sides: an object or a hand is pushed by the surroundings, an object or a hand.
  const ContactSide sides[] = {ContactSide::surroundings(), ContactSide::object(1),
                               ContactSide::hand(1, 2)};
  for (int f = 1; f < frames; f += 2) {
    for (int k = 0; k < f; ++k) {
      Contact contact;
      contact.by = sides[k % 3];
      contact.on = k < 3 ? ContactSide::object(0) : ContactSide::hand(0, k % 4);
      contact.point_on = {0.03, 0.001 * k, -0.002 * f};
      contact.normal_world = Vec3(1.0, 0.1 * k, -0.2 * f).normalized();
      contact.force_world = {-1.7 * k, 0.3, 12.125};
      contact.torque_normal = 0.001 * k;
      contact.gap = -0.0004;
      clip.contacts[f].push_back(contact);
    }
  }
  return clip;
}

}  // namespace prehend::io::testing
