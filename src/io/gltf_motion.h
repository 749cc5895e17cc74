// A document's animation at any time: any interpolation, any scale, in world matrices.
#pragma once

#include <span>
#include <vector>

#include <Eigen/Geometry>

#include "io/gltf_document.h"

namespace prehend::io::gltf {

class Motion {
 public:
  // `animation` -1: the document at rest.
  Motion(const Document& document, int animation);

  double start() const { return start_; }
  double duration() const { return duration_; }
  // Keys a second of the densest track, or 60 when keys are sparse poses rather than samples.
  double natural_rate() const { return natural_rate_; }
  bool turns(int node) const { return turns_[node]; }

  // World matrices of all nodes, `time` seconds after start; of the document at rest.
  void worlds(double time, std::span<Eigen::Affine3d> out) const;
  void rest_worlds(std::span<Eigen::Affine3d> out) const;
  // Nodes in an order in which parents come before children.
  const std::vector<int>& order() const { return order_; }

 private:
  void chain(std::span<Eigen::Affine3d> out) const;

  const Document& document_;
  const Animation* animation_ = nullptr;
  std::vector<int> order_;
  std::vector<bool> turns_;
  double start_ = 0.0;
  double duration_ = 0.0;
  double natural_rate_ = 60.0;
};

// A channel's value: 3 numbers, or x y z w of a unit quaternion.
Eigen::Vector4d sample(const Channel& channel, double time);

// Rotation and position of a matrix whose columns are stretched.
Transform rigid_part(const Eigen::Affine3d& matrix);

}  // namespace prehend::io::gltf
