// Hands and objects out of BVH files, and into them.
#pragma once

#include <string>
#include <vector>

#include "prehend/core/clip.h"
#include "prehend/io/bvh.h"
#include "prehend/io/rig_map.h"

namespace prehend::io {

// How a rig was understood, to be shown to the user.
struct RigImport {
  double meters_per_unit = 1.0;
  bool units_guessed = false;
  UpAxis up = UpAxis::kY;
  std::vector<std::string> tables;  // one a hand: which rig joint became which hand joint
  std::vector<std::string> notes;   // what was supplied or assumed
  // A hand is named for one side and bends as the other's: left-handed coordinates, in all
  // likelihood.
  bool left_handed = false;
  // Largest distance between a joint center of a hand and the rig's own, over all frames. Zero but
  // for rounding, unless the rig splits a joint or stretches its bones.
  std::vector<double> residuals_m;  // one a hand

  std::string text() const;  // all of it, several lines
};

struct BvhClip {
  Clip clip;
  RigImport import;
};

// Every hand of the rig, with the rest of a body left aside, as hands of profile "ball" with the
// rig's proportions, and what BVH does not carry (capsules, masses, limits) from the parametric
// hand.
Result<BvhClip> clip_from_bvh(const Bvh& bvh, const std::string& name, const RigHints& hints = {});
Result<BvhClip> read_bvh_clip(const std::string& path, const RigHints& hints = {});

// The motion of the first root with position channels, whatever hangs below it.
struct BvhMotion {
  double frame_rate = 60.0;
  std::vector<Transform> poses_world;
};
// An object's size says nothing about its unit: the hints must give that of the hands recorded with
// it, and whether they are mirrored.
Result<BvhMotion> read_bvh_object_motion(const std::string& path, const RigHints& hints);

struct BvhWriteOptions {
  double meters_per_unit = 0.01;  // centimeters: what most programs expect of BVH
  EulerOrder order;               // ZXY
};

// A hand as a BVH whose joints are its segments, by name and by frame: rotations are the pose's
// own.
Bvh bvh_from_hand(const HandTrack& track, double frame_rate, const BvhWriteOptions& options = {});
Bvh bvh_from_object(const ObjectTrack& track, double frame_rate,
                    const BvhWriteOptions& options = {});

// BVH holds one skeleton a file: a clip with one track goes to `path`, one with more to
// "clip.left.bvh", "clip.mug.bvh" and so on. Returns the files written: all or none.
Result<std::vector<std::string>> write_bvh_clip(const std::string& path, const Clip& clip,
                                                const BvhWriteOptions& options = {});

}  // namespace prehend::io
