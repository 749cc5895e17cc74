#include "prehend/jobs/interaction_file.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "jobs/value_reader.h"
#include "prehend/core/atomic_file.h"
#include "prehend/core/hand_builder.h"
#include "prehend/core/text.h"
#include "prehend/geometry/builtin.h"
#include "prehend/geometry/mass_properties.h"
#include "prehend/geometry/primitive.h"
#include "prehend/io/hand_value.h"
#include "prehend/jobs/load.h"
#include "prehend/methods/interaction/measure.h"

namespace prehend::jobs {
namespace {

using interaction::InteractionTrajectory;
using interaction::TrajectoryObject;

constexpr const char* kFormat = "prehend interaction";
constexpr int kVersion = 1;
constexpr double kSameHand = 1e-5;  // m, rad
constexpr int kRootNumbers = 7;     // of a frame: position, and rotation w first

double rounded(double x) { return std::round(x * 1e6) / 1e6 + 0.0; }

std::vector<double> pose_numbers(const Transform& pose) {
  const Quat& q = pose.rotation;
  std::vector<double> numbers = {
      pose.position.x(), pose.position.y(), pose.position.z(), q.w(), q.x(), q.y(), q.z()};
  for (double& x : numbers) x = rounded(x);
  return numbers;
}

Transform pose_of(const double* x) {
  return {Quat(x[3], x[4], x[5], x[6]).normalized(), Vec3(x[0], x[1], x[2])};
}

constexpr std::array<std::pair<ShapeKind, const char*>, 5> kKinds = {
    {{ShapeKind::kMesh, "mesh"},
     {ShapeKind::kSphere, "sphere"},
     {ShapeKind::kBox, "box"},
     {ShapeKind::kCylinder, "cylinder"},
     {ShapeKind::kCapsule, "capsule"}}};

io::Value object_value(const TrajectoryObject& placed) {
  const Object& object = *placed.object;
  io::Value value;
  value["name"] = object.name;
  for (const auto& [kind, name] : kKinds)
    if (object.shape.kind == kind) value["shape"] = name;
  const auto& names = geometry::builtin_names();
  if (std::find(names.begin(), names.end(), object.name) != names.end() &&
      geometry::builtin_object(object.name)->shape.mesh == object.shape.mesh) {
    value["shape"] = object.name;  // built-ins share their meshes
  } else if (object.shape.kind == ShapeKind::kMesh) {
    for (const Vec3& v : object.shape.mesh->vertices)
      value["vertices"].push_back(
          std::vector<double>{rounded(v.x()), rounded(v.y()), rounded(v.z())});
    for (const auto& face : object.shape.mesh->faces)
      value["faces"].push_back(
          std::vector<double>{double(face[0]), double(face[1]), double(face[2])});
  } else {
    value["size"] = object.shape.size;
  }
  value["mass"] = object.mass;
  value["friction"] = object.friction;
  value["fixed"] = object.fixed;
  value["pose"] = pose_numbers(placed.pose_world);
  return value;
}

Result<TrajectoryObject> object_from(const io::Value& value, const std::string& file, int index) {
  ValueReader reader(value, file, fmt::format("objects[{}].", index));
  const std::string name = reader.text("name"), shape = reader.text("shape");
  const double mass = reader.number("mass"), friction = reader.number("friction");
  const Eigen::VectorXd pose = reader.vector("pose", kRootNumbers);
  const auto kind =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& k) { return shape == k.second; });
  const auto& names = geometry::builtin_names();
  const bool builtin =
      !value.find("size") && std::find(names.begin(), names.end(), shape) != names.end();
  if (!reader.error() && kind == kKinds.end() && !builtin)
    reader.fail("shape", "should be mesh, sphere, box, cylinder, capsule or a built-in's name");
  if (!reader.error() && !(mass > 0.0)) reader.fail("mass", "should be above zero");
  if (reader.error()) return *reader.error();
  Result<Object> made = Error{""};
  if (builtin) {
    made = geometry::builtin_object(shape);
    if (made) made = with_mass(std::move(*made), mass);
  } else if (kind->first == ShapeKind::kMesh) {
    TriangleMesh mesh;
    if (const io::Value* vertices = value.find("vertices"))
      for (const io::Value& v : vertices->items())
        mesh.vertices.push_back(v.vector().value_or(Vec3::Zero()));
    if (const io::Value* faces = value.find("faces"))
      for (const io::Value& f : faces->items()) {
        const Vec3 corners = f.vector().value_or(Vec3::Zero());
        mesh.faces.push_back({int(corners.x()), int(corners.y()), int(corners.z())});
      }
    made = geometry::object_from_mesh(name, std::move(mesh), mass);
  } else {
    made = geometry::object_from_primitive(name, kind->first, reader.vector("size", 3), mass);
    if (reader.error()) return *reader.error();
  }
  if (!made)
    return Error{fmt::format("{}: objects[{}]: {}", printable(file, 200), index, made.message())};
  made->friction = friction;
  if (const io::Value* fixed = value.find("fixed")) made->fixed = fixed->boolean().value_or(false);
  return TrajectoryObject{std::make_shared<const Object>(std::move(*made)), pose_of(pose.data())};
}

Result<HandPtr> hand_from(const io::Value& value, const std::string& file,
                          const std::string& hand_file) {
  std::vector<std::string> notes;
  if (!hand_file.empty()) return load_hand(hand_file, notes);
  ValueReader reader(value, file, "hand.");
  const std::string side = reader.text("side"), profile = reader.text("profile");
  HandOptions options;
  options.size.length = reader.number("length");
  if (reader.error()) return *reader.error();
  bool known = false;
  for (const HandProfile p : {HandProfile::kBall, HandProfile::kAnatomical, HandProfile::kArm})
    if (profile == to_string(p)) {
      options.profile = p;
      known = true;
    }
  if (const io::Value* model = value.find("model")) {
    auto hand = io::hand_from_value(*model, printable(file, 200) + ": hand.model");
    if (!hand) return hand.error();
    return HandPtr(std::make_shared<const Hand>(std::move(*hand)));
  }
  if (!known)
    return Error{
        fmt::format("{}: its hand is no built-in one; give it by --hand", printable(file, 200))};
  options.side = side == "left" ? Side::kLeft : Side::kRight;
  auto hand = build_hand(options);
  if (!hand) return Error{fmt::format("{}: {}", printable(file, 200), hand.message())};
  return HandPtr(std::make_shared<const Hand>(std::move(*hand)));
}

// The builder makes the same hand of side, profile and length alone.
bool builder_makes(const Hand& hand) {
  for (const HandProfile profile :
       {HandProfile::kBall, HandProfile::kAnatomical, HandProfile::kArm}) {
    if (hand.profile != to_string(profile)) continue;
    HandOptions options{.profile = profile, .side = hand.side, .size = {}, .name = {}};
    options.size.length = rounded(hand.length);
    const auto like = build_hand(options);
    if (!like || like->segment_count() != hand.segment_count()) return false;
    for (int s = 0; s < hand.segment_count(); ++s) {
      const Segment &a = hand.segments[s], &b = like->segments[s];
      if ((a.rest_parent.position - b.rest_parent.position).norm() > kSameHand ||
          angle_between(a.rest_parent.rotation, b.rest_parent.rotation) > kSameHand ||
          a.dof() != b.dof() || a.capsules.size() != b.capsules.size())
        return false;
    }
    return true;
  }
  return false;
}

// Compliances of the joints by name; one that the hand lacks is an error.
Status read_joints(const io::Value& value, const std::string& file, InteractionTrajectory& made) {
  const int count = made.hand->dof();
  for (auto* c : {&made.compliance, &made.low, &made.high}) c->joints.setZero(count);
  const io::Value* joints = value.find("joints");
  if (!joints || !joints->is_array()) return Error{printable(file, 200) + ": joints are missing"};
  for (std::size_t i = 0; i < joints->items().size(); ++i) {
    const io::Value& item = joints->items()[i];
    ValueReader reader(item, file, fmt::format("joints[{}].", i));
    const std::string name = reader.text("name");
    const double compliance = reader.number("compliance");
    if (reader.error()) return *reader.error();
    int found = -1;
    for (int d = 0; d < 6 + count; ++d)
      if (interaction::direction_name(*made.hand, d) == name) found = d;
    if (found < 0)
      return Error{
          fmt::format("{}: the hand has no joint '{}'", printable(file, 200), printable(name))};
    const auto set = [&](interaction::HandCompliance& c, double x) {
      (found < 6 ? c.root[found] : c.joints[found - 6]) = x;
    };
    const auto bound = [&](const char* key) {
      const io::Value* v = item.find(key);
      return v ? v->number().value_or(compliance) : compliance;
    };
    set(made.compliance, compliance);
    set(made.low, bound("low"));
    set(made.high, bound("high"));
  }
  return {};
}

}  // namespace

io::Value interaction_value(const InteractionTrajectory& trajectory, double rate) {
  rate = std::min(rate, trajectory.frame_rate);
  io::Value value;
  value["format"] = kFormat;
  value["version"] = kVersion;
  value["name"] = trajectory.name;
  io::Value& hand = value["hand"];
  hand["side"] = to_string(trajectory.hand->side);
  hand["profile"] = trajectory.hand->profile;
  hand["length"] = rounded(trajectory.hand->length);
  if (!builder_makes(*trajectory.hand)) hand["model"] = io::hand_value(*trajectory.hand);
  value["compliance_measured"] = trajectory.compliance_measured;
  const int count = trajectory.hand->dof();
  const auto at = [](const interaction::HandCompliance& c, int d) {
    return d < 6 ? c.root[d] : c.joints[d - 6];
  };
  for (int d = 0; d < 6 + count; ++d) {
    io::Value joint;
    joint["name"] = interaction::direction_name(*trajectory.hand, d);
    joint["compliance"] = rounded(at(trajectory.compliance, d));
    if (at(trajectory.low, d) != at(trajectory.high, d)) {
      joint["low"] = rounded(at(trajectory.low, d));
      joint["high"] = rounded(at(trajectory.high, d));
    }
    value["joints"].push_back(std::move(joint));
  }
  value["objects"] = io::Value::array();
  for (const TrajectoryObject& object : trajectory.objects)
    value["objects"].push_back(object_value(object));
  value["frame_rate"] = rate;
  const auto numbers = [](const interaction::ReferencePose& pose) {
    std::vector<double> row = pose_numbers(pose.root_world);
    for (const double angle : pose.coordinates) row.push_back(rounded(angle));
    return row;
  };
  if (trajectory.start) value["start"] = numbers(*trajectory.start);
  interaction::ReferencePose pose;
  const int frames = static_cast<int>(trajectory.duration() * rate + 1e-9) + 1;
  for (int f = 0; f < frames; ++f) {
    interaction::reference_at(trajectory, f / rate, pose);
    value["frames"].push_back(numbers(pose));
  }
  return value;
}

Status write_interaction(const std::string& path, const InteractionTrajectory& trajectory,
                         double rate) {
  return write_file(path, io::to_json_rows(interaction_value(trajectory, rate)));
}

Result<InteractionTrajectory> parse_interaction(const io::Value& value, const std::string& file,
                                                const std::string& hand_file) {
  const io::Value* format = value.find("format");
  if (!format || !format->string() || *format->string() != kFormat)
    return Error{printable(file, 200) + ": is no interaction; make one by prehend measure"};
  ValueReader reader(value, file, "");
  InteractionTrajectory made;
  made.name = reader.text("name");
  made.frame_rate = reader.number("frame_rate");
  if (reader.whole("version") != kVersion && !reader.error())
    reader.fail("version", "this program reads version 1");
  if (reader.error()) return *reader.error();
  const io::Value* hand = value.find("hand");
  auto loaded = hand_from(hand ? *hand : io::Value::table(), file, hand_file);
  if (!loaded) return loaded.error();
  made.hand = *loaded;
  if (const Status read = read_joints(value, file, made); !read) return read.error();
  if (const io::Value* measured = value.find("compliance_measured"))
    made.compliance_measured = measured->boolean().value_or(false);
  if (const io::Value* objects = value.find("objects"))
    for (std::size_t i = 0; i < objects->items().size(); ++i) {
      auto object = object_from(objects->items()[i], file, static_cast<int>(i));
      if (!object) return object.error();
      made.objects.push_back(std::move(*object));
    }
  const io::Value* frames = value.find("frames");
  const std::size_t width = kRootNumbers + made.hand->dof();
  if (const io::Value* start = value.find("start")) {
    const auto numbers = start->numbers();
    if (!numbers || numbers->size() != width)
      return Error{fmt::format("{}: start should be {} numbers", printable(file, 200), width)};
    made.start = interaction::ReferencePose{
        pose_of(numbers->data()),
        Eigen::Map<const Eigen::VectorXd>(numbers->data() + kRootNumbers, made.hand->dof())};
  }
  for (const io::Value& row : frames ? frames->items() : io::Value::array().items()) {
    const auto numbers = row.numbers();
    if (!numbers || numbers->size() != width)
      return Error{fmt::format("{}: frames[{}] should be {} numbers", printable(file, 200),
                               made.coordinates.size(), width)};
    made.roots_world.push_back(pose_of(numbers->data()));
    made.coordinates.push_back(
        Eigen::Map<const Eigen::VectorXd>(numbers->data() + kRootNumbers, made.hand->dof()));
  }
  if (const Status good = validate(made); !good)
    return Error{fmt::format("{}: {}", printable(file, 200), good.message())};
  return made;
}

Result<InteractionTrajectory> load_interaction(const std::string& path,
                                               const std::string& hand_file) {
  const auto text = read_file(path);
  if (!text) return text.error();
  const auto value = io::parse_json(*text, path);
  if (!value) return value.error();
  return parse_interaction(*value, path, hand_file);
}

}  // namespace prehend::jobs
