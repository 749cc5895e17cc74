// What the virtual subject means to do: a path of the wrist and of the joints.
#pragma once

#include "prehend/hands/performer.h"
#include "prehend/hands/timeline.h"
#include "prehend/methods/interaction/subject.h"

namespace prehend::interaction {

struct IntendedPose {
  Transform wrist_world;
  Eigen::VectorXd joints;
};
IntendedPose interpolate(const IntendedPose& a, const IntendedPose& b, double fraction);

struct Intent {
  HandPtr hand;
  hands::Timeline<IntendedPose> path;
  bool round_corners = false;  // of a path at an even pace
  std::vector<TrajectoryObject> objects = {};
  int held = -1;  // object that is to be carried
  // A platform that moves up and down whatever pushes on it: object, and when it jumps.
  int platform = -1;
  std::vector<double> jumps = {};  // s

  double platform_height(double time) const;  // m above where it stands

  double duration() const { return path.end(); }
  IntendedPose at(double time) const;
};

Intent make_intent(const SubjectOptions& options);

}  // namespace prehend::interaction
