// A hand that closes all its digits on an object at once, from an open pose to a grip and beyond,
// without dynamics. The rule, and why gaps decide how far a step goes, are in closing.h.
#pragma once

#include <vector>

#include "prehend/core/hand_kinematics.h"
#include "prehend/geometry/signed_distance.h"
#include "prehend/physics/grasp_quality.h"

namespace prehend::hands {

// The poses that a hand closes along, in coordinates.
struct ClosingPoses {
  Eigen::VectorXd open;
  Eigen::VectorXd to_grip;  // the step from open to the grip
  Eigen::VectorXd beyond;   // the step from there on
  double farthest = 1.0;    // that digits close: 1 is the grip, 2 the whole step beyond it
};

// Keeps a reference to the hand. All places are in the object's frame.
class ClosingHand {
 public:
  ClosingHand(const Hand& hand, ClosingPoses poses);

  // Gaps of the open hand: of its palm (as in palm.h), and of its digits.
  struct Gaps {
    double palm = INFINITY;
    double digits = INFINITY;
  };
  Gaps open_gaps(const geometry::SignedDistance& field, const Transform& wrist_object) const;

  struct Grip {
    std::vector<physics::GraspContact> contacts;
    int digits = 0;  // that touch
    bool thumb = false;
    // Mean of how far touching segments closed; 1 is the grip's pose.
    double closing = 0.0;
    // How much farther the thumb closes than the fingers do before it touches, same unit.
    double thumb_late = 0.0;
    Vec3 push = Vec3::Zero();  // mean over digits of where they press the object
    Eigen::VectorXd pose;
  };
  // What the object stands on, in its frame.
  struct Floor {
    Vec3 up = Vec3::UnitY();
    double height = -INFINITY;
  };
  // Closes the hand. Of the palm, what is within `palm_margin` counts as touching.
  Grip close(const geometry::SignedDistance& field, const Transform& wrist_object,
             double palm_margin, const Floor& floor);
  Grip close(const geometry::SignedDistance& field, const Transform& wrist_object,
             double palm_margin) {
    return close(field, wrist_object, palm_margin, Floor{});
  }

  // Lowest point of the open hand, for a wrist at the origin turned like this.
  double lowest(const Quat& wrist_world) const;
  // A wrist on its way to a grip, or away from it, raised such that the open hand clears the floor:
  // smoothly, and the grip itself not at all.
  Transform above_floor(const Transform& wrist_world, const Transform& grip_world,
                        double floor_height) const;
  // How far the palm's skin and the open hand reach along a direction of the wrist's frame.
  double palm_reach(const Vec3& direction_wrist) const;
  // Between the pulps of thumb and middle finger of the open hand.
  double opening();

 private:
  struct Placed {
    Capsule capsule;  // in the wrist's frame
    bool palm;
  };
  double segment_gap(const geometry::SignedDistance& field, int segment) const;
  double floor_gap(const Floor& floor, int segment) const;
  bool thumb_meets(int segment) const;
  void freeze(int segment);
  void advance(int segment, double step);
  void gather(const geometry::SignedDistance& field, double palm_margin, Grip& grip) const;

  const Hand& hand_;
  HandKinematics kinematics_;
  std::vector<int> offsets_;
  std::vector<char> is_palm_;
  std::vector<int> thumb_;  // segments of it that other digits can meet
  ClosingPoses poses_;
  std::vector<Placed> open_capsules_;
  std::vector<double> travel_;  // m: how far each segment's skin goes from open to grip, at most
  // The state of the last closing.
  Eigen::VectorXd pose_;
  std::vector<double> closed_;  // how far each segment's joint went; 1: to the grip
  std::vector<char> frozen_;
};

}  // namespace prehend::hands
