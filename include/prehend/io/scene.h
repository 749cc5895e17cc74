// A scene: hands, objects, surroundings, where motion comes from, goals, options. One TOML format
// for all verbs; docs/scene.md is made from the same table that checks a file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "prehend/core/hand_builder.h"
#include "prehend/core/math.h"
#include "prehend/core/result.h"
#include "prehend/io/schema.h"

namespace prehend::io {

struct SceneHand {
  std::string name;            // unique among hands and objects
  HandOptions build;           // what to build, unless `file` is given
  bool profile_given = false;  // else the verb chooses
  std::string file;            // a hand of one's own, or a rig; path as resolved, or nothing
  std::string map;             // map file for a rig's joints
  Transform wrist_world;
  bool placed = false;  // the file says where the wrist is
  Place place;
};

struct SceneObject {
  std::string name;
  std::string shape;  // a built-in's name, or nothing
  std::string file;   // or a mesh, path as resolved
  Vec3 scale = Vec3::Ones();
  double meters_per_unit = 1.0;
  std::optional<double> mass;     // kg
  std::optional<double> density;  // kg / m^3
  std::optional<double> friction;
  std::optional<double> torsional_friction;
  bool fixed = false;
  Transform pose_world;
  Place place;
};

struct SceneTable {
  double height = 0.75;        // of its top, meters
  Vec3 center = Vec3::Zero();  // y is not read
  double width = 1.2;          // along x
  double depth = 0.8;          // along z
  double friction = 0.6;
};

struct SceneEnvironment {
  Vec3 gravity = gravity_world();
  std::optional<double> floor_height;
  double floor_friction = 0.6;
  std::optional<SceneTable> table;
};

struct SceneKeyframe {
  double time = 0.0;
  std::optional<Vec3> position;
  std::optional<Quat> rotation;
};

// Where the motion of a hand or an object comes from: a recording, or keyframes.
struct SceneMotion {
  std::string of;  // a hand's or an object's name; nothing: all that the file has
  // Keyframes are in this object's frame and move with it; nothing: in the world's.
  std::string relative_to;
  std::string file;  // path as resolved
  std::string map;
  std::optional<double> meters_per_unit;
  bool mirror = false;
  double start = 0.0;  // seconds of the recording
  std::optional<double> end;
  std::vector<SceneKeyframe> keyframes;  // times ascend
  Place place;
};

// What an object is to reach, for verbs that are told what and not how.
struct SceneGoal {
  std::string object;
  double time = 0.0;
  std::optional<Vec3> position;
  std::optional<Quat> rotation;
  double weight = 1.0;
  std::string name;
  std::optional<double> start, height, tolerance;
  Vec3 point_object = Vec3::Zero();
  std::optional<Vec3> velocity, axis;
  Vec3 toward = Vec3::UnitY();
  Vec3 weights = Vec3::Ones();
  Place place;
};

struct Scene {
  std::string file;
  std::string title;
  std::vector<SceneHand> hands;
  std::vector<SceneObject> objects;
  SceneEnvironment environment;
  std::vector<SceneMotion> motions;
  std::vector<SceneGoal> goals;
  Value options;  // [options.VERB] tables, as they stand

  int find_hand(const std::string& name) const;  // -1 if there is none
  int find_object(const std::string& name) const;
};

Result<Scene> parse_scene(std::string_view text, const std::string& path);
Result<Scene> read_scene(const std::string& path);

// A verb's own table, checked against what the verb knows; an empty table when the scene has none.
Result<Value> scene_options(const Scene& scene, const std::string& verb,
                            const std::vector<SchemaKey>& keys);

// The format, and its reference in Markdown.
const std::vector<SchemaKey>& scene_schema();
std::string scene_reference();

}  // namespace prehend::io
