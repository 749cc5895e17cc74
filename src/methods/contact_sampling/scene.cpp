// Ye and Liu 2012, section 3 and the preprocessing of section 4.2: what is known before the search.
#include "methods/contact_sampling/scene.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "prehend/hands/palm.h"

namespace prehend::contact_sampling {
namespace {

// A hand is near an object if the middle of its palm is within this part of its length of it.
constexpr double kNearPart = 0.75;
// A wrist that moves faster than this against the object passes it or comes to it, m/s.
constexpr double kPassing = 0.3;

std::vector<bool> frames_near(const WorkingHand& hand, const SceneObject& object, double give,
                              double frame_rate) {
  const Transform palm = hands::palm_in_wrist(*hand.hand);
  const double reach = kNearPart * hand.hand->length + give;
  std::vector<bool> near(object.poses_world.size());
  for (size_t f = 0; f < near.size(); ++f) {
    const Vec3 middle = hand.wrist_world[f] * palm.position;
    const Vec3 middle_object = object.poses_world[f].inverse() * middle;
    if (object.prepared->box().exteriorDistance(middle_object) > reach) continue;
    const size_t a = f > 0 ? f - 1 : f, b = f + 1 < near.size() ? f + 1 : f;
    const Vec3 before = object.poses_world[a].inverse() * hand.wrist_world[a].position;
    const Vec3 after = object.poses_world[b].inverse() * hand.wrist_world[b].position;
    if ((after - before).norm() > kPassing * (b - a) / frame_rate) continue;
    near[f] = object.prepared->exact()->sample(middle_object).distance < reach;
  }
  return near;
}

SceneObject make_object(const SamplingProblem& problem, const SamplingOptions& options, int index,
                        Scene& scene) {
  const CapturedObject& captured = problem.objects[index];
  SceneObject object;
  object.prepared = captured.object;
  std::vector<Transform> poses_world = captured.poses_world;
  if (options.smoothing > 0.0) {
    const std::vector<int> jumps = mend_jumps(poses_world);
    if (!jumps.empty())
      scene.notes.push_back(
          fmt::format("{}: it jumps at frame {} as no object does, and was put back there",
                      object.object().name, fmt::join(jumps, ", ")));
  }
  object.poses_world = smooth_poses(poses_world, problem.frame_rate, options.smoothing);
  std::vector<bool> any_near(object.poses_world.size(), false);
  for (const WorkingHand& hand : scene.hands) {
    object.hand_near.push_back(
        frames_near(hand, object, options.give ? options.give->shift : 0.0, problem.frame_rate));
    for (size_t f = 0; f < any_near.size(); ++f)
      any_near[f] = any_near[f] || object.hand_near.back()[f];
  }
  if (options.smoothing > 0.0)
    object.poses_world =
        stand_still(object.object(), object.poses_world, problem.frame_rate, any_near);
  for (size_t f = 0; f < object.poses_world.size(); ++f) {
    const Vec3 center = captured.object->object().center_of_mass;
    scene.smoothing_moved = std::max(
        scene.smoothing_moved, (object.poses_world[f] * center - poses_world[f] * center).norm());
  }
  object.motion = object_motion(object.object(), object.poses_world, problem.frame_rate);
  object.levels = level_supports(problem, index, object.poses_world, object.motion, any_near);
  object.supports = find_supports(problem, index, object.poses_world, object.motion, object.levels);
  for (const LevelSupport& level : object.levels) {
    if (!level.assumed) continue;
    if (auto slab = assumed_slab(level, static_cast<int>(scene.fixed.size()), object.poses_world,
                                 object.supports))
      scene.fixed.push_back(*slab);
  }
  object.needs_hand =
      frames_that_need_hands(object.object(), object.poses_world, object.motion, object.supports);
  for (const LevelSupport& level : object.levels) {
    if (level.assumed)
      scene.notes.push_back(
          fmt::format("{}: a support is assumed under it at a height of {:.3f} m, where it rests",
                      object.object().name, level.height));
  }
  return object;
}

}  // namespace

bool Scene::over(const Monitor& monitor) const {
  return monitor.stop.stop_requested() ||
         (deadline && std::chrono::steady_clock::now() >= *deadline);
}

void Scene::obstacles(int object, int frame, std::vector<hands::Obstacle>& result) const {
  result.clear();
  result.push_back({objects[object].prepared->contact().get(), objects[object].poses_world[frame]});
  for (const hands::Obstacle& obstacle : surroundings) result.push_back(obstacle);
  // Other objects, but no more than the solver has room for.
  for (int o = 0; o < static_cast<int>(objects.size()); ++o) {
    if (o == object || result.size() >= hands::ContactIk::kReservedObstacles) continue;
    result.push_back({objects[o].prepared->contact().get(), objects[o].poses_world[frame]});
  }
}

Result<Scene> make_scene(const SamplingProblem& problem, const SamplingOptions& options) {
  Scene scene;
  scene.problem = &problem;
  scene.options = &options;
  if (options.time_budget > 0.0)
    scene.deadline = std::chrono::steady_clock::now() +
                     std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                         std::chrono::duration<double>(options.time_budget));
  for (const CapturedHand& captured : problem.hands) {
    auto hand = make_working_hand(captured);
    if (!hand) return hand.error();
    hand->wrist_world = smooth_poses(hand->wrist_world, problem.frame_rate, options.smoothing);
    if (!options.priors.empty()) take_prior(options.priors[scene.hands.size()], *hand);
    scene.hands.push_back(std::move(*hand));
  }
  scene.fixed = problem.surroundings;
  for (int o = 0; o < static_cast<int>(problem.objects.size()); ++o) {
    scene.objects.push_back(make_object(problem, options, o, scene));
  }
  for (const FixedObject& fixed : scene.fixed)
    scene.surroundings.push_back({fixed.object->contact().get(), fixed.pose_world});
  if (problem.floor_height) scene.surroundings.push_back(floor_at(*problem.floor_height));
  scene.holds = find_holds(scene);
  return scene;
}

}  // namespace prehend::contact_sampling
