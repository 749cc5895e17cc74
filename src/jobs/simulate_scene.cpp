#include "jobs/simulate_scene.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "jobs/same_mesh.h"
#include "jobs/scene_object.h"
#include "jobs/simulate_task.h"
#include "prehend/core/text.h"
#include "prehend/geometry/builtin.h"
#include "prehend/geometry/mirrored_object.h"
#include "prehend/geometry/primitive.h"
#include "prehend/jobs/compliance_file.h"
#include "prehend/jobs/control_file.h"
#include "prehend/jobs/load.h"
#include "prehend/methods/example_control/other_hand.h"

namespace prehend::jobs {
namespace {

namespace control = example_control;
using control::Controller;
using control::Gains;

// What a hand carries easily; everyday things that weigh more or less are brought into it.
constexpr double kLightest = 0.05, kHeaviest = 0.3;
constexpr double kTableThickness = 0.04;
// The name of the object that the controller was fitted on.
constexpr const char* kRecorded = "recorded";

class SetupMaker {
 public:
  SetupMaker(const SimulateJob& job, const Monitor& monitor) : asked_(job), monitor_(monitor) {}

  Result<SimulateSetup> make() {
    using Step = Status (SetupMaker::*)();
    for (const Step step :
         {&SetupMaker::read, &SetupMaker::set_options, &SetupMaker::make_controllers,
          &SetupMaker::make_hands, &SetupMaker::make_objects, &SetupMaker::set_task}) {
      if (const Status done = (this->*step)(); !done) return done.error();
    }
    return std::move(setup_);
  }

 private:
  // The scene, its table and what is to happen.
  Status read() {
    if (file_ending(asked_.scene) != ".toml")
      return Error{printable(asked_.scene, 200) + ": simulate takes a scene (.toml)"};
    auto scene = io::read_scene(asked_.scene);
    if (!scene) return scene.error();
    given_.scene = std::move(*scene);
    auto table = io::scene_options(given_.scene, "simulate", simulate_keys());
    if (!table) return table.error();
    given_.table = std::move(*table);
    setup_.title = given_.scene.title;
    const std::string word = given_.text("task", "grasp");
    for (const SimulateTask task :
         {SimulateTask::kGrasp, SimulateTask::kHandshake, SimulateTask::kFree, SimulateTask::kPath,
          SimulateTask::kDropTest}) {
      if (word == to_string(task)) setup_.task = task;
    }
    if (asked_.free) setup_.task = SimulateTask::kFree;
    if ((asked_.heaviest || asked_.margins) && setup_.task != SimulateTask::kGrasp)
      return Error{fmt::format("{}: only the task \"grasp\" carries something",
                               asked_.margins ? "--margins" : "--heaviest")};
    return {};
  }

  Status set_options() {
    if (!asked_.load.object_units.empty()) {
      const auto unit = io::parse_unit(asked_.load.object_units);
      if (!unit) return Error{"--object-units: " + unit.message()};
      object_unit_ = *unit;
    }
    auto& options = setup_.options;
    options.timestep =
        asked_.timestep ? *asked_.timestep : given_.number("timestep", options.timestep);
    if (!(options.timestep >= 1e-5 && options.timestep <= 0.02))
      return Error{
          fmt::format("--timestep: {:g} should be from 0.00001 to 0.02 s", options.timestep)};
    options.frame_rate = given_.number("frame_rate", options.frame_rate);
    if (const io::Value* value = given_.table.find("wrist_strength")) {
      const auto numbers = *value->numbers();
      if (numbers.size() != 2)
        return io::error_at(given_.scene.file, value->place,
                            "wrist_strength should be [newtons, newton meters]");
      options.wrist_strength = {numbers[0], numbers[1]};
    }
    const bool paper = given_.text("grip", "hold") == "paper";
    options.grip = asked_.grip.value_or(paper ? control::Grip::kPaper : control::Grip::kHold);
    // The paper moves wrists as they were recorded, whatever that takes.
    if (options.grip == control::Grip::kPaper && !given_.table.find("wrist_strength"))
      options.wrist_strength = {INFINITY, INFINITY};
    std::vector<std::string> without = asked_.without;
    if (const io::Value* value = given_.table.find("without")) {
      const std::vector<std::string> more = *value->strings();
      without.insert(without.end(), more.begin(), more.end());
    }
    return leave_out(without);
  }

  Status leave_out(const std::vector<std::string>& words) {
    control::Terms& terms = setup_.options.terms;
    for (const std::string& word : words) {
      if (word == "arm")
        terms.arm = false;
      else if (word == "gravity")
        terms.gravity = false;
      else if (word == "limits")
        terms.limits = false;
      else if (word == "passive")
        terms.passive = false;
      else if (word == "active")
        terms.active = false;
      else
        return Error{
            fmt::format("without: '{}' should be one of arm, gravity, limits, passive, active",
                        printable(word))};
    }
    return {};
  }

  Status make_controllers() {
    std::vector<std::string> files = asked_.controllers;
    if (files.empty()) {
      if (const io::Value* one = given_.table.find("controller"))
        files = {resolved(*one->string())};
      if (const io::Value* several = given_.table.find("controllers")) {
        if (!files.empty())
          return io::error_at(given_.scene.file, several->place,
                              "give controller or controllers, not both");
        for (const io::Value& file : several->items()) files.push_back(resolved(*file.string()));
      }
    }
    if (files.empty())
      return Error{fmt::format("{}: give a controller, in [options.simulate] or by --controller",
                               printable(given_.scene.file, 200))};
    for (const std::string& file : files) {
      auto loaded = load_controllers(file);
      if (!loaded) return loaded.error();
      for (Controller& controller : *loaded) {
        controllers_.push_back(std::move(controller));
        controller_files_.push_back(printable(file, 200));
      }
    }
    return set_gains();
  }

  Status set_gains() {
    Gains gains = controllers_[0].gains;
    bool given = false;
    if (asked_.tune_gains) {
      if (setup_.task != SimulateTask::kDropTest)
        return Error{"--gains: only the task \"drop-test\" finds them by itself"};
      setup_.tune = true;
    } else if (const auto& numbers = asked_.gains; !numbers.empty()) {
      if (numbers.size() < 2 || numbers.size() > 3)
        return Error{fmt::format(
            "--gains: {} numbers should be k_S,k_D or k_S,k_D,k_JL, such as 200,50,5000",
            numbers.size())};
      gains.stiffness = numbers[0];
      gains.damping = numbers[1];
      if (numbers.size() == 3) gains.limit_stiffness = numbers[2];
      given = true;
    } else {
      for (const auto& [key, target] : {std::pair{"stiffness", &gains.stiffness},
                                        {"damping", &gains.damping},
                                        {"limit_stiffness", &gains.limit_stiffness}}) {
        given |= given_.table.find(key) != nullptr;
        *target = given_.number(key, *target);
      }
    }
    if (!(gains.stiffness > 0.0 && gains.damping > 0.0 && gains.limit_stiffness > 0.0))
      return Error{"--gains: all should be above zero"};
    if (given) setup_.options.gains = gains;
    for (const Controller& controller : controllers_) {
      const Status stable =
          control::stable_at(given ? gains : controller.gains, setup_.options.timestep);
      if (!stable)
        return Error{fmt::format("{}: {}", printable(given_.scene.file, 200), stable.message())};
    }
    return {};
  }

  Status make_hands() {
    std::vector<io::SceneHand> hands = given_.scene.hands;
    own_hand_ = hands.empty();
    if (hands.empty()) {
      io::SceneHand& hand = hands.emplace_back();
      hand.name = hand.build.name = "hand";
      hand.build.side = controllers_[0].side;
      hand.build.size.length = controllers_[0].hand_length;
    }
    const bool two = setup_.task == SimulateTask::kHandshake;
    if (two && hands.size() != 2)
      return Error{fmt::format("{}: a handshake needs two hands, not {}",
                               printable(given_.scene.file, 200), hands.size())};
    if (setup_.task != SimulateTask::kPath && !two) hands.resize(1);
    if (hands.size() > controllers_.size() && controllers_.size() > 1)
      return Error{fmt::format("{}: {} controllers for {} hands", printable(given_.scene.file, 200),
                               controllers_.size(), hands.size())};
    for (std::size_t i = 0; i < hands.size(); ++i)
      if (const Status made = make_hand(hands[i], std::min(i, controllers_.size() - 1)); !made)
        return made;
    return asked_.compliance.empty() ? Status{} : set_compliance();
  }

  // Every hand's springs get the stiffness of the file's joints; others keep what gains make.
  Status set_compliance() {
    const auto joints = load_compliances(asked_.compliance);
    if (!joints) return joints.error();
    for (control::ControlledHand& hand : setup_.run.simulation.hands) {
      interaction::HandCompliance none;
      none.joints.setZero(hand.hand->dof());
      const auto found = compliance_for(*hand.hand, *joints, none, asked_.compliance);
      if (!found) return found.error();
      const Eigen::ArrayXd c = found->joints.array();
      hand.joint_stiffness = (c > 0.0).select(1.0 / c.max(1e-9), 0.0);
    }
    return {};
  }

  // The hand that is simulated: the job's, the scene's, or the one that the controller was fitted
  // on.
  Result<HandPtr> hand_for(const io::SceneHand& scene, std::size_t which) {
    if (!asked_.hand.empty() && which == 0) {
      const auto hand = load_hand(asked_.hand, setup_.notes, asked_.load);
      if (!hand) return hand.error();
      return control::ball_hand(*hand);
    }
    if (own_hand_ && controllers_[which].hand) return controllers_[which].hand;
    if (!scene.file.empty()) {
      const auto hand = load_hand(scene.file, setup_.notes);
      if (!hand) return hand.error();
      return control::ball_hand(*hand);
    }
    HandOptions build = scene.build;
    if (scene.profile_given && build.profile != HandProfile::kBall)
      return io::error_at(given_.scene.file, scene.place,
                          "controllers move ball joints: profile should be \"ball\"");
    build.profile = HandProfile::kBall;
    auto hand = build_hand(build);
    if (!hand) return io::error_at(given_.scene.file, scene.place, hand.message());
    return std::make_shared<const Hand>(std::move(*hand));
  }

  Status make_hand(const io::SceneHand& scene, std::size_t which) {
    control::ControlledHand made;
    auto hand = hand_for(scene, which);
    if (!hand) return hand.error();
    made.hand = std::move(*hand);
    if (which == 0 && !asked_.load.side.empty() && asked_.load.side != to_string(made.hand->side))
      made.hand = std::make_shared<const Hand>(mirrored(*made.hand));
    Controller controller = controllers_[which];
    const bool own = made.hand == controller.hand;
    if (controller.side != made.hand->side) {
      controller = control::mirrored(controller);
      setup_.notes.push_back(fmt::format("{}: controller {} is mirrored for a {} hand",
                                         made.hand->name, controller.name,
                                         to_string(made.hand->side)));
    }
    if (!own) {
      auto fitting = control::for_other_hand(controller, made.hand);
      if (!fitting)
        return Error{fmt::format("{}: {}", controller_files_[which], fitting.message())};
      controller = std::move(*fitting);
    }
    if (const Status fits = control::fits_hand(controller, *made.hand); !fits)
      return Error{fmt::format("{}: {}", controller_files_[which], fits.message())};
    made.alpha = asked_.alpha ? *asked_.alpha : given_.number("alpha", 0.0);
    if (!(made.alpha >= 0.0 && made.alpha <= 5.0))
      return Error{fmt::format("--alpha: {:g} should be from 0 to 5", made.alpha)};
    made.open_while_closing = given_.flag("open_while_closing", false);
    const std::string release = given_.text("release", "cue");
    made.release.by = release == "time"       ? control::Release::By::kTime
                      : release == "distance" ? control::Release::By::kDistance
                                              : control::Release::By::kCue;
    made.release.seconds = given_.number("release_time", controller.grip_seconds);
    made.release.meters = given_.number("release_distance", 0.02);
    made.controller = std::make_shared<const Controller>(std::move(controller));
    setup_.run.simulation.hands.push_back(std::move(made));
    return {};
  }

  // --object takes the place of the scene's first, whose friction and position stay.
  io::SceneObject replaced(const io::SceneObject& first) const {
    io::SceneObject object;
    object.friction = first.friction;
    object.torsional_friction = first.torsional_friction;
    object.pose_world.position = first.pose_world.position;
    const auto& known = geometry::builtin_names();
    if (asked_.object == kRecorded ||
        std::find(known.begin(), known.end(), asked_.object) != known.end())
      object.name = object.shape = asked_.object;
    else
      object.name = std::filesystem::path(object.file = asked_.object).stem().string();
    object.meters_per_unit = object_unit_;
    return object;
  }

  Status make_objects() {
    auto& simulation = setup_.run.simulation;
    simulation.gravity = given_.scene.environment.gravity;
    simulation.floor_height = given_.scene.environment.floor_height;
    simulation.floor_friction = given_.scene.environment.floor_friction;
    if (setup_.task != SimulateTask::kGrasp && setup_.task != SimulateTask::kPath) return {};
    std::vector<io::SceneObject> objects = given_.scene.objects;
    if (!asked_.object.empty() || (objects.empty() && setup_.task == SimulateTask::kGrasp)) {
      if (objects.empty()) objects.emplace_back();
      if (!asked_.object.empty()) {
        objects[0] = replaced(objects[0]);
      } else {
        objects[0].name = objects[0].shape = "cylinder";
      }
    }
    for (const io::SceneObject& scene : objects) {
      if (scene.shape == kRecorded && simulation.objects.empty()) {
        if (const Status added = add_recorded(scene); !added) return added;
        continue;
      }
      auto loaded = load_scene_object(scene, 0.0);
      if (!loaded) return loaded.error();
      if (simulation.objects.empty() && !asked_.object.empty() && !scene.file.empty())
        if (const Status read = read_as_fitted(scene, *loaded); !read) return read;
      for (std::string& warning : loaded->warnings) setup_.notes.push_back(std::move(warning));
      Object& object = loaded->object;
      weigh(scene, simulation.objects.empty(), object);
      simulation.objects.push_back(
          {std::make_shared<const Object>(std::move(object)), scene.pose_world});
    }
    if (given_.scene.environment.table) return add_table(*given_.scene.environment.table);
    return {};
  }

  // The job's object from a file, in the unit and on the side that the job says; without a word of
  // it, the mesh that the controller was fitted on is what it was then.
  Status read_as_fitted(const io::SceneObject& scene, io::LoadedObject& loaded) {
    if (asked_.load.mirror) loaded.object = geometry::mirrored(std::move(loaded.object));
    const ObjectPtr& fitted = setup_.run.simulation.hands[0].controller->object;
    if (scene.meters_per_unit != 1.0 || asked_.load.mirror || !fitted) return {};
    const auto same = same_mesh(*loaded.object.shape.mesh, *fitted->shape.mesh);
    if (!same || (same->unit == 1.0 && !same->mirrored)) return {};
    io::SceneObject again = scene;
    again.meters_per_unit = same->unit;
    auto read = load_scene_object(again, 0.0);
    if (!read) return read.error();
    loaded = std::move(*read);
    if (same->mirrored) loaded.object = geometry::mirrored(std::move(loaded.object));
    setup_.notes.push_back(
        fmt::format("{}: is what the controller was fitted on, so it is read as then: in units of "
                    "{:g} m{} (--object-units says otherwise)",
                    printable(scene.file, 200), same->unit, same->mirrored ? ", x reflected" : ""));
    return {};
  }

  // What the controller was fitted on.
  Status add_recorded(const io::SceneObject& scene) {
    const control::ControlledHand& hand = setup_.run.simulation.hands[0];
    if (!hand.controller->object)
      return Error{fmt::format(
          "--object recorded: {} does not know the object that it was fitted on; fit it again",
          controller_files_[0])};
    Object object = *hand.controller->object;
    object.friction = scene.friction.value_or(object.friction);
    object.torsional_friction = scene.torsional_friction.value_or(object.torsional_friction);
    weigh(scene, true, object);
    setup_.as_recorded = true;
    setup_.run.simulation.objects.push_back(
        {std::make_shared<const Object>(std::move(object)), scene.pose_world});
    return {};
  }

  void weigh(const io::SceneObject& scene, bool first, Object& object) const {
    double mass = object.mass;
    if (setup_.task == SimulateTask::kGrasp && !scene.mass && !scene.density && !object.fixed)
      mass = std::clamp(mass, kLightest, kHeaviest);
    if (first) mass = asked_.mass.value_or(mass);
    object = with_mass(std::move(object), mass);
  }

  Status add_table(const io::SceneTable& top) {
    const Vec3 half(0.5 * top.width, 0.5 * kTableThickness, 0.5 * top.depth);
    auto made = geometry::object_from_primitive("table", ShapeKind::kBox, half, 10.0);
    if (!made) return made.error();
    made->fixed = true;
    made->friction = top.friction;
    const Vec3 middle(top.center.x(), top.height - half.y(), top.center.z());
    setup_.run.simulation.objects.push_back(
        {std::make_shared<const Object>(std::move(*made)), Transform::from_position(middle)});
    return {};
  }

  Status set_task() {
    setup_.turn = asked_.turn;
    setup_.present = asked_.present;
    return jobs::set_task(given_, monitor_, setup_);
  }

  std::string resolved(const std::string& file) const {
    const std::filesystem::path path(file);
    if (path.is_absolute()) return file;
    return (std::filesystem::path(given_.scene.file).parent_path() / path)
        .lexically_normal()
        .string();
  }
  const SimulateJob& asked_;
  const Monitor& monitor_;
  SimulateOptions given_;
  std::vector<Controller> controllers_;
  std::vector<std::string> controller_files_;  // one a controller
  double object_unit_ = 1.0;                   // m, of the job's object
  bool own_hand_ = false;                      // the scene has none: that of the controller
  SimulateSetup setup_;
};

}  // namespace

const char* to_string(SimulateTask task) {
  switch (task) {
    case SimulateTask::kGrasp:
      return "grasp";
    case SimulateTask::kHandshake:
      return "handshake";
    case SimulateTask::kFree:
      return "free";
    case SimulateTask::kPath:
      return "path";
    case SimulateTask::kDropTest:
      return "drop-test";
  }
  return "";
}

Result<SimulateSetup> simulate_setup(const SimulateJob& job, const Monitor& monitor) {
  if (job.mass && !(*job.mass > 0.0 && *job.mass <= 1000.0))
    return Error{fmt::format("--mass: {:g} should be above 0 and up to 1000 kg", *job.mass)};
  return SetupMaker(job, monitor).make();
}

}  // namespace prehend::jobs
