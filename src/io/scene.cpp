#include "prehend/io/scene.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "prehend/core/atomic_file.h"
#include "prehend/core/text.h"
#include "prehend/geometry/builtin.h"
#include "prehend/io/rig_map.h"

namespace prehend::io {
namespace {

// More hands, or more objects, than this are refused. What a program wrote by mistake is then told
// at once; a world of so many would not be simulated in a day.
constexpr std::size_t kMostOfAKind = 1000;

std::string text_or(const Value& table, const char* key, const std::string& fallback) {
  const Value* value = table.find(key);
  return value ? *value->string() : fallback;
}
double number_or(const Value& table, const char* key, double fallback) {
  const Value* value = table.find(key);
  return value ? *value->number() : fallback;
}
std::optional<double> maybe_number(const Value& table, const char* key) {
  const Value* value = table.find(key);
  return value ? value->number() : std::nullopt;
}
bool flag_or(const Value& table, const char* key, bool fallback) {
  const Value* value = table.find(key);
  return value ? *value->boolean() : fallback;
}
std::optional<Vec3> maybe_vector(const Value& table, const char* key) {
  const Value* value = table.find(key);
  return value ? value->vector() : std::nullopt;
}

// Takes values that the schema has passed; what a schema cannot say is checked here.
class SceneReader {
 public:
  explicit SceneReader(const std::string& path) { scene_.file = path; }

  Result<Scene> read(const Value& root) {
    if (const Status s = check_schema(root, scene_schema(), scene_.file, ""); !s) return s.error();
    scene_.title = text_or(root, "title", "");
    const auto each = [&](const char* key, auto take) -> Status {
      const Value* tables = root.find(key);
      if (!tables) return {};
      for (const Value& table : tables->items())
        if (const Status s = (this->*take)(table); !s) return s;
      return {};
    };
    if (const Status s = each("hand", &SceneReader::read_hand); !s) return s.error();
    if (const Status s = each("object", &SceneReader::read_object); !s) return s.error();
    if (const Value* environment = root.find("environment")) read_environment(*environment);
    if (const Status s = each("motion", &SceneReader::read_motion); !s) return s.error();
    if (const Status s = each("goal", &SceneReader::read_goal); !s) return s.error();
    const Value* options = root.find("options");
    scene_.options = options ? *options : Value::table();
    return std::move(scene_);
  }

 private:
  Error fail(const Place& place, const std::string& what) const {
    return error_at(scene_.file, place, what);
  }
  // Files stand beside the scene, wherever it is read from.
  std::string resolved(const Value& table, const char* key) const {
    const Value* value = table.find(key);
    if (!value) return "";
    const std::filesystem::path file(*value->string());
    if (file.is_absolute()) return file.string();
    return (std::filesystem::path(scene_.file).parent_path() / file).lexically_normal().string();
  }

  Result<std::optional<Quat>> maybe_rotation(const Value& table) const {
    const Value* quaternion = table.find("rotation");
    const Value* angles = table.find("rotation_deg");
    if (quaternion && angles) return fail(angles->place, "give rotation or rotation_deg, not both");
    if (quaternion) {
      const auto q = *quaternion->numbers();
      return std::optional<Quat>(Quat(q[0], q[1], q[2], q[3]).normalized());
    }
    if (angles) {
      const Vec3 a = *angles->vector() * (kPi / 180.0);
      const auto about = [](double angle, const Vec3& axis) {
        return Quat(Eigen::AngleAxisd(angle, axis));
      };
      return std::optional<Quat>(
          (about(a.z(), Vec3::UnitZ()) * about(a.y(), Vec3::UnitY()) * about(a.x(), Vec3::UnitX()))
              .normalized());
    }
    return std::optional<Quat>();
  }
  Status read_pose(const Value& table, Transform& pose) const {
    const auto rotation = maybe_rotation(table);
    if (!rotation) return rotation.error();
    pose.rotation = rotation->value_or(Quat::Identity());
    pose.position = maybe_vector(table, "position").value_or(Vec3::Zero());
    return {};
  }

  Status take_name(const Value& table, const std::string& fallback, std::string& name) {
    name = text_or(table, "name", "");
    const bool given = !name.empty();
    if (!given) name = fallback;
    for (int i = 2; !given && names_.contains(name); ++i) name = fmt::format("{}-{}", fallback, i);
    if (names_.insert(name).second) return {};
    return fail(table.find("name")->place,
                fmt::format("two things are called \"{}\"", printable(name)));
  }
  Status known_name(const Value& value, bool hands, std::string& name) const {
    name = *value.string();
    if (scene_.find_object(name) >= 0 || (hands && scene_.find_hand(name) >= 0)) return {};
    std::vector<std::string> known;
    for (const SceneObject& object : scene_.objects) known.push_back(object.name);
    if (hands)
      for (const SceneHand& hand : scene_.hands) known.push_back(hand.name);
    const auto meant = nearest_word(name, known);
    return fail(value.place,
                fmt::format("the scene has no {} \"{}\"{}", hands ? "hand or object" : "object",
                            printable(name),
                            meant ? fmt::format("; did you mean \"{}\"?", printable(*meant)) : ""));
  }

  Status room_for(const Value& table, std::size_t present, const char* kind) const {
    if (present < kMostOfAKind) return {};
    return fail(table.place, fmt::format("a scene has at most {} [[{}]]", kMostOfAKind, kind));
  }

  Status read_hand(const Value& table) {
    if (const Status s = room_for(table, scene_.hands.size(), "hand"); !s) return s;
    SceneHand hand;
    hand.place = table.place;
    hand.build.side = text_or(table, "side", "right") == "left" ? Side::kLeft : Side::kRight;
    if (const Status s = take_name(table, to_string(hand.build.side), hand.name); !s) return s;
    hand.build.name = hand.name;
    const std::string profile = text_or(table, "profile", "anatomical");
    hand.build.profile = profile == "ball"  ? HandProfile::kBall
                         : profile == "arm" ? HandProfile::kArm
                                            : HandProfile::kAnatomical;
    hand.profile_given = table.find("profile") != nullptr;
    hand.build.size.length = number_or(table, "length", hand.build.size.length);
    hand.build.size.breadth = number_or(table, "breadth", hand.build.size.breadth);
    hand.file = resolved(table, "file");
    hand.map = resolved(table, "map");
    if (!hand.file.empty() && (table.find("length") || table.find("breadth")))
      return fail(table.find("file")->place, "give file, or length and breadth, not both");
    hand.placed = table.find("position") || table.find("rotation") || table.find("rotation_deg");
    if (const Status s = read_pose(table, hand.wrist_world); !s) return s;
    scene_.hands.push_back(std::move(hand));
    return {};
  }

  Status read_object(const Value& table) {
    if (const Status s = room_for(table, scene_.objects.size(), "object"); !s) return s;
    SceneObject object;
    object.place = table.place;
    object.shape = text_or(table, "shape", "");
    object.file = resolved(table, "file");
    if (object.shape.empty() == object.file.empty())
      return fail(table.place, "[[object]] needs shape (a built-in's name) or file, one of them");
    if (!object.shape.empty()) {
      const auto& known = geometry::builtin_names();
      if (std::find(known.begin(), known.end(), object.shape) == known.end()) {
        const auto meant = nearest_word(object.shape, known);
        return fail(table.find("shape")->place,
                    fmt::format("no built-in object \"{}\"{}", printable(object.shape),
                                meant ? fmt::format("; did you mean \"{}\"?", *meant)
                                      : fmt::format("; known are {}", fmt::join(known, ", "))));
      }
    }
    const std::string fallback =
        object.file.empty() ? object.shape : std::filesystem::path(object.file).stem().string();
    if (const Status s = take_name(table, fallback, object.name); !s) return s;
    object.meters_per_unit = *unit_by_name(text_or(table, "units", "m"));
    if (const Value* scale = table.find("scale"))
      object.scale = scale->number() ? Vec3::Constant(*scale->number()) : *scale->vector();
    object.mass = maybe_number(table, "mass");
    object.density = maybe_number(table, "density");
    if (object.mass && object.density)
      return fail(table.find("density")->place, "give mass or density, not both");
    object.friction = maybe_number(table, "friction");
    object.torsional_friction = maybe_number(table, "torsional_friction");
    object.fixed = flag_or(table, "fixed", false);
    if (const Status s = read_pose(table, object.pose_world); !s) return s;
    scene_.objects.push_back(std::move(object));
    return {};
  }

  void read_environment(const Value& table) {
    SceneEnvironment& out = scene_.environment;
    out.gravity = maybe_vector(table, "gravity").value_or(out.gravity);
    if (flag_or(table, "floor", table.find("floor_height") != nullptr))
      out.floor_height = number_or(table, "floor_height", 0.0);
    out.floor_friction = number_or(table, "floor_friction", out.floor_friction);
    if (const Value* top = table.find("table")) {
      SceneTable& t = out.table.emplace();
      t.height = number_or(*top, "height", t.height);
      t.center = maybe_vector(*top, "center").value_or(t.center);
      t.width = number_or(*top, "width", t.width);
      t.depth = number_or(*top, "depth", t.depth);
      t.friction = number_or(*top, "friction", t.friction);
    }
  }

  Status read_motion(const Value& table) {
    SceneMotion motion;
    motion.place = table.place;
    if (const Value* of = table.find("of"))
      if (const Status s = known_name(*of, true, motion.of); !s) return s;
    if (const Value* relative = table.find("relative_to")) {
      if (const Status s = known_name(*relative, false, motion.relative_to); !s) return s;
      if (table.find("file")) return fail(relative->place, "relative_to goes with keyframes");
      if (const Status s = check_relative(*relative, motion); !s) return s;
    }
    motion.file = resolved(table, "file");
    motion.map = resolved(table, "map");
    if (const Value* units = table.find("units"))
      motion.meters_per_unit = unit_by_name(*units->string());
    motion.mirror = flag_or(table, "mirror", false);
    motion.start = number_or(table, "start", 0.0);
    motion.end = maybe_number(table, "end");
    if (motion.end && *motion.end <= motion.start)
      return fail(table.find("end")->place, "end must be later than start");
    const Value* keyframes = table.find("keyframe");
    if (motion.file.empty() == !keyframes)
      return fail(table.place, "[[motion]] needs file or keyframe, one of them");
    if (keyframes && motion.of.empty())
      return fail(table.place, "[[motion]] with keyframes needs of: whose they are");
    const Value none;
    for (const Value& item : (keyframes ? *keyframes : none).items()) {
      SceneKeyframe key;
      key.time = *item.find("time")->number();
      if (!motion.keyframes.empty() && key.time <= motion.keyframes.back().time)
        return fail(item.find("time")->place, "time must be later than in the keyframe before");
      key.position = maybe_vector(item, "position");
      const auto rotation = maybe_rotation(item);
      if (!rotation) return rotation.error();
      key.rotation = *rotation;
      motion.keyframes.push_back(key);
    }
    scene_.motions.push_back(std::move(motion));
    return {};
  }

  // What a motion is relative to stands before it, so that no two follow each other.
  Status check_relative(const Value& value, const SceneMotion& motion) const {
    if (motion.of == motion.relative_to) return fail(value.place, "a motion cannot follow itself");
    for (const SceneMotion& other : scene_.motions)
      if (other.of == motion.relative_to) return {};
    return fail(value.place, fmt::format("\"{}\" should have its own [[motion]], before this one",
                                         printable(motion.relative_to)));
  }

  Status read_goal(const Value& table) {
    SceneGoal goal;
    goal.place = table.place;
    if (const Status s = known_name(*table.find("object"), false, goal.object); !s) return s;
    goal.time = *table.find("time")->number();
    goal.weight = number_or(table, "weight", 1.0);
    goal.position = maybe_vector(table, "position");
    goal.velocity = maybe_vector(table, "velocity");
    goal.axis = maybe_vector(table, "axis");
    if (const auto toward = maybe_vector(table, "toward")) goal.toward = *toward;
    if (const auto point = maybe_vector(table, "point")) goal.point_object = *point;
    if (const auto weights = maybe_vector(table, "weights")) goal.weights = *weights;
    if (const Value* value = table.find("name")) goal.name = *value->string();
    const auto maybe_number = [&](const char* key, std::optional<double>& target) {
      if (const Value* value = table.find(key)) target = *value->number();
    };
    maybe_number("start", goal.start);
    maybe_number("height", goal.height);
    maybe_number("tolerance", goal.tolerance);
    const auto rotation = maybe_rotation(table);
    if (!rotation) return rotation.error();
    goal.rotation = *rotation;
    if (goal.position && goal.height)
      return fail(table.place, "[[goal]] takes position or height, not both");
    if (!goal.position && !goal.rotation && !goal.height && !goal.velocity && !goal.axis)
      return fail(table.place, "[[goal]] needs position, height, rotation, axis or velocity");
    scene_.goals.push_back(std::move(goal));
    return {};
  }

  Scene scene_;
  std::set<std::string> names_;
};

}  // namespace

int Scene::find_hand(const std::string& name) const {
  for (std::size_t i = 0; i < hands.size(); ++i)
    if (hands[i].name == name) return static_cast<int>(i);
  return -1;
}

int Scene::find_object(const std::string& name) const {
  for (std::size_t i = 0; i < objects.size(); ++i)
    if (objects[i].name == name) return static_cast<int>(i);
  return -1;
}

Result<Scene> parse_scene(std::string_view text, const std::string& path) {
  const auto root = parse_toml(text, path);
  if (!root) return root.error();
  return SceneReader(path).read(*root);
}

Result<Scene> read_scene(const std::string& path) {
  const auto text = read_file(path, std::uint64_t{1} << 26);
  if (!text) return text.error();
  return parse_scene(*text, path);
}

Result<Value> scene_options(const Scene& scene, const std::string& verb,
                            const std::vector<SchemaKey>& keys) {
  const Value* table = scene.options.find(verb);
  if (!table) return Value::table();
  if (const Status s = check_schema(*table, keys, scene.file, "[options." + verb + "]"); !s)
    return s.error();
  return *table;
}

}  // namespace prehend::io
