#include "jobs/grasp_grip.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "jobs/value_reader.h"
#include "prehend/core/atomic_file.h"
#include "prehend/core/text.h"

namespace prehend::jobs {
namespace {

// m from the object's surface: a touch farther away is one of another object, or of another size.
constexpr double kOnSurface = 0.01;

Result<Transform> transform_of(const io::Value& grasp, const char* key, const std::string& file) {
  const io::Value* value = grasp.find(key);
  if (!value) return Error{fmt::format("{}: no {}", file, key)};
  ValueReader reader(*value, file, std::string(key) + ".");
  const Vec3 position = reader.vector("position", 3);
  const Eigen::VectorXd q = reader.vector("rotation", 4);
  if (reader.error()) return *reader.error();
  if (!(q.norm() > 0.5)) return Error{fmt::format("{}: {}.rotation is no rotation", file, key)};
  return Transform{Quat(q[0], q[1], q[2], q[3]).normalized(), position};
}

// Of each digit's last segment the touch that presses most.
Status read_touches(const io::Value& grasp, const Hand& bare, const std::string& file,
                    GraspGrip& grip) {
  const io::Value* touches = grasp.find("touches");
  std::array<double, 5> most{};
  std::array<Vec3, 5> places;
  for (const io::Value& touch : touches ? touches->items() : io::Value::Array{}) {
    ValueReader reader(touch, file, "touches.");
    const int segment = bare.find(reader.text("segment"));
    const Vec3 point = reader.vector("point", 3), force = reader.vector("force_N", 3);
    if (reader.error()) return *reader.error();
    for (const Digit digit : kDigits) {
      const auto pad = hands::pad_of(bare, digit);
      const auto d = static_cast<size_t>(digit);
      if (!pad || pad->segment != segment || force.norm() <= most[d]) continue;
      most[d] = force.norm();
      places[d] = point;
    }
  }
  for (const Digit digit : kDigits) {
    const auto d = static_cast<size_t>(digit);
    if (most[d] <= 0.0) continue;
    grip.digits.push_back(digit);
    grip.places_object.push_back(places[d]);
  }
  if (grip.digits.size() < 2)
    return Error{fmt::format("{}: {} fingertip{} in this grasp; a grip takes two at least", file,
                             grip.digits.size(), grip.digits.size() == 1 ? " touches" : "s touch")};
  return {};
}

Status check_places(const GraspGrip& grip, const geometry::PreparedObject& object,
                    const std::string& file) {
  double far = 0.0;
  for (const Vec3& place : grip.places_object)
    far = std::max(far, std::abs(object.exact()->sample(place).distance));
  if (far > kOnSurface)
    return Error{
        fmt::format("{}: its touches are up to {:.0f} mm from the surface of \"{}\": the "
                    "grasp is of another object, or another size",
                    file, 1e3 * far, object.object().name)};
  return {};
}

}  // namespace

Result<GraspGrip> read_grasp_grip(const std::string& path, int number, const Hand& bare,
                                  const geometry::PreparedObject& object) {
  const std::string file = printable(path, 200);
  const auto text = read_file(path);
  if (!text) return text.error();
  const auto value = io::parse_json(*text, file);
  if (!value) return value.error();
  const io::Value* format = value->find("format");
  if (!format || !format->string() || *format->string() != "prehend-grasps")
    return Error{
        fmt::format("{}: no grasps; `prehend grasp OBJECT -o {}` writes them", file, file)};
  const io::Value* hand = value->find("hand");
  const io::Value* side = hand ? hand->find("side") : nullptr;
  if (!side || !side->string() || *side->string() != to_string(bare.side))
    return Error{fmt::format("{}: its hand is not a {} one", file, to_string(bare.side))};
  const io::Value* grasps = value->find("grasps");
  const size_t count = grasps ? grasps->items().size() : 0;
  if (number < 1 || static_cast<size_t>(number) > count)
    return Error{fmt::format("{}: grasp {} of {}", file, number, count)};
  const io::Value& grasp = grasps->items()[static_cast<size_t>(number) - 1];
  ValueReader reader(grasp, file, fmt::format("grasps[{}].", number - 1));
  const Eigen::VectorXd angles = reader.vector("coordinates_rad", bare.dof());
  if (reader.error()) return *reader.error();
  const auto root = transform_of(grasp, "root_object", file);
  if (!root) return root.error();
  const auto wrist = transform_of(grasp, "wrist_object", file);
  if (!wrist) return wrist.error();
  GraspGrip grip;
  grip.pose = pose_from_coordinates(bare, *root, angles);
  grip.wrist_object = *wrist;
  if (const Status done = read_touches(grasp, bare, file, grip); !done) return done.error();
  if (const Status done = check_places(grip, object, file); !done) return done.error();
  return grip;
}

}  // namespace prehend::jobs
