
#include "prehend/io/scene.h"

namespace prehend::io {
namespace {

using Kind = ValueKind;

std::vector<SchemaKey> pose_keys(const std::string& what) {
  return {
      {"position", Kind::kVector, "where " + what + " is, meters", "[0, 0, 0]"},
      {"rotation", Kind::kQuaternion, "how it is turned, unit quaternion w first", "[1, 0, 0, 0]"},
      {"rotation_deg", Kind::kVector,
       "the same in degrees: turns about the world's x, then y, then z; instead of `rotation`"}};
}

std::vector<SchemaKey> with(std::vector<SchemaKey> keys, const std::vector<SchemaKey>& more) {
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

std::vector<SchemaKey> hand_keys() {
  return with(
      {{"name", Kind::kString, "what other tables call it", "its side"},
       {.name = "side",
        .kind = Kind::kChoice,
        .meaning = "which hand",
        .fallback = "\"right\"",
        .choices = {"left", "right"}},
       {.name = "profile",
        .kind = Kind::kChoice,
        .meaning = "what may move: 57 degrees of freedom of ball joints, 30 of hinges, or an arm "
                   "with a hand",
        .fallback = "the verb's",
        .choices = {"ball", "anatomical", "arm"}},
       {"length", Kind::kNumber, "wrist crease to middle fingertip, meters", "0.19", false, 0.05,
        0.30},
       {"breadth", Kind::kNumber, "across the knuckles, meters", "0.44 of the length", false, 0.015,
        0.2},
       {"file", Kind::kFile,
        "a hand of your own (.xml) or a rig (.bvh, .glb), instead of length and breadth"},
       {"map", Kind::kFile, "map file that says which joints of the rig are which of the hand"}},
      pose_keys("the wrist"));
}

std::vector<SchemaKey> object_keys() {
  return with(
      {{"name", Kind::kString, "what other tables call it", "its shape or its file's name"},
       {"shape", Kind::kString, "a built-in's name, such as \"mug\"; this or `file`"},
       {"file", Kind::kFile, "a mesh in any usual format; this or `shape`"},
       {.name = "units",
        .kind = Kind::kChoice,
        .meaning = "of the mesh",
        .fallback = "\"m\"",
        .choices = {"m", "dm", "cm", "mm", "inch"}},
       {"scale", Kind::kScale, "times its size, in all or in each direction", "1"},
       {"mass", Kind::kNumber, "kilograms; this or `density`", "the built-in's, or 0.1", false,
        1e-6, 1e6},
       {"density", Kind::kNumber, "kg/m³, times the volume gives the mass", "", false, 1e-3, 1e5},
       {"friction", Kind::kNumber, "Coulomb's, against skin", "0.6", false, 0.0, 10.0},
       {"torsional_friction", Kind::kNumber, "meters: times the normal force is the torque",
        "0.003", false, 0.0, 1.0},
       {"fixed", Kind::kBoolean, "part of the surroundings: it never moves", "false"}},
      pose_keys("its frame"));
}

std::vector<SchemaKey> environment_keys() {
  return {{"gravity", Kind::kVector, "m/s²", "[0, -9.81, 0]"},
          {"floor", Kind::kBoolean, "whether there is a floor", "false"},
          {"floor_height", Kind::kNumber, "meters", "0", false, -1e4, 1e4},
          {"floor_friction", Kind::kNumber, "Coulomb's, against objects", "0.6", false, 0.0, 10.0},
          {.name = "table",
           .kind = Kind::kTable,
           .meaning = "a table to stand things on",
           .members = {{"height", Kind::kNumber, "of its top, meters", "0.75", false, -1e4, 1e4},
                       {"center", Kind::kVector, "of its top, meters; y is not read", "[0, 0, 0]"},
                       {"width", Kind::kNumber, "along x, meters", "1.2", false, 0.01, 100.0},
                       {"depth", Kind::kNumber, "along z, meters", "0.8", false, 0.01, 100.0},
                       {"friction", Kind::kNumber, "Coulomb's, against objects", "0.6", false, 0.0,
                        10.0}}}};
}

std::vector<SchemaKey> motion_keys() {
  SchemaKey time{"time", Kind::kNumber, "seconds; later than the one before", "", true, 0.0, 1e5};
  return {{"of", Kind::kString, "the hand or object that moves", "all that the file has"},
          {"relative_to", Kind::kString,
           "an object in whose frame the keyframes are, and with which they move", "the world"},
          {"file", Kind::kFile, "a clip: .glb, .bvh, .csv; this or `keyframe`"},
          {"map", Kind::kFile, "map file for a rig's joints"},
          {.name = "units",
           .kind = Kind::kChoice,
           .meaning = "of the file's lengths",
           .fallback = "found from the size of the hand",
           .choices = {"m", "dm", "cm", "mm", "inch"}},
          {"mirror", Kind::kBoolean, "the file is in left-handed coordinates: reflect x", "false"},
          {"start", Kind::kNumber, "seconds of the recording to begin at", "0", false, 0.0, 1e6},
          {"end", Kind::kNumber, "seconds of the recording to end at", "its end", false, 0.0, 1e6},
          {.name = "keyframe",
           .kind = Kind::kTables,
           .meaning = "poses in time, passed smoothly",
           .members = with({time}, pose_keys("it"))}};
}

std::vector<SchemaKey> goal_keys() {
  return with(
      {{"object", Kind::kString, "which object", "", true},
       {"time", Kind::kNumber, "seconds at which it is to be there", "", true, 0.0, 1e5},
       {"weight", Kind::kNumber, "how much it counts against other goals", "1", false, 0.0, 1e6},
       {"name", Kind::kString, "what reports call it", "the object and what is asked"},
       {"start", Kind::kNumber, "seconds at which it begins to count",
        "the time of the goal before it", false, 0.0, 1e5},
       {"height", Kind::kNumber, "of the frame, meters; instead of `position`", "", false, -100.0,
        100.0},
       {"point", Kind::kVector, "of the object's frame, that `position` and `velocity` are about",
        "[0, 0, 0]"},
       {"velocity", Kind::kVector, "m/s that the point is to have at `time`"},
       {"axis", Kind::kVector, "direction in the object's frame that is to point `toward`"},
       {"toward", Kind::kVector, "direction in the world", "[0, 1, 0]"},
       {"weights", Kind::kVector, "of the three components, times `weight`", "[1, 1, 1]"},
       {"tolerance", Kind::kNumber, "meters, radians or m/s that count as met",
        "0.005; 0.05 of angles; a tenth of a velocity", false, 1e-6, 100.0}},
      pose_keys("the object is to be"));
}

std::vector<SchemaKey> option_keys() {
  std::vector<SchemaKey> keys;
  for (const char* verb : {"train", "grasp", "fit", "simulate", "measure", "replay", "manipulate",
                           "detail", "audit", "render", "convert", "hand", "batch", "studio"})
    keys.push_back({verb, Kind::kTable, std::string("options of `prehend ") + verb + "`"});
  return keys;
}

}  // namespace

const std::vector<SchemaKey>& scene_schema() {
  static const std::vector<SchemaKey> kSchema = {
      {"title", Kind::kString, "shown in reports and pages"},
      {.name = "hand", .kind = Kind::kTables, .meaning = "the hands", .members = hand_keys()},
      {.name = "object", .kind = Kind::kTables, .meaning = "the objects", .members = object_keys()},
      {.name = "environment",
       .kind = Kind::kTable,
       .meaning = "the surroundings",
       .members = environment_keys()},
      {.name = "motion",
       .kind = Kind::kTables,
       .meaning = "where motion comes from",
       .members = motion_keys()},
      {.name = "goal",
       .kind = Kind::kTables,
       .meaning = "what objects are to reach",
       .members = goal_keys()},
      {.name = "options",
       .kind = Kind::kTable,
       .meaning = "a table for each verb",
       .members = option_keys()},
  };
  return kSchema;
}

std::string scene_reference() { return schema_markdown(scene_schema(), ""); }

}  // namespace prehend::io
