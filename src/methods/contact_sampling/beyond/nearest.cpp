// Beyond the paper: see nearest.h.
#include "methods/contact_sampling/beyond/nearest.h"

#include "prehend/hands/digit_closer.h"

namespace prehend::contact_sampling {
namespace {

// A digit that finds nothing stays this part of the way from the stretched hand to its rest.
constexpr double kEase = 0.5;

struct ClosingHand {
  ClosingHand(const WorkingHand& own, const SamplingOptions& options)
      : hand(own), closing(*own.hand), test(own, options), end(own.fist) {
    for (int c = 0; c < hand.dof(); ++c) {
      if (hand.digit_of[c] == Digit::kThumb) end[c] = hand.thumb_ends[0][c];
    }
  }

  Eigen::VectorXd close(const Transform& wrist_world, std::span<const hands::Obstacle> obstacles) {
    Eigen::VectorXd pose = hand.open;
    for (const Digit digit :
         {Digit::kIndex, Digit::kMiddle, Digit::kRing, Digit::kLittle, Digit::kThumb}) {
      if (!hand.has_digit[static_cast<int>(digit)]) continue;
      Eigen::VectorXd closed = pose;
      const bool touched = closing.close(digit, wrist_world, obstacles, end, closed);
      for (int c = 0; c < hand.dof(); ++c) {
        if (hand.digit_of[c] != digit) continue;
        pose[c] = touched ? closed[c] : pose[c] + kEase * (hand.rest[c] - pose[c]);
      }
    }
    return pose;
  }

  const WorkingHand& hand;
  hands::DigitCloser closing;
  KinematicTest test;
  Eigen::VectorXd end;  // where digits close to
};

}  // namespace

HoldSearch close_on_nearest(const Scene& scene, const HoldPlan& plan) {
  const Hold& hold = *plan.hold;
  const SceneObject& object = scene.objects[hold.object];
  std::vector<ClosingHand> hands;
  hands.reserve(hold.hands.size());
  for (const int h : hold.hands) hands.emplace_back(scene.hands[h], *scene.options);
  DynamicTest dynamics;
  std::vector<hands::Obstacle> obstacles;
  Path path;
  path.hands.resize(hands.size());
  path.node = 0;
  for (int f = hold.frames.first; f <= hold.frames.last; ++f) {
    scene.obstacles(hold.object, f, obstacles);
    State& state = path.states.emplace_back();
    state.frame = f;
    for (size_t h = 0; h < hands.size(); ++h) {
      const Transform wrist = held_wrist(scene, hold, hold.hands[h], plan.calm[h], Transform(), f);
      HandState& own = state.hands.emplace_back();
      own.pose = hands[h].close(wrist, obstacles);
      hands[h].test.touching(own.pose, wrist, object.poses_world[f], *obstacles[0].distance,
                             static_cast<int>(h), hold.object, state.contacts);
      set_guides(state.contacts, static_cast<int>(h), own.guides);
      for (int d = 0; d < kDigitCount; ++d)
        own.strategies[d] = own.guides[d].active ? Strategy::kStatic : Strategy::kFree;
    }
    if (scene.options->proxy_points) add_proxies(*object.prepared->exact(), state.contacts);
    state.residual = dynamics.solve(object.load(f), state.contacts, object.supports[f]);
    state.supports = dynamics.support_forces();
  }
  HoldSearch search;
  search.total_frames = hold.frames.size();
  search.tree.push_back({-1, hold.frames});
  search.tree.back().on_solution = true;
  search.paths.push_back(std::move(path));
  return search;
}

}  // namespace prehend::contact_sampling
