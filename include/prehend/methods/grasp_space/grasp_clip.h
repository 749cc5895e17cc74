// A grasp as a clip, by simulation with gravity: the open hand comes, closes, squeezes, lifts and
// holds.
#pragma once

#include "prehend/core/clip.h"
#include "prehend/methods/grasp_space/grasp.h"

namespace prehend::grasp_space {

struct GraspClipOptions {
  double frame_rate = 60.0;
  Transform object_world;  // where the object stands, Y up: so is the problem's table
  double reach = 0.12;     // m that the open hand comes from
  double lift = 0.15;      // m
  double timestep = 0.002;
  // Of its servos, which are those that the grasp was proven with.
  physics::GraspProofOptions proof;
};

enum class Support {
  kTable,  // the problem's, a fixed object of the clip
  kStand,  // without a table: a stand keeps the object in the air until the hand has squeezed. Its
           // pushes are among the contacts.
};

struct GraspClip {
  Clip clip;
  Support support = Support::kTable;
  // False: there is no straight way in for the open hand, and the clip begins at the pre-grasp.
  bool approached = true;
  double slip = 0.0;     // m that the object moved in the hand from the squeeze to the end
  bool carried = false;  // the object rose with the hand
};

// The problem's hand, object and space are those that the grasp was found with.
Result<GraspClip> make_grasp_clip(const GraspProblem& problem, const Grasp& grasp,
                                  const GraspClipOptions& options = {},
                                  const Monitor& monitor = {});

}  // namespace prehend::grasp_space
