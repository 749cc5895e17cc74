#include "prehend/jobs/control_file.h"

#include <array>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "jobs/value_reader.h"
#include "prehend/core/atomic_file.h"
#include "prehend/core/text.h"
#include "prehend/io/hand_value.h"
#include "prehend/io/object_value.h"

namespace prehend::jobs {
namespace {

using example_control::Controller;
using example_control::ExamplePath;
using example_control::kSetpointCount;
using Joints = std::vector<std::string>;

constexpr const char* kFormat = "prehend controller";
constexpr int kVersion = 1;
// Of a quaternion that a person may have typed; it is made unit.
constexpr double kUnitTolerance = 1e-3;

double rounded(double value) {
  return std::isfinite(value) ? std::strtod(fmt::format("{:.9g}", value).c_str(), nullptr) : value;
}

io::Value by_joint(const Joints& joints, const Eigen::VectorXd& angles) {
  io::Value value = io::Value::table();
  for (std::size_t i = 0; i < joints.size(); ++i)
    value[joints[i]] = Vec3(angles.segment<3>(3 * i).unaryExpr(&rounded));
  return value;
}

io::Value poses_value(const std::vector<Transform>& poses) {
  io::Value list = io::Value::array();
  for (const Transform& pose : poses) {
    const Vec3& p = pose.position;
    const Quat& q = pose.rotation;
    std::vector<double> numbers = {p.x(), p.y(), p.z(), q.w(), q.x(), q.y(), q.z()};
    for (double& number : numbers) number = rounded(number);
    list.push_back(numbers);
  }
  return list;
}

io::Value path_value(const ExamplePath& path) {
  io::Value value = io::Value::table();
  value["frame_rate"] = path.frame_rate;
  value["grip_frame"] = path.grip_frame;
  if (path.carry_frame) value["carry_frame"] = *path.carry_frame;
  value["release_frame"] = path.release_frame;
  if (path.grip_wrist_target)
    value["grip_wrist_target"] = poses_value({*path.grip_wrist_target}).items()[0];
  value["wrist"] = poses_value(path.wrist_world);
  value["target"] = poses_value(path.target_world);
  value["target_center"] = Vec3(path.target_center.unaryExpr(&rounded));
  std::vector<double> distances = path.distances;
  for (double& distance : distances) distance = rounded(distance);
  value["distances"] = distances;
  return value;
}

io::Value controller_value(const Controller& controller) {
  io::Value value = io::Value::table();
  value["name"] = controller.name;
  value["side"] = to_string(controller.side);
  value["hand_length"] = rounded(controller.hand_length);
  value["stiffness"] = controller.gains.stiffness;
  value["damping"] = controller.gains.damping;
  value["limit_stiffness"] = controller.gains.limit_stiffness;
  value["d1"] = rounded(controller.distances.near);
  value["d2"] = rounded(controller.distances.far);
  value["grip_distance"] = rounded(controller.grip_distance);
  value["grip_seconds"] = rounded(controller.grip_seconds);
  value["joints"] = controller.joints;
  value["neutral"] = by_joint(controller.joints, controller.neutral);
  value["lower"] = by_joint(controller.joints, controller.lower);
  value["upper"] = by_joint(controller.joints, controller.upper);
  value["setpoints"] = io::Value::array();
  for (int i = 0; i < kSetpointCount; ++i) {
    io::Value setpoint = io::Value::table();
    setpoint["name"] = setpoint_name(example_control::Setpoint(i));
    setpoint["position"] = by_joint(controller.joints, controller.positions.row(i));
    setpoint["velocity"] = by_joint(controller.joints, controller.velocities.row(i));
    value["setpoints"].push_back(std::move(setpoint));
  }
  // A pose is x y z and the quaternion w x y z.
  value["example"] = path_value(controller.path);
  if (controller.touching.size() > 0)
    value["touching"] = by_joint(controller.joints, controller.touching);
  if (controller.closing.size() > 0)
    value["closing"] = by_joint(controller.joints, controller.closing);
  // With what it was fitted on, so that the recorded grasp can be simulated as it was recorded.
  if (controller.hand) value["hand"] = io::hand_value(*controller.hand);
  if (controller.object) value["object"] = io::object_value(*controller.object);
  return value;
}

// One controller of a file; the first mistake is kept.
class Parser {
 public:
  Parser(const io::Value& value, std::string file, std::string where)
      : value_(value), file_(std::move(file)), where_(std::move(where)) {}

  Result<Controller> parse() {
    scalars();
    const io::Value* joints = value_.find("joints");
    if (const auto names = joints ? joints->strings() : std::nullopt; names && !names->empty())
      made_.joints = *names;
    else
      fail("joints", "should name the joints of the hand");
    made_.neutral = angles(value_, "", "neutral");
    made_.lower = angles(value_, "", "lower");
    made_.upper = angles(value_, "", "upper");
    setpoints();
    path();
    if (value_.find("touching")) made_.touching = angles(value_, "", "touching");
    if (value_.find("closing")) made_.closing = angles(value_, "", "closing");
    models();
    if (error_) return *error_;
    const Status valid = example_control::validate(made_);
    if (!valid) return Error{fmt::format("{}: {}: {}", file_, where_, valid.message())};
    return made_;
  }

 private:
  void fail(const std::string& key, const std::string& what) {
    if (!error_) error_ = Error{fmt::format("{}: {}.{} {}", file_, where_, key, what)};
  }
  void keep(const ValueReader& reader) {
    if (!error_ && reader.error()) error_ = reader.error();
  }

  void scalars() {
    ValueReader reader(value_, file_, where_ + ".");
    made_.name = reader.text("name");
    const std::string side = reader.text("side");
    if (side != "left" && side != "right") reader.fail("side", "should be left or right");
    made_.side = side == "left" ? Side::kLeft : Side::kRight;
    made_.hand_length = reader.number("hand_length");
    made_.gains.stiffness = reader.number("stiffness");
    made_.gains.damping = reader.number("damping");
    made_.gains.limit_stiffness = reader.number("limit_stiffness");
    made_.distances.near = reader.number("d1");
    made_.distances.far = reader.number("d2");
    made_.grip_distance = reader.number("grip_distance");
    made_.grip_seconds = reader.number("grip_seconds");
    keep(reader);
  }

  Eigen::VectorXd angles(const io::Value& table, const std::string& inside,
                         const std::string& key) {
    Eigen::VectorXd all = Eigen::VectorXd::Zero(3 * Eigen::Index(made_.joints.size()));
    const io::Value* found = table.find(key);
    if (!found || found->members().size() != made_.joints.size()) {
      fail(inside + key,
           fmt::format("should have three numbers for each of the {} joints", made_.joints.size()));
      return all;
    }
    ValueReader reader(*found, file_, fmt::format("{}.{}{}.", where_, inside, key));
    for (std::size_t i = 0; i < made_.joints.size(); ++i)
      all.segment<3>(3 * i) = reader.vector(made_.joints[i], 3);
    keep(reader);
    return all;
  }

  void setpoints() {
    const Eigen::Index dof = 3 * Eigen::Index(made_.joints.size());
    made_.positions.setZero(kSetpointCount, dof);
    made_.velocities.setZero(kSetpointCount, dof);
    const io::Value* list = value_.find("setpoints");
    if (!list || list->items().size() != kSetpointCount)
      return fail("setpoints", fmt::format("should list {}", kSetpointCount));
    for (int i = 0; i < kSetpointCount; ++i) {
      const io::Value& item = list->items()[i];
      const std::string inside = fmt::format("setpoints[{}].", i);
      const io::Value* name = item.find("name");
      if (!name || !name->string() ||
          *name->string() != setpoint_name(example_control::Setpoint(i)))
        fail(inside + "name",
             fmt::format("should be \"{}\"", setpoint_name(example_control::Setpoint(i))));
      made_.positions.row(i) = angles(item, inside, "position");
      made_.velocities.row(i) = angles(item, inside, "velocity");
    }
  }

  void path() {
    const io::Value* table = value_.find("example");
    if (!table || !table->is_table()) return fail("example", "should be a table");
    ValueReader reader(*table, file_, where_ + ".example.");
    made_.path.frame_rate = reader.number("frame_rate");
    made_.path.grip_frame = reader.whole("grip_frame");
    if (table->find("carry_frame")) made_.path.carry_frame = reader.whole("carry_frame");
    made_.path.release_frame = reader.whole("release_frame");
    if (const io::Value* place = table->find("grip_wrist_target")) {
      io::Value list = io::Value::table();
      list["grip_wrist_target"] = io::Value::array();
      list["grip_wrist_target"].push_back(*place);
      ValueReader one(list, file_, where_ + ".example.");
      const auto found = poses(list, "grip_wrist_target", one);
      if (!found.empty()) made_.path.grip_wrist_target = found[0];
      keep(one);
    }
    made_.path.wrist_world = poses(*table, "wrist", reader);
    made_.path.target_world = poses(*table, "target", reader);
    if (table->find("target_center")) made_.path.target_center = reader.vector("target_center", 3);
    const Eigen::VectorXd distances =
        reader.vector("distances", Eigen::Index(made_.path.wrist_world.size()));
    made_.path.distances.assign(distances.begin(), distances.end());
    keep(reader);
  }

  // What it was fitted on.
  void models() {
    if (const io::Value* value = value_.find("hand"); value && !value->is_table()) {
      fail("hand", "should be a table");
    } else if (value) {
      auto hand = io::hand_from_value(*value, fmt::format("{}: {}.hand", file_, where_));
      if (!hand)
        error_ = error_ ? error_ : hand.error();
      else
        made_.hand = std::make_shared<const Hand>(std::move(*hand));
    }
    if (const io::Value* value = value_.find("object"); value && !value->is_table()) {
      fail("object", "should be a table");
    } else if (value) {
      auto object = io::object_from_value(*value, fmt::format("{}: {}.object", file_, where_));
      if (!object)
        error_ = error_ ? error_ : object.error();
      else
        made_.object = std::make_shared<const Object>(std::move(*object));
    }
  }

  static std::vector<Transform> poses(const io::Value& table, const std::string& key,
                                      ValueReader& reader) {
    const io::Value* list = table.find(key);
    const Eigen::Index count = list ? Eigen::Index(list->items().size()) : 0;
    const Eigen::MatrixXd numbers = reader.matrix(key, 7, count);
    std::vector<Transform> made;
    for (Eigen::Index i = 0; i < count && !reader.error(); ++i) {
      const auto n = numbers.col(i);
      const Quat turn(n[3], n[4], n[5], n[6]);
      if (!(std::abs(turn.norm() - 1.0) < kUnitTolerance))
        reader.fail(fmt::format("{}[{}]", key, i), "should end in a unit quaternion, w first");
      made.push_back({turn.normalized(), n.head<3>()});
    }
    return made;
  }

  const io::Value& value_;
  std::string file_, where_;
  Controller made_;
  std::optional<Error> error_;
};

}  // namespace

const char* setpoint_name(example_control::Setpoint setpoint) {
  static constexpr std::array<const char*, kSetpointCount> kNames = {
      "neutral", "open", "grip", "release", "open-2", "neutral-2"};
  return kNames[index_of(setpoint)];
}

io::Value controllers_value(const std::vector<Controller>& controllers) {
  io::Value value = io::Value::table();
  value["format"] = kFormat;
  value["version"] = kVersion;
  value["controllers"] = io::Value::array();
  for (const Controller& controller : controllers)
    value["controllers"].push_back(controller_value(controller));
  return value;
}

Status write_controllers(const std::string& path, const std::vector<Controller>& controllers) {
  return write_file(path, io::to_json_rows(controllers_value(controllers)));
}

Result<std::vector<Controller>> parse_controllers(const io::Value& value, const std::string& file) {
  ValueReader reader(value, file, "");
  if (reader.text("format") != kFormat)
    return Error{fmt::format("{}: not a controller: format should be \"{}\"", file, kFormat)};
  if (reader.number("version") != kVersion)
    return Error{fmt::format("{}: version should be {}", file, kVersion)};
  const io::Value* list = value.find("controllers");
  if (!list || list->items().empty()) return Error{file + ": controllers should list one or more"};
  std::vector<Controller> made;
  for (const io::Value& item : list->items()) {
    auto controller = Parser(item, file, fmt::format("controllers[{}]", made.size())).parse();
    if (!controller) return controller.error();
    made.push_back(std::move(*controller));
  }
  return made;
}

Result<std::vector<Controller>> load_controllers(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return text.error();
  const std::string file = printable(path, 200);
  const auto value = io::parse_json(*text, file);
  if (!value) return Error{value.message() + "; a controller is what prehend fit writes"};
  return parse_controllers(*value, file);
}

}  // namespace prehend::jobs
