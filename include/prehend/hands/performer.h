// The performer of the built-in examples: the anatomical right hand, and how its digits come to lie
// on a thing. Everything is in the frame of the wrist, which is the hand's root.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "prehend/core/hand_pose.h"
#include "prehend/core/object.h"
#include "prehend/geometry/signed_distance.h"

namespace prehend::hands {

inline constexpr std::array<Digit, 4> kFingers = {Digit::kIndex, Digit::kMiddle, Digit::kRing,
                                                  Digit::kLittle};

// What the hand closes on. Thickness is along its own Z, its length along Y.
struct Thing {
  ObjectPtr object;
  std::shared_ptr<const geometry::ExactDistance> distance;
  Transform place_wrist;
};
Thing make_thing(const std::string& name, ShapeKind kind, const Vec3& size);

// A place on the skin that should meet the thing.
struct Spot {
  int segment = -1;
  Vec3 point = Vec3::Zero();
  Vec3 normal = -Vec3::UnitY();
};

// Joint angles of a finger in degrees.
struct FingerAngles {
  double mcp = 0.0, pip = 0.0, dip = 0.0;
  double deviation = 0.0;  // towards the thumb
};
struct ThumbAngles {
  double abduction = 0.0, flexion = 0.0, pronation = 0.0;  // of the metacarpal
  double mcp = 0.0, ip = 0.0;
};

class Performer {
 public:
  Performer();

  const HandPtr& hand() const { return hand_; }
  const CoordinateLimits& limits() const { return limits_; }
  int segment(Digit digit, int phalanx) const { return segments_[int(digit)][phalanx]; }
  Digit digit_of(int coordinate) const { return digits_[coordinate]; }

  void set(Digit finger, const FingerAngles& angles, Eigen::VectorXd& q) const;
  void set(const ThumbAngles& angles, Eigen::VectorXd& q) const;
  FingerAngles finger_angles(Digit finger, const Eigen::VectorXd& q) const;
  ThumbAngles thumb_angles(const Eigen::VectorXd& q) const;
  std::vector<Transform> frames(const Eigen::VectorXd& q) const;
  // The contact shapes of every segment in the wrist's frame.
  using Flesh = std::vector<std::vector<Capsule>>;
  Flesh flesh(const Eigen::VectorXd& q) const;

  // On the skin at a fraction of the segment's length, in a direction of its frame.
  Spot spot(Digit digit, int phalanx, double fraction, const Vec3& direction) const;
  // How deep the hand is in the thing, at the deepest.
  double penetration(const Eigen::VectorXd& q, const Thing& thing) const;

  // Moves the thing along the direction until it touches one of the segments.
  void lay_on(const std::vector<int>& segments, const Eigen::VectorXd& q, const Vec3& direction,
              Thing& thing) const;
  std::vector<int> palm() const;
  // Flexes the fingers until they lie on the thing or the palm: a segment that touches stops the
  // joints up to it, the others go on. A finger that finds nothing stays near its neighbor.
  // `bending` is how fast the finger bends in itself against how fast it comes.
  void close_fingers(const Thing& thing, Eigen::VectorXd& q, double bending = 1.0) const;
  // The same on anything; asked with the contact shapes of a segment in the wrist's frame, for q as
  // it stands.
  using Touches = std::function<bool(const std::vector<Capsule>& shapes_wrist)>;
  void close_fingers(const Touches& touches, Eigen::VectorXd& q, double bending = 1.0) const;

  struct Meeting {
    std::vector<Digit> moving;  // digits that the solution may move, from the angles in q
    std::vector<Spot> spots;    // the first belongs to the thumb, which opposes the others
    bool thing_moves = false;   // the thing comes to lie between the spots
    double opposition = 0.5;    // how much it matters that the thumb is opposite the others
  };
  // Brings spots and thing together without overlap, by least squares. Returns how far the farthest
  // spot of a moving digit is from the thing.
  double meet(const Meeting& meeting, Thing& thing, Eigen::VectorXd& q) const;

 private:
  class Flexion;

  std::vector<int> coordinates_of(const std::vector<Digit>& digits) const;
  void meeting_residuals(const Meeting& meeting, const Thing& thing, const Eigen::VectorXd& q,
                         std::vector<double>& residuals) const;
  void overlap_residuals(const Meeting& meeting, const Thing& thing, const Eigen::VectorXd& q,
                         std::vector<double>& residuals) const;
  bool free_of_palm(int segment, const Flesh& flesh) const;

  HandPtr hand_;
  CoordinateLimits limits_;
  std::vector<int> offsets_;
  std::vector<Digit> digits_;  // of each coordinate
  std::array<std::array<int, 4>, kDigitCount> segments_;
  std::vector<std::pair<int, int>> apart_;  // segments that should not overlap
};

}  // namespace prehend::hands
