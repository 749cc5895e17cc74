// Liu 2008, section 6: the initial grasp and the way there.
// Implements: eq. 9, and the virtual object that is bigger and closer than the real one, solved
//             from the smallest to the largest.
// Departs:    eq. 9 runs over the arm's joints and the hand's together by the same quadratic
//             programs as the steps, with overlap forbidden, which the paper leaves to the eye.
#pragma once

#include <string>

#include "prehend/core/summary.h"
#include "prehend/methods/manipulation/task.h"

namespace prehend::manipulation {

struct Grip {
  Eigen::VectorXd coordinates;
  Transform wrist_world;
  std::vector<double> handle_gaps;  // m, from each handle to the surface
  double overlap = 0.0;             // m, deepest with anything
  // Sum of normal forces over the weight that the least grip takes; nothing: no forces within the
  // cones carry it.
  std::optional<double> squeeze;
};

// eq. 9 on the object as it stands.
Grip find_grip(const Problem& problem, const GripStyle& style);
// And on a virtual one, `scale` times as big about its center and moved by `shift`, near a pose.
Grip find_virtual_grip(const Problem& problem, const GripStyle& style, const Eigen::VectorXd& near,
                       double scale, const Vec3& shift);

// From the arm's start to the grip.
struct Reach {
  Grip grip;
  std::vector<Eigen::VectorXd> keys;  // the start, then around ever smaller virtual objects
  std::vector<double> at;             // of each key along the way, 0 to 1

  // Coordinates when a share of the time is over, 0 to 1: at rest at both ends.
  Eigen::VectorXd pose(double share) const;
};
Result<Reach> plan_reach(const Problem& problem, const GripStyle& style);

}  // namespace prehend::manipulation
