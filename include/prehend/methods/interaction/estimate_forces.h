// Beyond the paper: contact forces where none were measured.
//
// For a clip of a hand and an object, each frame's forces are those within the friction cones that
// explain the object's motion with the least normal force, with some friction kept in reserve, and
// smoothed over time. They are estimates: people squeeze harder than they must.
#pragma once

#include "prehend/core/summary.h"
#include "prehend/methods/interaction/capture.h"

namespace prehend::interaction {

struct EstimateOptions {
  double contact_distance = 0.004;  // m: segments nearer than this touch
  // Friction is divided by this: people use about two thirds of what a surface offers.
  double friction_margin = 1.5;
  double smoothing = 0.05;  // s to either side
  // An object stands on something, and needs no hand, while it is within this height of where it
  // begins or ends and slower than this.
  double rest_height = 0.003;  // m
  double rest_speed = 0.02;    // m/s
};

struct EstimatedForces {
  Capture capture;
  int carried_frames = 0;           // in which the hand must carry the object
  double explained_fraction = 1.0;  // of those: forces within the cones explain the motion
  int object = -1;                  // of the clip
  Summary summary;
};
// Of the first object that is not fixed. Fails when there is none, or the hand never comes near it.
Result<EstimatedForces> estimate_forces(const Clip& clip, int hand,
                                        const EstimateOptions& options = {},
                                        const Monitor& monitor = {});

}  // namespace prehend::interaction
