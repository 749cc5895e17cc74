// What was captured: wrists and objects, without fingers (Ye and Liu 2012, section 3).
#pragma once

#include <optional>
#include <vector>

#include "prehend/core/clip.h"
#include "prehend/core/result.h"
#include "prehend/geometry/prepared_object.h"

namespace prehend::contact_sampling {

struct CapturedHand {
  HandPtr hand;
  // One a frame. Where the wrist is counts, and how segments before it are turned; the rotations of
  // the digits' segments are not read, so a capture with fingers may be given as it is.
  std::vector<HandPose> poses;
  // Joint coordinates of the hand at ease, which free fingers take. Empty: the "rest" posture.
  Eigen::VectorXd rest;
};

// An object that hands move. Its mass and friction are those of the object.
struct CapturedObject {
  geometry::PreparedObjectPtr object;
  std::vector<Transform> poses_world;  // one a frame
};

// A table, a shelf: what objects stand on and hands must not enter.
struct FixedObject {
  geometry::PreparedObjectPtr object;
  Transform pose_world;
};

struct SamplingProblem {
  double frame_rate = 60.0;
  std::vector<CapturedHand> hands;      // one or two
  std::vector<CapturedObject> objects;  // each is held by the hands that are near it
  std::vector<FixedObject> surroundings;
  std::optional<double> floor_height;  // m, of a level floor besides the surroundings
  // An object that rests where no surroundings are stands on something that was not captured: a
  // level support is assumed under it at that height. False: what is not given is not there.
  bool assume_supports = true;

  int frame_count() const;
};

// Equal lengths, at least five frames, unit quaternions, finite numbers, masses above zero, hands
// with a thumb or a finger. The message names hand or object and frame.
Status validate(const SamplingProblem& problem);

}  // namespace prehend::contact_sampling
