// Ye and Liu 2012, section 4.3: contacts between the object and its surroundings, which are known
// before the search begins, and in which frames they alone explain the object's motion.
#pragma once

#include <optional>
#include <vector>

#include "methods/contact_sampling/motion.h"
#include "prehend/methods/contact_sampling/problem.h"

namespace prehend::contact_sampling {

struct SupportPoint {
  Vec3 point_object = Vec3::Zero();
  Vec3 normal_world = -Vec3::UnitY();  // unit, out of the object
  // Direction in which the object slides over the support here; zero: it does not.
  Vec3 slide_world = Vec3::Zero();
  int surrounding = -1;  // of Scene::fixed; -1: the floor
};

// A level plane that something stands on.
struct LevelSupport {
  double height = 0.0;
  bool assumed = false;
};

// Heights of the floor and of what must have been under objects that rest where nothing is.
// `hand_near` says for each frame whether a hand could hold the object.
std::vector<LevelSupport> level_supports(const SamplingProblem& problem, int object,
                                         const std::vector<Transform>& poses_world,
                                         const ObjectMotion& motion,
                                         const std::vector<bool>& hand_near);

// Lifts the object where it was captured a little inside of what it stands on. How deep that was,
// m.
double lift_onto(const std::vector<LevelSupport>& levels, const Object& object, double frame_rate,
                 std::vector<Transform>& poses_world);

// By frame.
std::vector<std::vector<SupportPoint>> find_supports(const SamplingProblem& problem, int object,
                                                     const std::vector<Transform>& poses_world,
                                                     const ObjectMotion& motion,
                                                     const std::vector<LevelSupport>& levels);

// A slab under all points that stand on an assumed support, so that a clip shows what bears the
// object. Sets the points' `surrounding` to `index`; nothing if no point stands there.
std::optional<FixedObject> assumed_slab(const LevelSupport& level, int index,
                                        const std::vector<Transform>& poses_world,
                                        std::vector<std::vector<SupportPoint>>& supports);

}  // namespace prehend::contact_sampling
