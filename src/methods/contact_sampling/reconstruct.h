// Ye and Liu 2012, section 6: smooth motion of the hands from trajectories of contact points.
#pragma once

#include <vector>

#include "methods/contact_sampling/search.h"

namespace prehend::contact_sampling {

// What was found for a hold; null: nothing.
struct HoldChoice {
  const HoldPlan* plan = nullptr;
  const Path* path = nullptr;
};

// Motion of one hand through the clip.
struct HandMotion {
  std::vector<Transform> wrist_world;
  std::vector<Eigen::VectorXd> poses;
};

// One for each hand of the scene.
std::vector<HandMotion> reconstruct(const Scene& scene, const std::vector<HoldChoice>& holds);

// The solution with contacts and forces, judged. `motions` as reconstructed.
Solution make_solution(const Scene& scene, const std::vector<HoldChoice>& holds,
                       const std::vector<HandMotion>& motions);

}  // namespace prehend::contact_sampling
