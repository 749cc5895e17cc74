// What all stages of the search read: hands, objects and their motion, made once.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "methods/contact_sampling/beyond/floor.h"
#include "methods/contact_sampling/beyond/working_hand.h"
#include "methods/contact_sampling/dynamic_test.h"
#include "methods/contact_sampling/supports.h"
#include "prehend/core/summary.h"
#include "prehend/hands/contact_ik.h"
#include "prehend/methods/contact_sampling/options.h"

namespace prehend::contact_sampling {

struct SceneObject {
  geometry::PreparedObjectPtr prepared;
  std::vector<Transform> poses_world;  // smoothed
  ObjectMotion motion;
  std::vector<LevelSupport> levels;
  std::vector<std::vector<SupportPoint>> supports;  // by frame
  std::vector<bool> needs_hand;                     // by frame
  std::vector<std::vector<bool>> hand_reaches;      // by hand, by frame
  std::vector<std::vector<bool>> hand_near;         // the same, of one that does not just pass

  const Object& object() const { return prepared->object(); }
  DynamicTest::Load load(int frame) const {
    return {&prepared->object(), poses_world[frame], motion.wanted[frame]};
  }
};

// A time in which hands hold an object.
struct Hold {
  int object = 0;
  std::vector<int> hands;
  FrameRange frames;  // with contact
  FrameRange needed;  // in which the object needs it
};

struct Scene {
  const SamplingProblem* problem = nullptr;
  const SamplingOptions* options = nullptr;
  std::vector<WorkingHand> hands;
  std::vector<SceneObject> objects;
  // Those of the problem, then the supports that were assumed under objects.
  std::vector<FixedObject> fixed;
  // The same, as the contact solver takes them, and the level floor.
  std::vector<hands::Obstacle> surroundings;
  std::vector<Hold> holds;
  double smoothing_moved = 0.0;  // m
  std::vector<std::string> notes;
  // When the time budget is used up.
  std::optional<std::chrono::steady_clock::time_point> deadline;

  int frames() const { return problem->frame_count(); }
  double frame_time() const { return 1.0 / problem->frame_rate; }
  // Whether the search must end, by the caller's wish or by the clock.
  bool over(const Monitor& monitor) const;
  // The object and then the surroundings.
  void obstacles(int object, int frame, std::vector<hands::Obstacle>& result) const;
};

Result<Scene> make_scene(const SamplingProblem& problem, const SamplingOptions& options);

// What smoothing would make of a motion that needs more force than hands give in everyday tasks;
// empty if it needs no such force, or if smoothing does not help.
std::string smoothing_advice(const Scene& scene, int object);

// Beyond the paper: which hands hold which object when.
std::vector<Hold> find_holds(const Scene& scene);

}  // namespace prehend::contact_sampling
