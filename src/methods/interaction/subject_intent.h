// What the virtual subject means to do: a path of the wrist and of the joints.
#pragma once

#include "prehend/hands/performer.h"
#include "prehend/methods/interaction/subject.h"

namespace prehend::interaction {

struct IntentKey {
  double time = 0.0;  // s
  Transform wrist_world;
  Eigen::VectorXd joints;
};

struct Intent {
  HandPtr hand;
  std::vector<IntentKey> keys;  // ascending; passed with the least jerk between two
  bool even_speed = false;      // along straight lines at one speed, corners rounded
  std::vector<TrajectoryObject> objects;
  int held = -1;  // object that is to be carried
  // A platform that moves up and down whatever pushes on it: object, and when it jumps.
  int platform = -1;
  std::vector<double> jumps;  // s

  double platform_height(double time) const;  // m above where it stands

  double duration() const { return keys.back().time; }
  IntentKey at(double time) const;
};

Intent make_intent(const SubjectOptions& options);

}  // namespace prehend::interaction
