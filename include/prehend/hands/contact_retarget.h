// A pose brought from one hand to another such that the same digits touch the same places of an
// object: retargeting by angles alone leaves thumbs in the air and fingers in the object, since no
// two hands have the same bones.
#pragma once

#include <optional>

#include "prehend/core/hand_pose.h"
#include "prehend/hands/contact_ik.h"

namespace prehend::hands {

struct ContactRetargetOptions {
  // Segments nearer than this touch, m: markers, meshes and capsules for flesh are no better.
  double touch = 0.004;
  // Beyond that segments keep the rest of their distance, and count less and less up to this, m.
  double fade = 0.02;
  // How far the wrist may leave its place, m and rad, so that contacts can be met.
  double root_shift = 0.01;
  double root_turn = radians(5.0);
  // Weight of staying near the recorded angles, 1 / rad: a joint 10 degrees away costs as much as
  // a contact 1 mm off, and as a wrist that is shifted by 4 mm.
  double preference = 6.0;
  // How far each coordinate may leave the recorded angle, rad; empty: any distance.
  std::optional<double> greatest_change;
};

struct ContactRetarget {
  HandPose pose;
  int contacts = 0;            // segments that touch in the pose given
  double worst_error = 0.0;    // m, of those
  double penetration = 0.0;    // m, deepest entry into the object
  double greatest_turn = 0.0;  // rad by which a joint left its recorded angles
};

// Keeps references to the hands. One object a thread.
class ContactRetargeter {
 public:
  ContactRetargeter(const Hand& from, const Hand& to, const ContactRetargetOptions& options = {});

  // `distance` is the object's. Segments correspond by digit and phalanx; the palm is the wrist's
  // and the metacarpals'. Far from the object it is `retarget` of core/hand_pose.h.
  ContactRetarget solve(const HandPose& pose, const geometry::SignedDistance& distance,
                        const Transform& object_world);

 private:
  void find_targets(const HandPose& pose, const geometry::SignedDistance& distance,
                    const Transform& object_world);

  const Hand& from_;
  const Hand& to_;
  const ContactRetargetOptions options_;
  std::vector<int> segments_;  // of `to`, for each of `from`; -1: none
  ContactIk ik_;
  std::vector<ContactTarget> targets_;
  std::vector<char> touches_;  // of each target
};

}  // namespace prehend::hands
