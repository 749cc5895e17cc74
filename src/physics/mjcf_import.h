// Steps from a compiled model to a core Hand.
#pragma once

#include <string>
#include <vector>

#include "physics/engine.h"
#include "prehend/physics/mjcf_hand.h"

namespace prehend::physics {

// Bodies by OpenXR joint, -1: absent; tips are points in the frame of the distal body.
struct LabeledBodies {
  std::array<int, kXrJointCount> bodies;
  std::array<std::optional<Vec3>, kDigitCount> tips;
  bool openxr_names = false;  // every label is its body's own name: frames are taken as they are
};

std::string name_of(const mjModel* m, mjtObj type, int id);
bool below(const mjModel* m, int body, int ancestor);

// Fills what `labels` leaves empty from the names of bodies and sites.
Result<LabeledBodies> find_bodies(const mjModel* m, const std::string& file, HandLabels& labels,
                                  std::vector<std::string>& warnings);

// Collision geoms of a body as capsules in the body's frame.
std::vector<Capsule> body_capsules(const mjModel* m, int body, std::vector<std::string>& warnings);

// Where bodies stand in the file's world with every joint at zero.
struct RestFrames {
  std::vector<Transform> bodies;
};
RestFrames rest_frames(const mjModel* m, mjData* d);

// Of each labeled segment: its axes in the file's world at rest (columns x, y, z).
struct BoneFrames {
  std::array<std::optional<Quat>, kXrJointCount> axes;
  Side side = Side::kRight;
};
BoneFrames bone_frames(const mjModel* m, const RestFrames& rest, const LabeledBodies& found,
                       const std::optional<Side>& side);

}  // namespace prehend::physics
