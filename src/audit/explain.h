// Do forces within the friction cones give an object the wrench that its motion needs?
#pragma once

#include <vector>

#include "audit/frame_finding.h"
#include "prehend/core/clip.h"

namespace prehend::audit {

struct Explanation {
  double residual = 0.0;    // |unexplained wrench| / (m g), torques over lever()
  double hand_force = 0.0;  // sum of the normal forces of hands, N
};

// What recorded contacts give an object: the wrench about its center of mass, and how far the worst
// force is outside its cone (pulling counts), over m g.
struct Given {
  Wrench wrench;
  double friction_excess = 0.0;
  int worst = -1;  // index of that force's contact; -1: all are within their cones
  double hand_force = 0.0;
};
Given recorded_wrench(const Object& object, const Transform& pose_world,
                      const std::vector<Contact>& contacts);
// How far the worst force of one hand on another, or of the floor on a hand, is outside its cone,
// over the weight of the lighter hand. The floor's friction is not known: it may only not pull.
FrameFinding skin_friction_excess(const Clip& clip, double skin_friction,
                                  const std::vector<Contact>& contacts);
double unexplained(const Object& object, const Wrench& needed, const Wrench& given);

// With the best forces that these contacts could give.
Explanation judge_possible(const Object& object, const Transform& pose_world, const Wrench& needed,
                           const std::vector<Contact>& contacts);

}  // namespace prehend::audit
