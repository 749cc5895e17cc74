// Ye and Liu 2012, section 3 and eq. 5: captured motion made smooth, and the forces that it needs.
#pragma once

#include <vector>

#include "prehend/core/clip.h"

namespace prehend::contact_sampling {

// A single frame that is somewhere else than both its neighbors, or a first or last one that jumps
// away from all others, is a slip of the capture: it is put back, and its number returned.
std::vector<int> mend_jumps(std::vector<Transform>& poses);

// Poses smoothed by cubics over `half_width` seconds to either side; 0 leaves them as they are.
std::vector<Transform> smooth_poses(const std::vector<Transform>& poses, double frame_rate,
                                    double half_width);

// Where an object rests with no hand near it, it stands still: the noise of its markers would need
// forces. What that moves it by fades away within a tenth of a second.
std::vector<Transform> stand_still(const Object& object, const std::vector<Transform>& poses,
                                   double frame_rate, const std::vector<bool>& hand_near);

// What must act on an object besides gravity, at every frame: eq. 5's G, about the center of mass.
struct ObjectMotion {
  std::vector<Wrench> wanted;
  std::vector<Vec3> velocity_world;  // of the center of mass, m/s
  std::vector<Vec3> spin_world;      // rad/s
};
ObjectMotion object_motion(const Object& object, const std::vector<Transform>& poses_world,
                           double frame_rate);

}  // namespace prehend::contact_sampling
