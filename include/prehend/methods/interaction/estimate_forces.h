// Beyond the paper: contact forces where none were measured.
//
// For a clip of a hand and an object, each frame's forces are those within the friction cones that
// explain the object's motion with the least normal force, with some friction kept in reserve, and
// on top of them a grip: forces that balance each other and squeeze the object. They are smoothed
// over time. They are estimates, and the grip is assumed: nothing in a motion tells it.
//
// Recorded hands float above the surface or go into it by millimeters. Joints and wrist are
// corrected by least squares so that the segments which bear forces touch.
#pragma once

#include <vector>

#include "prehend/core/summary.h"
#include "prehend/methods/interaction/capture.h"

namespace prehend::interaction {

struct EstimateOptions {
  // m: segments nearer than this touch. Larger distances are tried, up to the second, since
  // recordings miss contact by as much (fingertips of retargeted ones by 10 to 20 mm), and the
  // least is taken that explains as many frames as any, less this share.
  double contact_distance = 0.004;
  double most_distance = 0.02;
  double explained_less = 0.05;
  // N: normal force of the thumb, or of whatever opposes the rest of the hand, beyond the least.
  // Everyday grips have 1 to 10 N a finger.
  double grip = 6.0;
  // Friction is divided by this: people use about two thirds of what a surface offers.
  double friction_margin = 1.5;
  double smoothing = 0.05;  // s to either side
  // An object that the hand cannot carry at the clip's first or last frame stands on something, and
  // needs no hand while it is within this height of there and slower than this.
  double rest_height = 0.003;  // m
  double rest_speed = 0.02;    // m/s
};

// Frames during which the hand carries the object.
struct CarriedStretch {
  int first = 0, last = 0;
  int highest = 0;  // where the object is lifted most
};

struct EstimatedForces {
  Capture capture;                  // of the corrected motion
  int carried_frames = 0;           // in which the hand must carry the object
  double explained_fraction = 1.0;  // of those: forces within the cones explain the motion
  double gripped_fraction = 0.0;    // of those: the touching segments can also squeeze
  std::vector<CarriedStretch> stretches;
  double contact_distance = 0.0;  // m that was used
  // Largest change of a joint, and of the wrist's place, that made the hand touch.
  double corrected_rad = 0.0, corrected_m = 0.0;
  bool on_stand = false;  // the object stands at first: the capture has a stand under it
  int object = -1;        // of the clip
  Summary summary;
};
// Of the first object that is not fixed. Fails when there is none, or the hand never comes near it.
Result<EstimatedForces> estimate_forces(const Clip& clip, int hand,
                                        const EstimateOptions& options = {},
                                        const Monitor& monitor = {});

}  // namespace prehend::interaction
