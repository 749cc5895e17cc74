// Ye and Liu 2012, section 4.2, "Initial case", and beyond it: ways to take an object, each tried
// over the coming motion before it is taken.
#pragma once

#include <atomic>
#include <vector>

#include "methods/contact_sampling/beyond/other_hand.h"
#include "methods/contact_sampling/beyond/wrist_give.h"
#include "methods/contact_sampling/reach.h"
#include "methods/contact_sampling/state.h"
#include "prehend/core/summary.h"

namespace prehend::contact_sampling {

// One hand's way to take the object.
struct HandStart {
  Transform offset;  // of the wrist, in its own frame
  Eigen::VectorXd pose;
  Guides guides;
  double strain = 0.0;  // how unlike a hand at ease the pose is
  // Poses at the key frames, as the look-ahead found them; empty where it found none.
  std::vector<Eigen::VectorXd> key_poses;
};

struct Start {
  int frame = 0;                 // at which it takes the object; the search goes both ways from it
  std::vector<HandStart> hands;  // those of the hold, in its order
  double explained = 0.0;        // of the key frames
  double score = 0.0;            // greater is better
};

// Counts what the look-ahead tested.
struct StartCounts {
  std::atomic<int> tried{0}, reach{0}, collision{0}, force{0};
};

struct HoldPlan {
  const Hold* hold = nullptr;
  std::vector<CalmWrist> calm;  // by hand of the hold
  std::vector<int> key_frames;
  bool still = false;  // no wrist moves against the object
  // Frames for which grasps are looked for. A wrist that moves against the object is not yet, or no
  // longer, where it holds best at a hold's ends.
  std::vector<int> anchors;
  // Hands that hold the object at the same time and were found before; by hand that is not of this
  // hold, and by frame of the clip.
  std::vector<HandSurfaces> others;

  // The object, the surroundings, and these hands.
  void obstacles(const Scene& scene, int frame, std::vector<hands::Obstacle>& result) const;
};
// Contact patches with the wrist at its place, and moved towards the object as far as it may.
struct ShiftedPatches {
  Vec3 towards_wrist = Vec3::Zero();  // unit, in the wrist's frame: the way to the object
  std::array<double, 3> shifts = {};  // m along it
  std::array<ContactPatches, 3> patches;
};

// The wrists may give within these bounds.
HoldPlan plan_hold(const Scene& scene, const Hold& hold, const WristGive& give);

// Best first; those that explain no key frame are left out.
std::vector<Start> find_starts(const Scene& scene, const HoldPlan& plan,
                               const std::vector<ReachableVolume>& volumes, int count,
                               StartCounts& counts, const Monitor& monitor);

}  // namespace prehend::contact_sampling
