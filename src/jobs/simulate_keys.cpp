#include "jobs/simulate_scene.h"

namespace prehend::jobs {
namespace {

using io::SchemaKey;
using Kind = io::ValueKind;

SchemaKey choice(const char* name, const char* meaning, const char* fallback,
                 std::vector<std::string> choices) {
  return {.name = name,
          .kind = Kind::kChoice,
          .meaning = meaning,
          .fallback = fallback,
          .choices = std::move(choices)};
}

std::vector<SchemaKey> cue_keys() {
  SchemaKey what = choice("cue", "what is asked for", "", {"grip", "release", "open", "close"});
  what.required = true;
  return {{"time", Kind::kNumber, "seconds", "", true, 0.0, 1e5},
          {"hand", Kind::kString, "whose", "the first hand"},
          what};
}

std::vector<SchemaKey> all_keys() {
  return {
      choice("task", "what happens: see docs/methods/example_control.md", "\"grasp\"",
             {"grasp", "handshake", "free", "path", "drop-test"}),
      {"controller", Kind::kFile,
       "a file of `prehend fit`; its controllers go to the hands in order"},
      {"controllers", Kind::kStrings, "several such files, for the hands in order"},
      {"target", Kind::kString, "the object that the hands reach for", "the first"},
      choice("grip", "nothing but the setpoints, or torques that carry the object besides",
             "\"hold\"", {"paper", "hold"}),
      {"alpha", Kind::kNumber, "grip strength: closes beyond the grip by this part of the way", "0",
       false, 0.0, 5.0},
      {"open_while_closing", Kind::kBoolean, "the hand stays open until it has arrived", "false"},
      choice("release", "what ends the grip", "\"cue\"", {"cue", "time", "distance"}),
      {"release_time", Kind::kNumber, "seconds of gripping", "the example's", false, 0.0, 1e5},
      {"release_distance", Kind::kNumber, "meters that the palm is away again", "0.02", false, 0.01,
       10.0},
      {.name = "cues",
       .kind = Kind::kTables,
       .meaning = "what is asked for, and when",
       .members = cue_keys()},
      choice("turn", "how the object may be turned to be presented", "\"any\"",
             {"none", "upright", "any"}),
      choice("present",
             "how hand and object come together: the example's own wrist, a search, or rehearsals "
             "of what it finds",
             "\"rehearse\"; of grip \"paper\" \"example\"", {"example", "search", "rehearse"}),
      {"settle", Kind::kNumber,
       "seconds from the grip to the lift; of a drop test, what --gains auto allows", "1.2; 0.5",
       false, 0.0, 60.0},
      {"lift", Kind::kNumber, "meters", "0.2", false, 0.0, 5.0},
      {"lift_time", Kind::kNumber, "seconds", "1", false, 0.1, 60.0},
      {"shake", Kind::kNumber, "meters to either side", "0.03", false, 0.0, 1.0},
      {"shake_frequency", Kind::kNumber, "Hz", "2", false, 0.05, 20.0},
      {"shakes", Kind::kInteger, "times to and fro", "3", false, 0, 1000},
      {"drop", Kind::kNumber, "meters of free fall in a drop test", "0.25", false, 1e-4, 10.0},
      {"catch_seconds", Kind::kNumber, "in which the fall ends", "0.08", false, 0.005, 5.0},
      {"max_sag_deg", Kind::kNumber, "of the hanging hand, what --gains auto allows", "20", false,
       0.1, 180.0},
      {"max_overshoot", Kind::kNumber, "on the way back, what --gains auto allows", "0.05", false,
       0.0, 1.0},
      {"stiffness", Kind::kNumber, "k_S instead of the controllers', 1/s^2", "", false, 1e-3, 1e7},
      {"damping", Kind::kNumber, "k_D instead of the controllers', 1/s", "", false, 1e-3, 1e6},
      {"limit_stiffness", Kind::kNumber, "k_JL instead of the controllers', 1/s^2", "", false, 1e-3,
       1e8},
      {"without", Kind::kStrings, "terms left out: arm, gravity, limits, passive, active", "none"},
      {"wrist_strength", Kind::kBounds,
       "newtons and newton meters that a wrist pushes and turns with at most, each may be inf",
       "[150, 15]"},
      {"timestep", Kind::kNumber, "seconds", "0.002", false, 1e-5, 0.02},
      {"frame_rate", Kind::kNumber, "of the clip, frames a second", "60", false, 1.0, 1000.0},
      {"seconds", Kind::kNumber, "that are simulated", "the task's", false, 0.05, 3600.0},
  };
}

}  // namespace

const std::vector<SchemaKey>& simulate_keys() {
  static const std::vector<SchemaKey> kKeys = all_keys();
  return kKeys;
}

}  // namespace prehend::jobs
