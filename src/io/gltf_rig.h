// The rig of a glTF file that others made: its nodes as joints, and the hands found among them.
#pragma once

#include <string>
#include <vector>

#include "io/gltf_motion.h"
#include "io/rig_hand.h"
#include "prehend/io/glb.h"

namespace prehend::io {

// The animation asked for, or the one with the most tracks; -1 if there is none.
Result<int> choose_animation(const gltf::Document& document, const std::string& wanted);

// Keeps references to the document and the options.
class GltfRig {
 public:
  GltfRig(const gltf::Document& document, const GlbReadOptions& options, int animation);

  // How many frames there are; fails on more than anyone plays.
  Status settle_frames();
  // Finds the hands. Fails where there are none.
  Status find_hands();

  const gltf::Motion& motion() const { return motion_; }
  const RigSkeleton& skeleton() const { return skeleton_; }
  const std::vector<int>& nodes() const { return nodes_; }  // of each joint
  const std::vector<RigHandModel>& models() const { return models_; }
  int frame_count() const { return frames_; }
  double frame_rate() const { return rate_; }
  double meters_per_unit() const { return unit_; }
  UpAxis up() const { return options_.hints.up.value_or(UpAxis::kY); }

  // World matrices of all nodes; frame -1 is the document at rest.
  void worlds(int frame, std::span<Eigen::Affine3d> out) const;
  // Where the joints stand, out of a left-handed file if it is one.
  void joints(int frame, std::span<Transform> frames_rig) const;

 private:
  const gltf::Document& document_;
  const GlbReadOptions& options_;
  gltf::Motion motion_;
  RigSkeleton skeleton_;
  std::vector<int> nodes_;
  std::vector<RigHandModel> models_;
  int frames_ = 1;
  double rate_ = 60.0;
  double unit_ = 0.0;
};

}  // namespace prehend::io
