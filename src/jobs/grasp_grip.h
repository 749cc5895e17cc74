// A grip style from a file of `prehend grasp -o x.json`.
#pragma once

#include <string>
#include <vector>

#include "prehend/core/hand_pose.h"
#include "prehend/core/result.h"
#include "prehend/geometry/prepared_object.h"
#include "prehend/hands/digits.h"

namespace prehend::jobs {

struct GraspGrip {
  HandPose pose;           // of a bare anatomical hand; its root stands where the grasp has it
  Transform wrist_object;  // in the object's frame
  // The fingertips that touch, and where, in the object's frame.
  std::vector<Digit> digits;
  std::vector<Vec3> places_object;
};

// The grasp of this number, counted from 1. Fails if the file's hand is another side's, or its
// touches do not lie on this object.
Result<GraspGrip> read_grasp_grip(const std::string& file, int number, const Hand& bare,
                                  const geometry::PreparedObject& object);

}  // namespace prehend::jobs
