// Beyond the paper, which was given one grasp: where a recording grasps, and whether what it shows
// there can teach a hand to pick something up.
#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

#include "prehend/core/math.h"

namespace prehend::example_control {

// Why a grasp is no example of picking something up.
enum class Unsuitable {
  kNoApproach,   // the hand is there from the beginning
  kTakenOver,    // the object was in the air or moving: the other hand gave it
  kNeverCloses,  // no two parts of the hand ever face each other across the object
  kHook,         // fingers and palm hold it, the thumb does not oppose them
  kFromBelow,    // it lies on a palm that faces up
  kNotLifted,    // it is pushed or turned, but never leaves what it stands on
  kHandled,      // the fingers go on moving after the grip: there is no one pose to learn
  kTooShort,     // held for less than a third of a second
};
const char* to_string(Unsuitable reason);

// A grasp found in a recording: the hand comes, stays, goes.
struct GraspSpan {
  int first = 0, grip = 0, release = 0, last = 0;  // frames; `release` is the first after the grip
  // The object's first motion by this hand; the grip itself where it never moves.
  int carry = 0;
  // The grip that is learned ends here: what comes until the release is handling.
  int settled = 0;
  double level = 0.0;                // of the palm's distance while it grips, m
  bool comes = false, goes = false;  // from afar, and away again
  std::vector<Unsuitable> why;       // nothing: it is suitable
  bool whole() const { return comes && goes; }
  bool suitable() const { return why.empty(); }
};

// What a recording shows of a hand and an object, frame by frame. "Parts" are the five digits and
// the palm; two oppose each other when the object's normals where they are nearest face away from
// each other. All gaps are measured between the performer's own bones' flesh and the object, m.
struct TouchTrack {
  double frame_rate = 0.0;
  std::vector<double> palm;           // of the palm
  std::vector<double> nearest;        // of the nearest part
  std::vector<double> opposed;        // the larger of the nearest two that oppose; else infinite
  std::vector<double> thumb_opposed;  // the same of thumb and another part
  std::vector<double> palm_up;        // cosine of the angle between where the palm faces and up
  std::vector<double> height;         // of the object's lowest point, m
  std::vector<double> speed;          // of the object, turning counted at its lever, m/s
  std::vector<Vec3> place;            // of the object's center, m

  int frames() const { return static_cast<int>(palm.size()); }
};

// One span for each time that the hand takes the object: it comes near, two opposing parts touch,
// the object moves. The grip is the first frame in which they touch, at or before that motion. What
// the hand does until the object stands again (passing it on, taking it back, turning it) is the
// same grasp. `contact_tolerance` is added to the palm's distance at the grip.
std::vector<GraspSpan> find_pick_ups(const TouchTrack& track, double contact_tolerance);

// From the distances of the palm and of the second nearest digit, frame by frame; released where
// these leave. Where nothing is touched, what moves beside the hand counts as held (`target_speed`,
// m/s, a frame each; may be empty). For hands that grasp hands, and where no pick-up is found.
std::vector<GraspSpan> find_grasp_spans(const std::vector<double>& palm,
                                        const std::vector<double>& touch, double frame_rate,
                                        double contact_tolerance,
                                        const std::vector<double>& target_speed = {});
// What digits do to let go begins before they have left: the frame from which on the joints move as
// they do around `span.release`. `speeds`: rad/s, a frame a row. The release itself if they do not.
int opening_begins(const Eigen::MatrixXd& speeds, const GraspSpan& span, double frame_rate);

// The best to learn from: suitable before whole before the others, then the first.
int best_grasp(const std::vector<GraspSpan>& grasps);

}  // namespace prehend::example_control
