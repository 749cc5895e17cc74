// Rigid objects of a replay, and where they and the hand come near each other.
#pragma once

#include <memory>
#include <vector>

#include "prehend/core/hand_kinematics.h"
#include "prehend/hands/hand_gaps.h"
#include "prehend/methods/interaction/replay.h"

namespace prehend::interaction {

struct ReplayBody {
  std::shared_ptr<const geometry::SignedDistance> field;
  geometry::PreparedObjectPtr object;  // none: the floor
  bool movable = false;
  double friction = 0.6;
  double mass = 0.0;
  Vec3 center = Vec3::Zero();  // of mass, in the object's frame
  Mat3 inertia = Mat3::Zero(), inverse_inertia = Mat3::Zero();
  std::vector<Vec3> corners;  // points of the surface that touch other objects first
  double radius = 0.0;        // of the ball around the center of mass that holds the object
  Transform pose_world;
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();  // momentum, about the center of mass
  Vec3 applied = Vec3::Zero();                         // force from outside

  Vec3 center_world() const { return pose_world * center; }
  Mat3 inverse_inertia_world() const;
  Vec3 velocity() const { return linear / mass; }
  // Momentum after `impulse` and `turning` impulse about the center, then the motion of one step.
  void advance(const Vec3& impulse, const Vec3& turning, double timestep);
  void set_mass(double kilograms);
};

ReplayBody make_body(const ReplayObject& object);
ReplayBody make_floor(double height, double friction);

// A contact while it is being solved.
struct LiveContact {
  ReplayContact report;
  int capsule = -1;                   // of HandGaps::capsules()
  Mat3 frame = Mat3::Identity();      // columns: normal, two tangents
  Vec3 local_force = Vec3::Zero();    // along those
  Vec3 point_segment = Vec3::Zero();  // where the force acts, carried by the segment
};

class ContactFinder {
 public:
  ContactFinder(const Hand& hand, double margin) : gaps_(hand), margin_(margin) {}

  // Contacts of the hand with bodies and of bodies with each other, in an order that does not
  // depend on what was there before.
  void find(const HandKinematics& kinematics, const std::vector<ReplayBody>& bodies,
            double timestep, const Vec3& up, std::vector<LiveContact>& contacts);

 private:
  void hand_on_body(int body, const ReplayBody& surface, const HandKinematics& kinematics,
                    double margin, const Vec3& up, std::vector<LiveContact>& contacts);
  void body_on_body(int first, int second, const std::vector<ReplayBody>& bodies, double margin,
                    const Vec3& up, std::vector<LiveContact>& contacts);

  struct Corner {
    Vec3 point_world, normal_world;
    double gap;
  };
  hands::HandGaps gaps_;
  double margin_;
  std::vector<Corner> near_;
};

}  // namespace prehend::interaction
