// Anyone's hand from an MJCF file, and our hands as MJCF.
//
// The file is compiled by MuJoCo itself, so defaults, includes and Euler angles mean what they mean
// there. Bodies from the wrist down become segments: those welded to their parent are merged with
// it unless a label names them; a body whose joints have several anchors becomes a chain. Frames
// are turned to OpenXR's (-Z along the bone, +Y out of the back of the hand) where labels tell how.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "prehend/core/hand.h"
#include "prehend/core/hand_pose.h"
#include "prehend/core/result.h"

namespace prehend::physics {

// Which body is what. What is left empty is guessed from names; what cannot be guessed is left out.
struct HandLabels {
  // Body that each OpenXR joint moves (the wrist's is the hand's root); for a tip, a site or geom
  // of the distal body. Names as in the file.
  std::array<std::string, kXrJointCount> bodies;
  std::optional<Side> side;  // empty: from where thumb and palm are
  std::string name;          // of the hand; empty: the model's
};

class MjcfHand {
 public:
  // One line of error names the file and what is wrong in it.
  static Result<MjcfHand> load(const std::string& path, const HandLabels& labels = {});
  // The same from text; `name` stands for the file in messages.
  static Result<MjcfHand> parse(const std::string& mjcf, const std::string& name,
                                const HandLabels& labels = {});
  ~MjcfHand();
  MjcfHand(MjcfHand&&) noexcept;
  MjcfHand& operator=(MjcfHand&&) noexcept;

  const HandPtr& hand() const;
  const HandLabels& labels() const;                  // as used
  const std::vector<std::string>& warnings() const;  // what was approximated or left out

  // Rotates the file's world to ours, Y up: what objects recorded with the file need too.
  Quat world_from_file() const;

  // All joints of the file, those above the wrist included, that a recording may give.
  const std::vector<std::string>& joint_names() const;
  // Poses from named columns of joint coordinates (meters and radians as the file has them), one
  // row a pose. A column is a joint's name, with or without a unit at its end ("flexion_rad");
  // others are not looked at, and joints without a column stay at their zero. Fails when no column
  // fits, or a number is not finite.
  Result<std::vector<HandPose>> poses(std::span<const std::string> columns,
                                      const Eigen::MatrixXd& rows) const;
  // World positions (ours) of the file's bodies or sites for a row: for checks.
  Result<std::vector<Vec3>> positions(std::span<const std::string> columns,
                                      const Eigen::VectorXd& row,
                                      std::span<const std::string> bodies_or_sites) const;

 private:
  MjcfHand();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A hand as one MJCF file that MuJoCo opens: free root, limits, passive springs, capsules, pads and
// tips as sites, what else a Hand has as custom fields. MjcfHand reads the same hand back.
std::string hand_to_mjcf(const Hand& hand);

}  // namespace prehend::physics
