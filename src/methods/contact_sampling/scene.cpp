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

std::vector<bool> frames_in_reach(const WorkingHand& hand, const SceneObject& object, double give) {
  const Transform palm = hands::palm_in_wrist(*hand.hand);
  const double reach = kNearPart * hand.hand->length + give;
  std::vector<bool> near(object.poses_world.size());
  for (size_t f = 0; f < near.size(); ++f) {
    const Vec3 middle = hand.wrist_world[f] * palm.position;
    const Vec3 middle_object = object.poses_world[f].inverse() * middle;
    if (object.prepared->box().exteriorDistance(middle_object) > reach) continue;
    near[f] = object.prepared->exact()->sample(middle_object).distance < reach;
  }
  return near;
}

std::vector<bool> without_passing(const WorkingHand& hand, const SceneObject& object,
                                  double frame_rate, std::vector<bool> near) {
  for (size_t f = 0; f < near.size(); ++f) {
    const size_t a = f > 0 ? f - 1 : f, b = f + 1 < near.size() ? f + 1 : f;
    const Vec3 before = object.poses_world[a].inverse() * hand.wrist_world[a].position;
    const Vec3 after = object.poses_world[b].inverse() * hand.wrist_world[b].position;
    if ((after - before).norm() > kPassing * (b - a) / frame_rate) near[f] = false;
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
    object.hand_reaches.push_back(
        frames_in_reach(hand, object, options.give ? options.give->shift : 0.0));
    object.hand_near.push_back(
        without_passing(hand, object, problem.frame_rate, object.hand_reaches.back()));
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
  if (options.smoothing > 0.0) {
    const double entered =
        lift_onto(object.levels, object.object(), problem.frame_rate, object.poses_world);
    if (entered > 0.0) {
      scene.notes.push_back(
          fmt::format("{}: it was captured {:.1f} mm inside of what it stands on, "
                      "and was lifted there",
                      object.object().name, 1e3 * entered));
      object.motion = object_motion(object.object(), object.poses_world, problem.frame_rate);
    }
  }
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

std::string smoothing_advice(const Scene& scene, int object) {
  // Weights. People rarely move what they hold with more than three times its weight.
  constexpr double kHard = 4.0, kMuchLess = 0.6;
  constexpr double kWidest = 0.3;  // s
  const CapturedObject& captured = scene.problem->objects[object];
  const Object& shape = captured.object->object();
  const auto worst = [&](const ObjectMotion& motion) {
    int at = 0;
    for (int f = 1; f < static_cast<int>(motion.wanted.size()); ++f)
      if (motion.wanted[f].force.norm() > motion.wanted[at].force.norm()) at = f;
    return std::pair(motion.wanted[at].force.norm() / (shape.mass * kStandardGravity), at);
  };
  const auto [now, frame] = worst(scene.objects[object].motion);
  if (now < kHard) return "";
  const double rate = scene.problem->frame_rate;
  for (double width = 2.0 * std::max(0.025, scene.options->smoothing); width < kWidest;
       width *= 2.0) {
    const auto smoothed = smooth_poses(captured.poses_world, rate, width);
    const double then = worst(object_motion(shape, smoothed, rate)).first;
    if (then > kMuchLess * now) continue;
    return fmt::format(
        "{}: as captured it needs {:.1f} times its weight at frame {}; with --smoothing {:g} that "
        "is "
        "{:.1f}",
        shape.name, now, frame, width, then);
  }
  return "";
}

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
