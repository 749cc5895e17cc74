#include "jobs/simulate_value.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "jobs/data_value.h"
#include "jobs/object_size.h"
#include "prehend/geometry/repair.h"
#include "prehend/io/skin_asset.h"
#include "prehend/picture/clip_picture.h"
#include "prehend/picture/draw.h"

namespace prehend::jobs {
namespace {

namespace control = example_control;
using control::PhaseSpan;
using control::RunReport;

constexpr double kMuchSlip = 0.01;                   // m
constexpr double kMuchBeyondLimits = radians(10.0);  // rad

const char* grip_name(const SimulateSetup& setup) {
  return setup.options.grip == control::Grip::kPaper ? "paper" : "hold";
}

// The object that the first hand is after, if it is one.
const Object* target_of(const SimulateSetup& setup) {
  const int target = setup.hand(0).target_object;
  const auto& objects = setup.run.simulation.objects;
  return target >= 0 && target < std::ssize(objects) ? objects[target].object.get() : nullptr;
}

std::vector<std::string> warnings_of(const SimulateSetup& setup, const RunReport& report) {
  std::vector<std::string> warnings;
  if (setup.task != SimulateTask::kFree && report.slip > kMuchSlip)
    warnings.push_back(fmt::format("what is held slips by {:.1f} mm", 1e3 * report.slip));
  if (report.max_limit_violation > kMuchBeyondLimits)
    warnings.push_back(fmt::format("a joint goes {:.1f} degrees beyond its limit",
                                   degrees(report.max_limit_violation)));
  if (setup.staged && setup.staged->placement.digits < 2)
    warnings.push_back("fewer than two digits meet the object when the hand closes");
  const bool carries = setup.task == SimulateTask::kGrasp || setup.task == SimulateTask::kHandshake;
  if (carries && !report.released) warnings.push_back("the hand does not come free at the end");
  return warnings;
}

// By how much the object leans from how it was given, or recorded.
double tilt_of(const SimulateSetup& setup) {
  const control::ExamplePath& path = setup.hand(0).controller->path;
  const Quat given =
      setup.as_recorded ? path.target_world[path.carried()].rotation : Quat::Identity();
  const Vec3 up_given = given.conjugate() * Vec3::UnitY();
  const Vec3 up = setup.staged->placement.object_world.rotation.conjugate() * Vec3::UnitY();
  return std::atan2(up.cross(up_given).norm(), up.dot(up_given));
}

std::string presented_text(const SimulateSetup& setup) {
  const bool recorded = setup.staged->placement.recorded;
  const double tilt = degrees(tilt_of(setup));
  constexpr double kUpright = 15.0;  // degrees: within this it stands as it was given
  const bool example = setup.staged->staging.presentation == control::Presentation::kExample;
  return fmt::format(
      "\npresented {}, the object {}",
      example    ? "along the example's own wrist"
      : recorded ? "as recorded"
                 : "as a search placed it",
      tilt < kUpright ? "standing as given" : fmt::format("turned over by {:.0f} degrees", tilt));
}

// How the object was placed for the hand, and what the rehearsals showed.
io::Value staged_value(const SimulateSetup& setup) {
  const control::StagedGrasp& staged = *setup.staged;
  io::Value value = io::Value::table();
  value["presented"] = staged.staging.presentation == control::Presentation::kExample ? "example"
                       : staged.placement.recorded                                    ? "recorded"
                                                                                      : "searched";
  value["grip_by_distance"] = staged.staging.grip_by_distance;
  value["tilt_deg"] = degrees(tilt_of(setup));
  value["digits"] = staged.placement.digits;
  value["squeeze_per_weight"] = staged.placement.squeeze;
  value["found"] = staged.placements_found;
  if (const auto& rehearsal = staged.rehearsal) {
    io::Value& tried = value["rehearsal"] = io::Value::table();
    tried["tried"] = rehearsal->tried;
    tried["taken"] = rehearsal->placement;
    tried["held"] = rehearsal->held;
    tried["slip_m"] = rehearsal->slip;
    tried["turned_deg"] = degrees(rehearsal->turned);
    tried["badness"] = rehearsal->badness;
  }
  return value;
}

}  // namespace

std::vector<Moment> moments_of(const Clip& clip, const std::vector<PhaseSpan>& phases) {
  constexpr int kEven = 8, kOfGrip = 4;
  std::vector<Moment> moments;
  for (const PhaseSpan& span : phases) {
    if (span.hand != 0 || span.end - span.start < 1.0 / clip.frame_rate) continue;
    const int count = span.phase == control::Phase::kGripping ? kOfGrip : 1;
    for (int i = 0; i < count; ++i) {
      const double time = span.start + (span.end - span.start) * (i + 0.5) / count;
      moments.push_back({time, fmt::format("{:.2f} s {}", time, to_string(span.phase))});
    }
  }
  if (moments.size() > 1) return moments;
  moments.clear();
  for (int i = 0; i < kEven; ++i) {
    const double time = clip.duration() * (i + 0.5) / kEven;
    moments.push_back({time, fmt::format("{:.2f} s", time)});
  }
  return moments;
}

io::Value run_value(const SimulateSetup& setup, const RunReport& report) {
  io::Value value = io::Value::table();
  value["task"] = to_string(setup.task);
  value["grip"] = grip_name(setup);
  value["alpha"] = setup.hand(0).alpha;
  value["timestep_s"] = setup.options.timestep;
  if (const Object* object = target_of(setup)) {
    value["object"]["name"] = object->name;
    value["object"]["mass_kg"] = object->mass;
    value["object"]["friction"] = object->friction;
    value["object"]["size_m"] = Vec3(geometry::bounding_box(*object->shape.mesh).sizes());
  }
  if (setup.staged) value["placement"] = staged_value(setup);
  value["held"] = report.held;
  value["released"] = report.released;
  value["slip_m"] = report.slip;
  if (report.palms_touched) value["palms_touched_fraction"] = *report.palms_touched;
  if (report.palm_on_palm) value["palm_on_palm_fraction"] = *report.palm_on_palm;
  value["turned_deg"] = degrees(report.turned);
  value["lifted_m"] = report.lifted;
  value["max_contact_force_N"] = report.max_contact_force;
  value["mean_contact_force_N"] = report.mean_contact_force;
  value["grip_force_N"] = report.grip_force;
  value["finger_deviation_deg"] = degrees(report.finger_deviation);
  value["max_limit_violation_deg"] = degrees(report.max_limit_violation);
  value[kWallClock] = report.realtime_factor;
  value["states"] = io::Value::array();
  for (const PhaseSpan& span : report.phases) {
    io::Value state = io::Value::table();
    state["hand"] = setup.hand(span.hand).hand->name;
    state["state"] = to_string(span.phase);
    state["start_s"] = span.start;
    state["end_s"] = span.end;
    value["states"].push_back(std::move(state));
  }
  value["warnings"] = warnings_of(setup, report);
  return value;
}

std::string run_text(const SimulateSetup& setup, const RunReport& report) {
  std::string text = setup.title.empty() ? to_string(setup.task) : setup.title;
  if (const Object* object = target_of(setup))
    text += fmt::format(": {}, {:.0f} g, {}", object->name, 1e3 * object->mass, size_text(*object));
  if (setup.task != SimulateTask::kFree) {
    text += fmt::format("\n{} by grip \"{}\": slip {:.1f} mm, lifted {:.0f} mm, {}",
                        report.held ? "held" : "NOT held", grip_name(setup), 1e3 * report.slip,
                        1e3 * report.lifted, report.released ? "released" : "not released");
    text += fmt::format("\ncontact force {:.1f} N at most, {:.1f} N on the way",
                        report.max_contact_force, report.mean_contact_force);
  }
  if (setup.staged) text += presented_text(setup);
  text += fmt::format("\n{:.1f} times real time at steps of {:g} ms", report.realtime_factor,
                      1e3 * setup.options.timestep);
  text += "\nhand        state         from      to";
  for (const PhaseSpan& span : report.phases)
    text += fmt::format("\n{:<11} {:<10} {:>7.2f} {:>7.2f} s", setup.hand(span.hand).hand->name,
                        to_string(span.phase), span.start, span.end);
  for (const std::string& warning : warnings_of(setup, report)) text += "\nnote: " + warning;
  return text;
}

}  // namespace prehend::jobs
