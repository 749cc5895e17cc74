#include "jobs/load_csv.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "jobs/load_body.h"
#include "prehend/core/text.h"
#include "prehend/io/clip_csv.h"
#include "prehend/io/csv.h"
#include "prehend/io/mesh_file.h"
#include "prehend/jobs/hand_labels.h"
#include "prehend/physics/mjcf_hand.h"

namespace prehend::jobs {

bool ObjectArgument::from_bvh() const { return file_ending(motion) == ".bvh"; }
bool ObjectArgument::sized() const { return object.find(':') != std::string::npos; }

Result<ObjectArgument> parse_object_argument(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    return Error{fmt::format("--object: '{}' should be MOTION.bvh=OBJECT or NAME=OBJECT",
                             printable(text, 200))};
  return ObjectArgument{text.substr(0, equals), text.substr(equals + 1)};
}

namespace {

struct NamedObject {
  std::string name;
  ObjectPtr object;
};

// What the options say of objects that a table moves, by name.
Result<std::vector<NamedObject>> named_objects(const LoadOptions& options,
                                               std::vector<std::string>& notes) {
  std::vector<NamedObject> objects;
  for (const std::string& text : options.objects) {
    const auto argument = parse_object_argument(text);
    if (!argument) return argument.error();
    if (argument->from_bvh()) continue;
    io::ObjectOptions how;
    if (!options.object_units.empty()) {
      const auto unit = io::parse_unit(options.object_units);
      if (!unit) return Error{"--object-units: " + unit.message()};
      how.meters_per_unit = *unit;
    }
    auto object = io::load_object(argument->object, how);
    if (!object) return object.error();
    for (std::string& warning : object->warnings) notes.push_back(std::move(warning));
    objects.push_back(
        {argument->motion, std::make_shared<const Object>(std::move(object->object))});
  }
  return objects;
}

Result<Loaded> load_written_clip(const std::string& path, const io::CsvTable& table,
                                 const LoadOptions& options) {
  Loaded loaded;
  const auto objects = named_objects(options, loaded.notes);
  if (!objects) return objects.error();
  Clip like;
  for (const NamedObject& named : *objects) {
    Object object = *named.object;
    object.name = named.name;
    like.objects.push_back({std::make_shared<const Object>(std::move(object)), {}});
  }
  auto clip = io::read_clip_csv(path, like);
  if (!clip) return clip.error();
  loaded.clip = std::move(*clip);
  loaded.without_shape = io::objects_without_shape(table, loaded.clip);
  for (const std::string& name : loaded.without_shape)
    loaded.notes.push_back(fmt::format(
        "{}: {} moves but has no shape, and is left out; --object {}=OBJECT gives it one",
        table.name, printable(name), printable(name)));
  return loaded;
}

constexpr const char* kPoseColumns[] = {"_x", "_y", "_z", "_qw", "_qx", "_qy", "_qz"};

// Names before "_qw" that have all seven columns of a pose.
std::vector<std::string> moved_names(const io::CsvTable& table) {
  std::vector<std::string> names;
  for (const io::CsvColumn& column : table.columns) {
    if (!column.base.ends_with("_qw")) continue;
    const std::string name = column.base.substr(0, column.base.size() - 3);
    const bool whole = std::all_of(std::begin(kPoseColumns), std::end(kPoseColumns),
                                   [&](const char* end) { return table.find(name + end) >= 0; });
    if (whole && !name.empty()) names.push_back(name);
  }
  return names;
}

Result<std::vector<Transform>> poses_of(const io::CsvTable& table, const std::string& name,
                                        const Quat& world_from_file) {
  std::vector<std::vector<double>> columns;
  for (const char* end : kPoseColumns) {
    auto column = table.si(name + end);
    if (!column) return column.error();
    columns.push_back(std::move(*column));
  }
  std::vector<Transform> poses_world;
  for (int row = 0; row < table.row_count; ++row) {
    const auto at = [&](int column) { return columns[column][row]; };
    const Quat q(at(3), at(4), at(5), at(6));
    const Vec3 p(at(0), at(1), at(2));
    if (!p.allFinite() || !(std::abs(q.norm() - 1.0) < 0.1))
      return Error{fmt::format("{}: row {}: {} has no pose: a position and a unit quaternion",
                               table.name, row + 1, printable(name))};
    poses_world.push_back({world_from_file * q.normalized(), world_from_file * p});
  }
  return poses_world;
}

Status add_moved(const io::CsvTable& table, const Quat& world_from_file,
                 const std::vector<NamedObject>& objects, Loaded& loaded) {
  const std::vector<std::string> names = moved_names(table);
  for (const std::string& name : names) {
    const auto named = std::find_if(objects.begin(), objects.end(),
                                    [&name](const NamedObject& o) { return o.name == name; });
    // With one of each there is nothing to confuse.
    const bool only = names.size() == 1 && objects.size() == 1;
    if (named == objects.end() && !only) {
      loaded.notes.push_back(
          fmt::format("{}: columns {}_* move an object; --object {}=OBJECT gives its shape",
                      table.name, name, name));
      continue;
    }
    auto poses_world = poses_of(table, name, world_from_file);
    if (!poses_world) return poses_world.error();
    loaded.clip.objects.push_back(
        {named == objects.end() ? objects[0].object : named->object, std::move(*poses_world)});
  }
  for (const NamedObject& object : objects) {
    const bool known = std::find(names.begin(), names.end(), object.name) != names.end();
    if (!known && !(names.size() == 1 && objects.size() == 1))
      return Error{fmt::format("{}: no columns {}_x to {}_qz move an object", table.name,
                               printable(object.name), printable(object.name))};
  }
  return {};
}

Result<Loaded> load_joint_table(const std::string& path, const LoadOptions& options,
                                const io::CsvTable& table) {
  const auto file = load_mjcf_hand(options.hand);
  if (!file) return file.error();
  Loaded loaded;
  loaded.notes = file->warnings();
  std::vector<std::string> names;
  Eigen::MatrixXd rows(table.row_count, static_cast<Eigen::Index>(table.columns.size()));
  for (const io::CsvColumn& column : table.columns) {
    const auto c = static_cast<Eigen::Index>(names.size());
    for (int r = 0; r < table.row_count; ++r) rows(r, c) = column.values[r] * column.to_si;
    names.push_back(column.base);
  }
  auto poses = file->poses(names, rows);
  if (!poses) return Error{fmt::format("{}: {}", printable(path, 200), poses.message())};
  const io::CsvTimes times = io::csv_times(table);
  if (!times.note.empty()) loaded.notes.push_back(path + ": " + times.note);
  if (times.frame_rate > 0.0) loaded.clip.frame_rate = times.frame_rate;
  loaded.clip.name = std::filesystem::path(path).stem().string();
  loaded.clip.hands.push_back({file->hand(), std::move(*poses)});
  const auto objects = named_objects(options, loaded.notes);
  if (!objects) return objects.error();
  const Status added = add_moved(table, file->world_from_file(), *objects, loaded);
  if (!added) return added.error();
  return loaded;
}

}  // namespace

Result<Loaded> load_csv(const std::string& path, const LoadOptions& options) {
  const auto table = io::read_csv(path);
  if (!table) return table.error();
  if (!options.hand.empty()) {
    // Compiling a model with its meshes costs as much as auditing a second of motion.
    if (!moves_root(*table)) return load_joint_table(path, options, *table);
    const auto skeleton = physics::load_mjcf_skeleton(options.hand);
    if (!skeleton) return skeleton.error();
    if (moves_body(*table, *skeleton)) return load_body_table(path, options, *table, *skeleton);
    return load_joint_table(path, options, *table);
  }
  // Ours has hands by their roots, or objects' poses and the times, and nothing else.
  const bool hands =
      std::any_of(table->columns.begin(), table->columns.end(),
                  [](const io::CsvColumn& column) { return column.base.ends_with(".root_x"); });
  const std::size_t poses = std::size(kPoseColumns) * moved_names(*table).size();
  if (!hands && (poses == 0 || table->columns.size() > 1 + poses))
    return Error{fmt::format(
        "{}: not a clip as CSV; a table of joint angles needs --hand FILE.xml, whose joints its "
        "columns name",
        printable(path, 200))};
  return load_written_clip(path, *table, options);
}

}  // namespace prehend::jobs
