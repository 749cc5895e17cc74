#include "jobs/manipulate_scene.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "jobs/grasp_grip.h"
#include "jobs/scene_object.h"
#include "prehend/core/text.h"
#include "prehend/geometry/primitive.h"
#include "prehend/hands/palm.h"
#include "prehend/hands/posture.h"
#include "prehend/io/scene.h"

namespace prehend::jobs {
namespace {

namespace method = manipulation;
using io::SchemaKey;
using Kind = io::ValueKind;

constexpr double kTableThickness = 0.04;  // m
constexpr double kSetDown = 0.03;         // m
constexpr double kFingerSpacing = 0.018;  // m between the pads of neighboring fingers
constexpr double kOutside = 0.3;          // m; objects to hold are smaller
constexpr double kMet = 1e-4;             // m from a surface
// A seated person's shoulder: m to the side of the middle, above the table's top, before its
// center.
const Vec3 kShoulder(0.18, 0.42, 0.50);
// The paper's weight of a kinematic goal, table 1.
constexpr double kGoalWeight = 10.0;
constexpr double kVelocityMet = 0.1;  // of a wanted velocity: what it may be missed by

class SetupMaker {
 public:
  explicit SetupMaker(const std::string& file) : file_(file) {}

  Result<ManipulateSetup> make() {
    using Step = Status (SetupMaker::*)();
    for (const Step step :
         {&SetupMaker::read, &SetupMaker::make_things, &SetupMaker::make_arms,
          &SetupMaker::make_grips, &SetupMaker::make_goals, &SetupMaker::make_pushes}) {
      if (const Status done = (this->*step)(); !done) return done.error();
    }
    return std::move(setup_);
  }

 private:
  Error wrong(const io::Place& place, const std::string& what) const {
    return io::error_at(scene_.file, place, what);
  }
  double number(const io::Value& table, const char* key, double fallback) const {
    const io::Value* value = table.find(key);
    return value ? *value->number() : fallback;
  }
  Vec3 vector(const io::Value& table, const char* key, const Vec3& fallback) const {
    const io::Value* value = table.find(key);
    return value ? *value->vector() : fallback;
  }
  std::string text(const io::Value& table, const char* key, const std::string& fallback) const {
    const io::Value* value = table.find(key);
    return value ? *value->string() : fallback;
  }
  const io::Value::Array& tables(const char* key) const {
    static const io::Value::Array kNone;
    const io::Value* value = options_.find(key);
    return value ? value->items() : kNone;
  }

  Status read() {
    if (file_ending(file_) != ".toml")
      return Error{printable(file_, 200) + ": manipulate takes a scene (.toml)"};
    auto scene = io::read_scene(file_);
    if (!scene) return scene.error();
    scene_ = std::move(*scene);
    auto options = io::scene_options(scene_, "manipulate", manipulate_keys());
    if (!options) return options.error();
    options_ = std::move(*options);
    setup_.title = scene_.title;
    setup_.floor_height = scene_.environment.floor_height;
    method::Options& o = setup_.options;
    o.timestep = number(options_, "timestep", o.timestep);
    o.attenuation = number(options_, "attenuation", o.attenuation);
    o.grip_margin = number(options_, "grip_margin", o.grip_margin);
    if (const io::Value* v = options_.find("rolling")) o.rolling = *v->boolean();
    if (const io::Value* v = options_.find("coupled")) o.coupled = *v->boolean();
    if (const io::Value* v = options_.find("torque_limits")) o.torque_limits = *v->boolean();
    setup_.problem.seconds = number(options_, "seconds", last_goal() + 0.5);
    if ((scene_.environment.gravity - gravity_world()).norm() > 1e-9)
      return Error{fmt::format("{}: manipulate knows the gravity of the Earth only",
                               printable(scene_.file, 200))};
    return {};
  }

  double last_goal() const {
    double last = 1.0;
    for (const io::SceneGoal& goal : scene_.goals) last = std::max(last, goal.time);
    return last;
  }

  Status make_things() {
    if (scene_.objects.empty())
      return Error{fmt::format("{}: nothing to manipulate; give an [[object]]",
                               printable(scene_.file, 200))};
    for (const io::SceneObject& given : scene_.objects) {
      auto loaded = load_scene_object(given, 0.0);
      if (!loaded) return loaded.error();
      for (std::string& warning : loaded->warnings) setup_.notes.push_back(std::move(warning));
      method::Thing thing;
      thing.pose_world = given.pose_world;
      thing.object = geometry::prepare(std::make_shared<const Object>(std::move(loaded->object)));
      setup_.problem.things.push_back(std::move(thing));
    }
    for (const io::Value& table : tables("expect")) {
      const auto thing = object_index(table);
      if (!thing) return thing.error();
      method::Thing& expected = setup_.problem.things[*thing];
      const double mass = expected.object->object().mass;
      if (table.find("mass")) expected.expected_mass = number(table, "mass", mass);
      if (table.find("mass_factor"))
        expected.expected_mass = mass * number(table, "mass_factor", 1.0);
      if (table.find("friction")) expected.expected_friction = number(table, "friction", 0.6);
    }
    if (!scene_.environment.table) return {};
    set_down(scene_.environment.table->height);
    return add_table(*scene_.environment.table);
  }

  // What stands a little above or in the table is put on it exactly: the first step begins at rest.
  void set_down(double top) {
    for (method::Thing& thing : setup_.problem.things) {
      if (thing.object->object().fixed) continue;
      double lowest = INFINITY;
      for (const Vec3& corner : thing.object->object().shape.mesh->vertices)
        lowest = std::min(lowest, (thing.pose_world * corner).y());
      if (std::abs(lowest - top) < kSetDown) thing.pose_world.position.y() += top - lowest;
    }
  }

  Status add_table(const io::SceneTable& top) {
    const Vec3 half(0.5 * top.width, 0.5 * kTableThickness, 0.5 * top.depth);
    auto made = geometry::object_from_primitive("table", ShapeKind::kBox, half, 10.0);
    if (!made) return made.error();
    made->fixed = true;
    made->friction = top.friction;
    method::Thing thing;
    thing.pose_world =
        Transform::from_position({top.center.x(), top.height - half.y(), top.center.z()});
    thing.object = geometry::prepare(std::make_shared<const Object>(std::move(*made)));
    setup_.problem.things.push_back(std::move(thing));
    return {};
  }

  Status make_arms() {
    std::vector<io::SceneHand> hands = scene_.hands;
    if (hands.empty()) {
      hands.emplace_back();
      hands.back().name = "right";
    }
    const double top = scene_.environment.table ? scene_.environment.table->height : 0.0;
    for (const io::SceneHand& given : hands) {
      if (!given.file.empty())
        return wrong(given.place, "manipulate builds its own arms: give side and length");
      if (given.profile_given && given.build.profile != HandProfile::kArm)
        return wrong(given.place, "manipulate moves arms: profile should be \"arm\"");
      HandOptions build = given.build;
      build.profile = HandProfile::kArm;
      auto hand = build_hand(build);
      if (!hand) return wrong(given.place, hand.message());
      build.profile = HandProfile::kAnatomical;
      auto bare = build_hand(build);
      if (!bare) return wrong(given.place, bare.message());
      bare_hands_.push_back(std::make_shared<const Hand>(std::move(*bare)));
      method::Arm arm;
      arm.hand = std::make_shared<const Hand>(std::move(*hand));
      const bool left = arm.hand->side == Side::kLeft;
      Vec3 shoulder = kShoulder + Vec3(0.0, top, 0.0);
      if (left) shoulder = mirror_x(shoulder);
      for (const io::Value& table : tables("shoulder"))
        if (text(table, "hand", hands[0].name) == given.name)
          shoulder = vector(table, "position", shoulder);
      arm.shoulder_world = Transform::from_position(shoulder);
      hand_names_.push_back(given.name);
      auto relaxed = posture(static_cast<int>(bare_hands_.size()) - 1, arm, "rest");
      if (!relaxed) return wrong(given.place, relaxed.message());
      arm.start = *relaxed;
      setup_.problem.arms.push_back(std::move(arm));
    }
    return {};
  }

  // The elbow bent and the hand raised before the shoulder, with a posture's fingers.
  Result<Eigen::VectorXd> posture(int index, const method::Arm& arm, const std::string& name) {
    const Hand& bare = *bare_hands_[index];
    auto made = hands::make_posture(bare, name);
    if (!made) return made.error();
    return bent_arm(bare, made->pose, arm);
  }

  // A bare hand's fingers, at the end of an arm whose elbow is bent.
  static Eigen::VectorXd bent_arm(const Hand& bare, const HandPose& fingers,
                                  const method::Arm& arm) {
    const HandPose pose = retarget(bare, fingers, *arm.hand);
    Eigen::VectorXd q = coordinates(*arm.hand, pose);
    const std::vector<int> offsets = coordinate_offsets(*arm.hand);
    q.head(offsets[arm.hand->wrist() + 1]).setZero();
    const auto bend = [&](const char* segment, double flexion_deg) {
      q[offsets[arm.hand->find(segment)]] = radians(flexion_deg);
    };
    bend("upper-arm", -55.0);
    bend("forearm", 105.0);
    bend("wrist", 20.0);
    return q;
  }

  Result<int> object_index(const io::Value& table) const {
    const std::string name = text(table, "object", scene_.objects[0].name);
    const int found = scene_.find_object(name);
    if (found < 0) return wrong(table.place, fmt::format("no [[object]] is called \"{}\"", name));
    return found;
  }
  Result<int> arm_index(const io::Value& table) const {
    const std::string name = text(table, "hand", hand_names_[0]);
    const auto found = std::find(hand_names_.begin(), hand_names_.end(), name);
    if (found == hand_names_.end())
      return wrong(table.place, fmt::format("no [[hand]] is called \"{}\"", name));
    return static_cast<int>(found - hand_names_.begin());
  }

  Status make_grips() {
    for (const io::Value& table : tables("grip")) {
      method::GripStyle grip;
      const auto arm = arm_index(table);
      if (!arm) return arm.error();
      const auto object = object_index(table);
      if (!object) return object.error();
      grip.arm = *arm;
      grip.object = *object;
      const method::Arm& own = setup_.problem.arms[grip.arm];
      grip.start = number(table, "start", 0.0);
      grip.duration = number(table, "duration", grip.duration);
      if (table.find("file")) {
        if (const Status done = set_from_grasp(table, own, grip); !done) return done;
        setup_.grasp_grips.push_back(static_cast<int>(setup_.problem.grips.size()));
        setup_.problem.grips.push_back(std::move(grip));
        continue;
      }
      auto preferred = posture(grip.arm, own, text(table, "posture", "wrap"));
      if (!preferred) return wrong(table.place, preferred.message());
      grip.preferred = *preferred;
      if (const Status done = set_handles(table, *own.hand, grip); !done) return done;
      if (const Status done = set_wrist(table, *own.hand, grip); !done) return done;
      setup_.problem.grips.push_back(std::move(grip));
    }
    if (setup_.problem.grips.empty())
      return Error{
          fmt::format("{}: give a grip: [[options.manipulate.grip]]", printable(scene_.file, 200))};
    return {};
  }

  // Fingers, wrist and places as `prehend grasp` found them.
  Status set_from_grasp(const io::Value& table, const method::Arm& arm, method::GripStyle& grip) {
    for (const char* key : {"posture", "handles", "approach", "fingers", "press", "at", "distance"})
      if (table.find(key))
        return wrong(table.place, fmt::format("a grip from a file has no {}", key));
    const std::string file =
        (std::filesystem::path(file_).parent_path() / text(table, "file", "")).string();
    const Hand& bare = *bare_hands_[grip.arm];
    const auto read = read_grasp_grip(file, static_cast<int>(number(table, "number", 1.0)), bare,
                                      *setup_.problem.things[grip.object].object);
    if (!read) return wrong(table.place, read.message());
    grip.preferred = bent_arm(bare, read->pose, arm);
    grip.wrist_object = read->wrist_object;
    grip.places_object = read->places_object;
    for (const Digit digit : read->digits) {
      grip.handles.push_back(*hands::pad_of(*arm.hand, digit));
      grip.handle_names.push_back(to_string(digit));
    }
    return {};
  }

  Status set_handles(const io::Value& table, const Hand& hand, method::GripStyle& grip) {
    std::vector<std::string> names = {"thumb", "index", "middle", "ring", "little"};
    if (const io::Value* given = table.find("handles")) names = *given->strings();
    for (const std::string& name : names) {
      std::optional<hands::SkinPoint> point;
      for (const Digit digit : kDigits)
        if (name == to_string(digit)) point = hands::pad_of(hand, digit);
      const std::string segment = name == "palm" ? "middle-metacarpal" : name;
      if (const int found = hand.find(segment); !point && found >= 0)
        point = hands::skin_point(hand, found, 0, name == "palm" ? 0.8 : 0.5, -Vec3::UnitY());
      if (!point)
        return wrong(table.place, fmt::format("handle \"{}\" should be a digit, a segment such as "
                                              "\"index-proximal\", or \"palm\"",
                                              printable(name)));
      grip.handles.push_back(*point);
      grip.handle_names.push_back(name);
    }
    return {};
  }

  // The palm faces `at` from the side of `approach`, its fingers along `fingers`.
  Status set_wrist(const io::Value& table, const Hand& hand, method::GripStyle& grip) {
    const Vec3 approach = vector(table, "approach", Vec3::UnitY());
    const Vec3 fingers = vector(table, "fingers", -Vec3::UnitZ());
    if (!(approach.norm() > 1e-6) || !(approach.cross(fingers).norm() > 1e-3 * approach.norm()))
      return wrong(table.place, "approach and fingers should be two different directions");
    const Vec3 up = approach.normalized();
    const Vec3 back = -(fingers - fingers.dot(up) * up).normalized();
    Mat3 axes;
    axes << up.cross(back), up, back;  // x, y, z of the palm in the world
    const Transform object = setup_.problem.things[grip.object].pose_world;
    const Vec3 at = object * vector(table, "at", Vec3::Zero());
    const Transform palm_world{Quat(axes), at + number(table, "distance", 0.05) * up};
    const Transform wrist_world = palm_world * hands::palm_in_wrist(hand).inverse();
    grip.wrist_object = object.inverse() * wrist_world;
    const Vec3 press = vector(table, "press", -back);
    if (!(press.norm() > 1e-6)) return wrong(table.place, "press should be a direction");
    set_places(object, at, press.normalized(), up, axes.col(0), grip);
    return {};
  }

  // Where the handles are meant: the thumb's where a line through `at` along `press` enters the
  // object, the fingers' side by side where it leaves, the palm's where it comes from.
  void set_places(const Transform& object, const Vec3& at, const Vec3& press, const Vec3& approach,
                  const Vec3& aside, method::GripStyle& grip) const {
    const auto& distance = *setup_.problem.things[grip.object].object->exact();
    // From outside towards `toward` until the surface is met; nothing: it is missed.
    const auto meet = [&](const Vec3& toward, const Vec3& direction) -> std::optional<Vec3> {
      Vec3 p = toward - kOutside * direction;
      for (double way = 0.0; way < kOutside;) {
        const double d = distance.sample(object.inverse() * p).distance;
        if (d < kMet) return object.inverse() * p;
        way += d;
        p += d * direction;
      }
      return std::nullopt;
    };
    const double side = setup_.problem.arms[grip.arm].hand->side == Side::kLeft ? -1.0 : 1.0;
    for (const std::string& name : grip.handle_names) {
      if (name.starts_with("thumb")) {
        grip.places_object.push_back(meet(at, press).value_or(object.inverse() * at));
        continue;
      }
      if (name == "palm") {
        grip.places_object.push_back(meet(at, -approach).value_or(object.inverse() * at));
        continue;
      }
      const double offset = name.starts_with("index")    ? -1.5
                            : name.starts_with("middle") ? -0.5
                            : name.starts_with("ring")   ? 0.5
                            : name.starts_with("little") ? 1.5
                                                         : 0.0;
      std::optional<Vec3> place;
      for (double spread = 1.0; spread >= 0.0 && !place; spread -= 0.25)
        place = meet(at + side * spread * offset * kFingerSpacing * aside, -press);
      grip.places_object.push_back(place.value_or(object.inverse() * at));
    }
  }

  Status make_goals() {
    if (scene_.goals.empty())
      return Error{fmt::format("{}: nothing to do; give a [[goal]]", printable(scene_.file, 200))};
    for (const io::SceneGoal& given : scene_.goals) {
      method::Goal goal;
      goal.object = scene_.find_object(given.object);
      if (setup_.problem.things[goal.object].object->object().fixed)
        return wrong(given.place, fmt::format("\"{}\" is fixed and has no goals", given.object));
      goal.time = given.time;
      goal.weights = kGoalWeight * given.weight * given.weights;
      const auto add = [&](method::GoalKind kind, const char* what, double tolerance) {
        goal.kind = kind;
        goal.name = given.name.empty() ? given.object + " " + what : given.name;
        goal.tolerance = given.tolerance.value_or(tolerance);
        goal.start = given.start.value_or(end_of_earlier(kind, goal.object));
        if (!(goal.start < goal.time)) bad_time_ = given.place;
        for (const method::Goal& other : setup_.problem.goals)
          if (contradict(other, goal)) rival_ = {given.place, other.name};
        setup_.problem.goals.push_back(goal);
      };
      const Vec3 weights = goal.weights;
      if (given.height) {
        goal.target = Vec3(0.0, *given.height, 0.0);
        goal.weights = Vec3(0.0, weights.y(), 0.0);
        add(method::GoalKind::kPosition, "height", 0.005);
        goal.weights = weights;
      }
      goal.point_object = given.point_object;
      if (given.position) {
        goal.target = *given.position;
        goal.passing = given.velocity;
        if (given.velocity) goal.passing_tolerance = kVelocityMet * given.velocity->norm();
        add(method::GoalKind::kPosition, "position", 0.005);
        goal.passing.reset();
      } else if (given.velocity) {
        goal.target = *given.velocity;
        add(method::GoalKind::kVelocity, "velocity", kVelocityMet * given.velocity->norm());
      }
      if (given.rotation) {
        goal.rotation = *given.rotation;
        add(method::GoalKind::kRotation, "rotation", 0.05);
      }
      if (given.axis) {
        goal.point_object = given.axis->normalized();
        goal.target = given.toward.normalized();
        add(method::GoalKind::kDirection, "direction", 0.05);
      }
      if (rival_)
        return wrong(rival_->first,
                     fmt::format("goal \"{}\" wants \"{}\" elsewhere at the same time as goal "
                                 "\"{}\"",
                                 goal.name, given.object, rival_->second));
      if (bad_time_) return wrong(*bad_time_, "time should be later than the goal's start");
    }
    return {};
  }

  // Two goals about the same component of the same thing that begin together.
  static bool contradict(const method::Goal& a, const method::Goal& b) {
    if (a.object != b.object || a.kind != b.kind || std::abs(a.start - b.start) > 1e-9 ||
        a.point_object != b.point_object)
      return false;
    const auto shared = a.weights.array() > 0.0 && b.weights.array() > 0.0;
    const bool apart = Vec3(shared.select(a.target - b.target, 0.0)).norm() > 1e-6;
    return apart ||
           (a.kind == method::GoalKind::kRotation && a.rotation.angularDistance(b.rotation) > 1e-6);
  }

  // When the goal before this one is to be met.
  double end_of_earlier(method::GoalKind kind, int object) const {
    const auto about_place = [](method::GoalKind k) {
      return k == method::GoalKind::kPosition || k == method::GoalKind::kVelocity;
    };
    double end = 0.0;
    for (const method::Goal& goal : setup_.problem.goals)
      if (goal.object == object &&
          (goal.kind == kind || (about_place(goal.kind) && about_place(kind))))
        end = std::max(end, goal.time);
    return end;
  }

  Status make_pushes() {
    for (const io::Value& table : tables("push")) {
      method::Disturbance push;
      push.start = number(table, "time", 0.0);
      push.end = push.start + number(table, "duration", 0.1);
      push.force_world = vector(table, "force", Vec3::Zero());
      if (table.find("hand")) {
        const auto arm = arm_index(table);
        if (!arm) return arm.error();
        push.arm = *arm;
      } else {
        const auto object = object_index(table);
        if (!object) return object.error();
        push.object = *object;
      }
      setup_.problem.disturbances.push_back(push);
    }
    return {};
  }

  std::string file_;
  io::Scene scene_;
  io::Value options_;
  std::vector<HandPtr> bare_hands_;
  std::vector<std::string> hand_names_;
  std::optional<io::Place> bad_time_;
  std::optional<std::pair<io::Place, std::string>> rival_;  // a goal, and which it contradicts
  ManipulateSetup setup_;
};

std::vector<SchemaKey> grip_keys() {
  return {
      {"hand", Kind::kString, "which", "the first"},
      {"object", Kind::kString, "what it grips", "the first"},
      {"file", Kind::kString,
       "a grasp of the object from `prehend grasp OBJECT -o FILE.json`, instead of all keys from "
       "`posture` to `distance`; beside the scene"},
      {"number", Kind::kInteger, "which of the file's grasps", "1", false, 1, 100000},
      {"posture", Kind::kString, "the preferred pose of the fingers: see `prehend hand`",
       "\"wrap\""},
      {"handles", Kind::kStrings,
       "places of the hand that touch: digits, segments such as \"index-proximal\", \"palm\"",
       "all five digits"},
      {"approach", Kind::kVector, "direction in the world from the object to the palm",
       "[0, 1, 0]"},
      {"fingers", Kind::kVector, "direction in the world along the outstretched fingers",
       "[0, 0, -1]"},
      {"press", Kind::kVector, "direction in the world in which the thumb presses", "`fingers`"},
      {"at", Kind::kVector, "of the object's frame, what the palm faces", "[0, 0, 0]"},
      {"distance", Kind::kNumber, "meters from there to the palm's skin, as wanted", "0.05", false,
       -0.5, 0.5},
      {"start", Kind::kNumber, "seconds of the clip at which the hand sets out", "0", false, 0.0,
       1e4},
      {"duration", Kind::kNumber, "seconds of the reach", "1.2", false, 0.2, 60.0}};
}

std::vector<SchemaKey> all_keys() {
  return {
      {.name = "grip",
       .kind = Kind::kTables,
       .meaning = "how a hand takes an object",
       .members = grip_keys()},
      {.name = "shoulder",
       .kind = Kind::kTables,
       .meaning = "where an arm begins",
       .members = {{"hand", Kind::kString, "whose", "the first"},
                   {"position", Kind::kVector, "meters", "a seated person's"}}},
      {.name = "expect",
       .kind = Kind::kTables,
       .meaning = "what a hand expects of an object",
       .members = {{"object", Kind::kString, "which", "the first"},
                   {"mass", Kind::kNumber, "kilograms", "the truth", false, 1e-4, 1e3},
                   {"mass_factor", Kind::kNumber, "times the truth, instead of `mass`", "1", false,
                    0.01, 100.0},
                   {"friction", Kind::kNumber, "Coulomb's", "the truth", false, 0.01, 10.0}}},
      {.name = "push",
       .kind = Kind::kTables,
       .meaning = "a force from outside",
       .members = {{"object", Kind::kString, "which is pushed, through its center", "the first"},
                   {"hand", Kind::kString, "or which hand, at its wrist"},
                   {"time", Kind::kNumber, "seconds of the task", "0", false, 0.0, 1e4},
                   {"duration", Kind::kNumber, "seconds", "0.1", false, 0.0, 1e4},
                   {"force", Kind::kVector, "newtons", "[0, 0, 0]"}}},
      {"seconds", Kind::kNumber, "of the task, after the hands have gripped",
       "half a second more than the last goal's time", false, 0.1, 600.0},
      {"timestep", Kind::kNumber, "seconds", "1/30", false, 1.0 / 480.0, 0.1},
      {"attenuation", Kind::kNumber,
       "of what a hand expects, what goes each step: 0.75 responds fast, 0.5 slowly", "0.75", false,
       0.0, 1.0},
      {"grip_margin", Kind::kNumber, "times the grip that just holds", "1.5", false, 0.1, 20.0},
      {"rolling", Kind::kBoolean, "contact points roll over both surfaces", "true"},
      {"coupled", Kind::kBoolean, "a finger's last joint follows the one before it", "false"},
      {"torque_limits", Kind::kBoolean, "joints are no stronger than a person's", "true"},
  };
}

}  // namespace

const std::vector<SchemaKey>& manipulate_keys() {
  static const std::vector<SchemaKey> kKeys = all_keys();
  return kKeys;
}

Result<ManipulateSetup> manipulate_setup(const std::string& scene) {
  return SetupMaker(scene).make();
}

}  // namespace prehend::jobs
