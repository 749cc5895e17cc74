// How people take things: rules by which grasps are ordered.
#pragma once

#include <optional>
#include <span>

#include "prehend/core/hand_pose.h"
#include "prehend/methods/grasp_space/grasp.h"

namespace prehend::grasp_space {

// Parts of a grasp's score, each from 0 to 1; naturalness.cpp has their sources.
struct Naturalness {
  double angle = 0.5;     // the forearm is turned as at rest, between palm down and thumb up
  double from = 1.0;      // it comes from above or from aside
  double center = 0.0;    // the grasp is near the center of mass
  double handle = 0.0;    // share of the grip's force that is on a handle
  double width = 0.0;     // what is between the digits is no wider than people take
  double smallest = 0.0;  // and it is the object's smallest dimension, or a smaller one
  double strength = 0.0;  // a power grip, except of what is small and light
  double digits = 0.0;    // how many digits touch, the thumb against the others
  double sum() const {
    return angle + from + center + handle + width + smallest + strength + digits;
  }
};
Naturalness naturalness(const Hand& hand, const Object& object, const Grasp& grasp,
                        std::span<const PartPoint> parts, const std::optional<Table>& table);

// How likely a person's wrist is to be turned like this above a table, 0 to 1: by the rules of
// angle and direction.
double wrist_comfort(Side side, const Quat& wrist_object, const Vec3& up_object);

}  // namespace prehend::grasp_space
