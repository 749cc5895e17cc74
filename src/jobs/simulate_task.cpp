#include "jobs/simulate_task.h"

#include <algorithm>

#include <fmt/format.h>

#include "jobs/simulate_drop.h"
#include "prehend/core/text.h"
#include "prehend/jobs/load.h"
#include "prehend/methods/example_control/example_wrist.h"

namespace prehend::jobs {
namespace {

namespace control = example_control;
using control::Controller;

// Of a handshake: from the grip until the hands have closed.
constexpr double kHandshakeSettle = 0.3;

class TaskSetter {
 public:
  TaskSetter(const SimulateOptions& options, const Monitor& monitor, SimulateSetup& setup)
      : given_(options), monitor_(monitor), setup_(setup) {}

  Status set() {
    if (const Status done = set_task(); !done) return done;
    return add_cues();
  }

 private:
  Status set_task() {
    switch (setup_.task) {
      case SimulateTask::kGrasp:
        return set_grasp();
      case SimulateTask::kHandshake:
        return set_handshake();
      case SimulateTask::kFree:
        return set_free();
      case SimulateTask::kPath:
        return set_path();
      case SimulateTask::kDropTest:
        return set_drop_test(given_, setup_);
    }
    return {};
  }

  Status needs_example(const Controller& controller) const {
    if (controller.path.wrist_world.size() > 1) return {};
    return Error{fmt::format("{}: controller {} has no example path to move the wrist along",
                             printable(given_.scene.file, 200), controller.name)};
  }

  Status set_grasp() {
    auto& simulation = setup_.run.simulation;
    control::ControlledHand& hand = simulation.hands[0];
    if (const Status good = needs_example(*hand.controller); !good) return good;
    if (simulation.objects[0].object->fixed)
      return Error{simulation.objects[0].object->name +
                   ": is fixed in the scene; nothing can lift it"};
    if (!simulation.floor_height && !given_.scene.environment.table) simulation.floor_height = 0.0;
    control::GraspStaging staging;
    control::PlacementOptions& placement = staging.placement;
    placement.floor_height = given_.scene.environment.table ? given_.scene.environment.table->height
                                                            : *simulation.floor_height;
    // What was recorded stands as it stood, unless the scene says otherwise.
    staging.as_recorded = setup_.as_recorded;
    const std::string turn = !setup_.turn.empty()
                                 ? setup_.turn
                                 : given_.text("turn", setup_.as_recorded ? "upright" : "any");
    placement.turn = turn == "none"      ? control::PlacementOptions::Turn::kNone
                     : turn == "upright" ? control::PlacementOptions::Turn::kUpright
                                         : control::PlacementOptions::Turn::kAny;
    const bool paper = setup_.options.grip == control::Grip::kPaper;
    const std::string present = !setup_.present.empty()
                                    ? setup_.present
                                    : given_.text("present", paper ? "example" : "rehearse");
    for (const auto kind : {control::Presentation::kExample, control::Presentation::kSearched,
                            control::Presentation::kRehearsed})
      if (present == to_string(kind)) staging.presentation = kind;
    staging.grip_by_distance = paper && staging.presentation == control::Presentation::kExample;
    staging.place_world = simulation.objects[0].pose_world.position;
    staging.task = grasp_task();
    auto staged = control::stage_grasp(simulation, staging, setup_.options, monitor_);
    if (!staged) return staged.error();
    setup_.run = std::move(staged->run);
    staged->run = {};
    setup_.run.seconds = given_.number("seconds", setup_.run.seconds);
    setup_.staged = std::move(*staged);
    return {};
  }

  control::GraspTask grasp_task() const {
    control::GraspTask task;
    task.settle_seconds = given_.number("settle", task.settle_seconds);
    task.lift = given_.number("lift", task.lift);
    task.lift_seconds = given_.number("lift_time", task.lift_seconds);
    task.shake = given_.number("shake", task.shake);
    task.shake_frequency = given_.number("shake_frequency", task.shake_frequency);
    if (const io::Value* shakes = given_.table.find("shakes"))
      task.shakes = static_cast<int>(*shakes->integer());
    return task;
  }

  Status set_handshake() {
    auto& hands = setup_.run.simulation.hands;
    double from = 0.0, to = 1e9;
    for (int i = 0; i < 2; ++i) {
      control::ControlledHand& hand = hands[i];
      if (const Status good = needs_example(*hand.controller); !good) return good;
      const control::ExamplePath& path = hand.controller->path;
      hand.target_object = -1;
      if (const Status moved = set_wrist(hand); !moved) return moved;
      const double grip = path.grip_frame / path.frame_rate;
      const double release = path.release_frame / path.frame_rate;
      ask(grip, i, {.grip = true});
      if (hand.release.by == control::Release::By::kCue) ask(release, i, {.release = true});
      from = std::max(from, grip + kHandshakeSettle);
      to = std::min(to, release);
    }
    setup_.run.seconds = given_.number("seconds", hands[0].wrist_world.end_time());
    setup_.run.carry_from = from;
    setup_.run.carry_to = to;
    return {};
  }

  // Along the example's wrist, with the example's distances and nothing to touch.
  Status set_free() {
    auto& simulation = setup_.run.simulation;
    control::ControlledHand& hand = simulation.hands[0];
    if (const Status good = needs_example(*hand.controller); !good) return good;
    const control::ExamplePath& path = hand.controller->path;
    simulation.objects.clear();
    simulation.floor_height.reset();
    hand.distances = path.distances;
    hand.distance_rate = path.frame_rate;
    hand.wrist_world = control::example_wrist_curve(*hand.controller, *hand.hand);
    ask(path.grip_frame / path.frame_rate, 0, {.grip = true});
    if (hand.release.by == control::Release::By::kCue)
      ask(path.release_frame / path.frame_rate, 0, {.release = true});
    setup_.run.seconds = given_.number("seconds", hand.wrist_world.end_time());
    return {};
  }

  Status set_path() {
    auto& simulation = setup_.run.simulation;
    int target = simulation.objects.empty() ? -1 : 0;
    if (const io::Value* value = given_.table.find("target")) {
      target = given_.scene.find_object(*value->string());
      if (target < 0)
        return io::error_at(given_.scene.file, value->place,
                            fmt::format("no object \"{}\"", printable(*value->string())));
    }
    if (target < 0 && simulation.hands.size() < 2)
      return Error{fmt::format("{}: there is nothing that the hand could reach for",
                               printable(given_.scene.file, 200))};
    double end = 0.0;
    for (control::ControlledHand& hand : simulation.hands) {
      hand.target_object = target;
      if (const Status moved = set_wrist(hand); !moved) return moved;
      end = std::max(end, hand.wrist_world.end_time());
    }
    setup_.run.seconds = given_.number("seconds", end > 0.0 ? end : setup_.run.seconds);
    return {};
  }

  // The scene's motion of that hand, else the example's.
  Status set_wrist(control::ControlledHand& hand) {
    for (const io::SceneMotion& motion : given_.scene.motions) {
      if (motion.of != hand.hand->name && !(motion.of.empty() && given_.scene.hands.size() < 2))
        continue;
      return motion.file.empty() ? along_keyframes(motion, hand) : along_clip(motion, hand);
    }
    if (const Status good = needs_example(*hand.controller); !good) return good;
    hand.wrist_world = control::example_wrist_curve(*hand.controller, *hand.hand);
    return {};
  }

  Status along_keyframes(const io::SceneMotion& motion, control::ControlledHand& hand) {
    const int index = given_.scene.find_hand(hand.hand->name);
    Transform pose = index >= 0 ? given_.scene.hands[index].wrist_world : Transform();
    std::vector<double> times;
    std::vector<Transform> poses;
    for (const io::SceneKeyframe& key : motion.keyframes) {
      pose.position = key.position.value_or(pose.position);
      pose.rotation = key.rotation.value_or(pose.rotation);
      times.push_back(key.time);
      poses.push_back(pose);
    }
    hand.wrist_world = RigidCurve::through_keyframes(times, poses);
    return {};
  }

  Status along_clip(const io::SceneMotion& motion, control::ControlledHand& hand) {
    LoadOptions options;
    options.map = motion.map;
    options.mirror = motion.mirror;
    if (motion.meters_per_unit) options.units = fmt::format("{}", *motion.meters_per_unit);
    auto loaded = load_clip(motion.file, options);
    if (!loaded) return loaded.error();
    for (std::string& note : loaded->notes) setup_.notes.push_back(std::move(note));
    const Clip& clip = loaded->clip;
    const HandTrack* track = nullptr;
    for (const HandTrack& found : clip.hands)
      if (!track && found.hand->side == hand.hand->side) track = &found;
    if (!track)
      return Error{fmt::format("{}: has no {} hand", printable(motion.file, 200),
                               to_string(hand.hand->side))};
    std::vector<Transform> wrists;
    for (std::size_t f = 0; f < track->poses.size(); ++f) {
      const double time = double(f) / clip.frame_rate;
      if (time < motion.start || time > motion.end.value_or(1e9)) continue;
      wrists.push_back(segment_frames(*track->hand, track->poses[f])[track->hand->wrist()]);
    }
    if (wrists.size() < 2)
      return io::error_at(given_.scene.file, motion.place,
                          "start and end leave nothing of the clip");
    hand.wrist_world = RigidCurve::through_samples(wrists, clip.frame_rate);
    return {};
  }

  Status add_cues() {
    if (const io::Value* list = given_.table.find("cues")) {
      for (const io::Value& item : list->items()) {
        int hand = 0;
        if (const io::Value* name = item.find("hand")) {
          hand = given_.scene.find_hand(*name->string());
          if (hand < 0 || hand >= std::ssize(setup_.run.simulation.hands))
            return io::error_at(given_.scene.file, name->place,
                                fmt::format("no hand \"{}\"", printable(*name->string())));
        }
        const std::string& word = *item.find("cue")->string();
        control::Cue cue;
        cue.grip = word == "grip";
        cue.release = word == "release";
        if (word == "open") cue.setpoint = control::Setpoint::kOpen;
        if (word == "close") cue.setpoint = control::Setpoint::kGrip;
        ask(*item.find("time")->number(), hand, cue);
      }
    }
    std::stable_sort(setup_.run.cues.begin(), setup_.run.cues.end(),
                     [](const auto& x, const auto& y) { return x.time < y.time; });
    return {};
  }

  void ask(double time, int hand, const control::Cue& cue) {
    setup_.run.cues.push_back({time, hand, cue});
  }

  const SimulateOptions& given_;
  const Monitor& monitor_;
  SimulateSetup& setup_;
};

}  // namespace

Status set_task(const SimulateOptions& options, const Monitor& monitor, SimulateSetup& setup) {
  return TaskSetter(options, monitor, setup).set();
}

}  // namespace prehend::jobs
