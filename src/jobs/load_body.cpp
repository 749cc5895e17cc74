#include "jobs/load_body.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "jobs/load_csv.h"
#include "jobs/rig_source.h"
#include "jobs/unturned_ball.h"
#include "prehend/core/text.h"
#include "prehend/io/bvh_clip.h"
#include "prehend/io/mesh_file.h"

namespace prehend::jobs {
namespace {

using physics::MjcfSkeleton;

constexpr double kDefaultRate = 60.0;  // Hz, of a table without times: what body capture mostly has

// Three columns NAME + middle + "x", "y", "z"; -1 where one is missing.
std::array<int, 3> triple(const io::CsvTable& table, const std::string& name) {
  return {table.find(name + "x"), table.find(name + "y"), table.find(name + "z")};
}
bool whole(const std::array<int, 3>& columns) {
  return columns[0] >= 0 && columns[1] >= 0 && columns[2] >= 0;
}
Vec3 at(const io::CsvTable& table, const std::array<int, 3>& columns, int row) {
  Vec3 v;
  for (int i = 0; i < 3; ++i) {
    const io::CsvColumn& column = table.columns[columns[i]];
    v[i] = column.values[row] * column.to_si;
  }
  return v;
}

// How the columns turn one body against its rest.
class BodyColumns {
 public:
  BodyColumns(const io::CsvTable& table, const MjcfSkeleton& skeleton, int body)
      : table_(table), map_(triple(table, skeleton.names[body] + "_e")) {
    if (whole(map_)) return;
    for (const MjcfSkeleton::Hinge& hinge : skeleton.hinges[body]) {
      const int column = table.find(hinge.name);
      if (column >= 0) hinges_.push_back({column, hinge.axis});
    }
    if (hinges_.size() != skeleton.hinges[body].size()) hinges_.clear();
  }
  bool given() const { return whole(map_) || !hinges_.empty(); }
  Quat turn(int row) const {
    if (whole(map_)) return exp_map(at(table_, map_, row));
    Quat q = Quat::Identity();
    for (const auto& [column, axis] : hinges_) {
      const io::CsvColumn& angles = table_.columns[column];
      q = q * exp_map(axis * (angles.values[row] * angles.to_si));
    }
    return q;
  }

 private:
  const io::CsvTable& table_;
  std::array<int, 3> map_;
  std::vector<std::pair<int, Vec3>> hinges_;
};

std::vector<Quat> rest_rotations(const MjcfSkeleton& skeleton) {
  std::vector<Quat> rest;
  for (std::size_t i = 0; i < skeleton.names.size(); ++i) {
    const Quat above = skeleton.parents[i] < 0 ? Quat::Identity() : rest[skeleton.parents[i]];
    rest.push_back(above * skeleton.rest_parent[i].rotation);
  }
  return rest;
}

io::Bvh hierarchy(const MjcfSkeleton& skeleton, const std::vector<Quat>& rest) {
  using Channel = io::BvhChannel;
  io::Bvh bvh;
  for (std::size_t i = 0; i < skeleton.names.size(); ++i) {
    io::BvhJoint joint;
    joint.name = skeleton.names[i];
    joint.parent = skeleton.parents[i];
    const bool root = joint.parent < 0;
    if (!root) joint.offset = rest[joint.parent] * skeleton.rest_parent[i].position;
    if (root) joint.channels = {Channel::kXPosition, Channel::kYPosition, Channel::kZPosition};
    for (const Channel channel : {Channel::kZRotation, Channel::kXRotation, Channel::kYRotation})
      joint.channels.push_back(channel);
    joint.first_channel = bvh.channel_count;
    bvh.channel_count += static_cast<int>(joint.channels.size());
    bvh.joints.push_back(std::move(joint));
  }
  return bvh;
}

}  // namespace

double table_frame_rate(const io::CsvTable& table) {
  const double rate = io::csv_times(table).frame_rate;
  return rate > 0.0 ? rate : kDefaultRate;
}

bool moves_root(const io::CsvTable& table) { return whole(triple(table, "root_p")); }

bool moves_body(const io::CsvTable& table, const MjcfSkeleton& skeleton) {
  if (!moves_root(table)) return false;
  for (std::size_t i = 0; i < skeleton.names.size(); ++i)
    if (BodyColumns(table, skeleton, static_cast<int>(i)).given()) return true;
  return false;
}

Result<io::Bvh> body_motion(const io::CsvTable& table, const MjcfSkeleton& skeleton,
                            double frame_rate) {
  const std::vector<Quat> rest = rest_rotations(skeleton);
  io::Bvh bvh = hierarchy(skeleton, rest);
  bvh.frame_time = 1.0 / frame_rate;
  bvh.frame_count = table.row_count;
  const io::EulerOrder order;  // ZXY, as the channels
  std::vector<BodyColumns> columns;
  for (std::size_t i = 0; i < skeleton.names.size(); ++i)
    columns.emplace_back(table, skeleton, static_cast<int>(i));
  const auto root_p = triple(table, "root_p"), root_r = triple(table, "root_r");
  std::vector<Vec3> angles(skeleton.names.size(), Vec3::Zero());
  for (int row = 0; row < table.row_count; ++row) {
    for (std::size_t i = 0; i < skeleton.names.size(); ++i) {
      const bool root = skeleton.parents[i] < 0;
      const Quat above = root ? Quat::Identity() : rest[skeleton.parents[i]];
      Quat turn = columns[i].given() ? columns[i].turn(row) : Quat::Identity();
      if (root && whole(root_r)) turn = exp_map(at(table, root_r, row));
      // From frames of the file's own to frames parallel to its axes at rest.
      const Quat local = above * skeleton.rest_parent[i].rotation * turn * rest[i].conjugate();
      angles[i] = io::euler_angles(local.normalized(), order, angles[i]);
      if (root) {
        const Vec3 p = at(table, root_p, row);
        bvh.values.insert(bvh.values.end(), {p.x(), p.y(), p.z()});
      }
      for (int k = 0; k < 3; ++k) bvh.values.push_back(degrees(angles[i][k]));
    }
  }
  const auto wrong = std::find_if(bvh.values.begin(), bvh.values.end(),
                                  [](double v) { return !std::isfinite(v); });
  if (wrong != bvh.values.end())
    return Error{fmt::format("{}: row {}: a joint's rotation is not a number", table.name,
                             (wrong - bvh.values.begin()) / bvh.channel_count + 1)};
  return bvh;
}

Result<TableMotion> table_motion(const io::CsvTable& table, const std::string& name) {
  const auto p = triple(table, name + "_p"), r = triple(table, name + "_r");
  if (!whole(p))
    return Error{
        fmt::format("{}: no columns {}_px, _py, _pz move an object", table.name, printable(name))};
  TableMotion motion{.name = name};
  for (int row = 0; row < table.row_count; ++row) {
    Transform pose = Transform::from_position(at(table, p, row));
    if (whole(r)) pose.rotation = exp_map(at(table, r, row));
    if (!all_finite(pose))
      return Error{fmt::format("{}: row {}: {} has no pose", table.name, row + 1, printable(name))};
    motion.poses.push_back(pose);
    motion.turned |= angle_between(pose.rotation, motion.poses[0].rotation) > 1e-6;
  }
  return motion;
}

namespace {

Status add_object(const ObjectArgument& argument, const LoadOptions& options,
                  const io::CsvTable& table, const Quat& world_from_file, Loaded& loaded) {
  const auto motion = table_motion(table, argument.motion);
  if (!motion) return motion.error();
  io::ObjectOptions how;
  if (!options.object_units.empty()) {
    const auto unit = io::parse_unit(options.object_units);
    if (!unit) return Error{"--object-units: " + unit.message()};
    how.meters_per_unit = *unit;
  }
  auto object = io::load_object(argument.object, how);
  if (!object) return object.error();
  for (std::string& warning : object->warnings) loaded.notes.push_back(std::move(warning));
  ObjectTrack track;
  for (const Transform& pose : motion->poses)
    track.poses_world.push_back(
        {(world_from_file * pose.rotation).normalized(), world_from_file * pose.position});
  track.object = std::make_shared<const Object>(std::move(object->object));
  if (track.object->shape.kind == ShapeKind::kSphere) {
    if (!argument.sized()) size_ball_by_rest(track, loaded.notes);
    if (!motion->turned)
      turn_ball_with_hands(loaded.clip.hands, track, loaded.clip.frame_rate, loaded.notes);
  }
  loaded.clip.objects.push_back(std::move(track));
  return {};
}

}  // namespace

Result<Loaded> load_body_table(const std::string& path, const LoadOptions& options,
                               const io::CsvTable& table, const MjcfSkeleton& skeleton) {
  const io::CsvTimes times = io::csv_times(table);
  Loaded loaded;
  if (!times.note.empty()) loaded.notes.push_back(path + ": " + times.note);
  const double rate = table_frame_rate(table);
  if (!(times.frame_rate > 0.0))
    loaded.notes.push_back(
        fmt::format("{}: no column of times; taken as {:g} frames a second", path, rate));
  const auto bvh = body_motion(table, skeleton, rate);
  if (!bvh) return bvh.error();
  const auto asked = rig_hints(options);
  if (!asked) return asked.error();
  io::RigHints hints = *asked;
  hints.meters_per_unit = 1.0;
  const bool z_up = skeleton.up.z() > 0.9;
  if (!hints.up) hints.up = z_up ? io::UpAxis::kZ : io::UpAxis::kY;
  auto hands = io::clip_from_bvh(*bvh, path, hints);
  if (!hands) return hands.error();
  loaded.notes.push_back(path + "\n" + hands->import.text());
  loaded.clip = std::move(hands->clip);
  loaded.clip.frame_rate = rate;
  loaded.rig = hints;
  const Quat world_from_file =
      *hints.up == io::UpAxis::kZ ? exp_map({-0.5 * kPi, 0.0, 0.0}) : Quat::Identity();
  for (const std::string& text : options.objects) {
    const auto argument = parse_object_argument(text);
    if (!argument) return argument.error();
    if (argument->from_bvh()) continue;
    const Status added = add_object(*argument, options, table, world_from_file, loaded);
    if (!added) return added.error();
  }
  return loaded;
}

}  // namespace prehend::jobs
