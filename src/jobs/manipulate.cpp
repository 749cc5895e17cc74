#include "prehend/jobs/manipulate.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "jobs/audit_value.h"
#include "jobs/job_context.h"
#include "jobs/manipulate_plot.h"
#include "jobs/manipulate_scene.h"
#include "jobs/physics_value.h"
#include "prehend/core/atomic_file.h"
#include "prehend/core/text.h"
#include "prehend/jobs/load.h"
#include "prehend/jobs/save.h"

namespace prehend::jobs {
namespace {

io::Value report_value(const ManipulateSetup& setup, const manipulation::Report& result) {
  io::Value value = io::Value::table();
  value["goals"] = io::Value::array();
  for (const manipulation::GoalOutcome& goal : result.goals) {
    io::Value entry = io::Value::table();
    entry["name"] = goal.name;
    entry["error"] = goal.error;
    entry["met"] = goal.met;
    value["goals"].push_back(std::move(entry));
  }
  value["frames"] = result.frames;
  value["rollbacks"] = result.rollbacks;
  value["contacts"]["static"] = std::int64_t{result.contacts.resting};
  value["contacts"]["slip"] = std::int64_t{result.contacts.slipping};
  value["contacts"]["broken"] = std::int64_t{result.contacts.broken};
  value["peak_speed_fraction"] = result.peak_speed_fraction;
  value["step_residual"] = result.step_residual;
  value["cone_excess"] = result.cone_excess;
  value["timestep"] = setup.options.timestep;
  value["task_start"] = result.task_start;
  value["clip"] = clip_value(result.clip);
  return value;
}

// Contacts are points with Coulomb's cones and no torsion; arms are as strong as their joints.
physics::PhysicsInForce physics_of(const ManipulateSetup& setup) {
  physics::PhysicsInForce physics;
  for (const manipulation::Thing& thing : setup.problem.things) {
    if (thing.object->object().fixed) continue;
    physics.friction = thing.object->object().friction;
    physics.torsional_friction = 0.0;
    break;
  }
  physics.wrist_strength = physics::RootStrength::unlimited();
  physics.timestep = setup.options.timestep;
  physics.solver = "a quadratic program sequence a step";
  return physics;
}

// Kept out of data files, whose bytes must not depend on the machine.
void add_speed(const manipulation::Report& result, io::Value& value) {
  value["fps"] = result.fps();
  value["step_seconds"] = result.step_seconds;
}

std::string report_text(const manipulation::Report& result) {
  std::string text = fmt::format(
      "{} steps at {:.0f} a second, {} rolled back; equations of motion kept to {:.1e} of the "
      "weight",
      result.frames, result.fps(), result.rollbacks, result.step_residual);
  for (const manipulation::GoalOutcome& goal : result.goals)
    text += fmt::format("\n  {}: {} (error {:.4f})", goal.name, goal.met ? "met" : "missed",
                        goal.error);
  return text;
}

io::Value proof_value(const manipulation::Proof& proof, const manipulation::ProofOptions& options) {
  io::Value value = io::Value::table();
  const manipulation::Stray& worst = proof.worst();
  value["max_m"] = worst.max_m;
  value["end_m"] = worst.end_m;
  value["max_deg"] = degrees(worst.max_rad);
  value["end_deg"] = degrees(worst.end_rad);
  value["max_at_s"] = worst.max_at;
  value["object"] = worst.object;
  value["within_2cm"] = proof.within;
  value["objects"] = io::Value::array();
  for (const manipulation::Stray& stray : proof.strays) {
    io::Value entry = io::Value::table();
    entry["name"] = stray.object;
    entry["max_m"] = stray.max_m;
    entry["end_m"] = stray.end_m;
    entry["max_deg"] = degrees(stray.max_rad);
    entry["end_deg"] = degrees(stray.end_rad);
    if (stray.left_at) entry["left_at_s"] = *stray.left_at;
    value["objects"].push_back(std::move(entry));
  }
  value["feedback"]["arm_share"] = proof.arm_feedback;
  value["feedback"]["finger_share"] = proof.finger_feedback;
  value["feedback"]["stiffness_share"] = options.stiffness_share;
  value["feedback"]["damping_s"] = options.damping_time;
  value["physics"] = physics_value(proof.physics);
  value["message"] = proof.summary.message;
  return value;
}

// Replays the motion under simulation; false: an object strayed farther than it may.
Result<bool> prove(const ManipulateSetup& setup, JobContext& context, ManipulateReport& report) {
  const manipulation::ProofOptions options;
  auto proof = manipulation::prove(setup.problem, report.result, options, context.monitor());
  if (!proof) return proof.error();
  const manipulation::Stray& worst = proof->worst();
  context.report.details["prove"] = proof_value(*proof, options);
  context.print(fmt::format(
      "under simulation: {} strays from the plan by at most {:.1f} mm and {:.1f} degrees, {:.1f} "
      "mm at the end; feedback is {:.0f} % of the arms' torque and {:.0f} % of the fingers'{}",
      worst.object, 1e3 * worst.max_m, degrees(worst.max_rad), 1e3 * worst.end_m,
      100.0 * proof->arm_feedback, 100.0 * proof->finger_feedback,
      proof->within ? "" : ": beyond 20 mm, or the simulation failed"));
  const bool within = proof->within;
  report.proof = std::move(*proof);
  return within;
}

// Of files that show how objects moved, instead of the hands.
constexpr std::string_view kPlotEnding = ".plot.png";

Status write(const ManipulateJob& job, const ManipulateReport& report, JobContext& context) {
  const io::Value data = context.report.details;
  SaveOptions options;
  options.picture = context.picture(job.picture, 960, 720);
  for (const std::string& path : context.settings().outputs) {
    const Status written =
        file_ending(path) == ".json" ? context.write_text(path, io::to_json(data))
        : path.ends_with(kPlotEnding)
            ? context.write_image(path, manipulate_plot(report.result, report.clip.name))
            : context.write_clip(path, report.clip, options);
    if (!written) return written;
  }
  if (report.proof) {
    for (const std::string& path : job.proven)
      if (const Status written = context.write_clip(path, report.proof->clip, options); !written)
        return written;
  }
  context.report_files();
  return {};
}

// A grasp from a file is where the arm would like to be: it may have to take the object otherwise.
constexpr double kOtherwise = 0.03, kOtherwiseTurn = 0.35;  // m, rad of the wrist

void note_other_grips(const ManipulateSetup& setup, const manipulation::Report& result,
                      JobContext& context) {
  const int frame = static_cast<int>(result.task_start * result.clip.frame_rate);
  if (frame >= result.clip.frame_count()) return;
  const ClipMoment at = moment_of(result.clip, frame);
  for (const int g : setup.grasp_grips) {
    const manipulation::GripStyle& grip = setup.problem.grips[static_cast<size_t>(g)];
    const int wrist = setup.problem.arms[static_cast<size_t>(grip.arm)].hand->wrist();
    const Transform wanted = at.objects_world[static_cast<size_t>(grip.object)] * grip.wrist_object;
    const Transform& got =
        at.segments_world[static_cast<size_t>(grip.arm)][static_cast<size_t>(wrist)];
    const double away = (got.position - wanted.position).norm();
    const double turned = got.rotation.angularDistance(wanted.rotation);
    if (away < kOtherwise && turned < kOtherwiseTurn) continue;
    context.note(fmt::format(
        "the arm takes \"{}\" otherwise than the grasp's file: the wrist is {:.0f} mm and {:.0f} "
        "degrees from there; turn the object towards the arm",
        result.clip.objects[static_cast<size_t>(grip.object)].object->name, 1e3 * away,
        degrees(turned)));
  }
}

// Before the long work: files for the simulated motion whose form nobody knows.
Status check_proven(const std::vector<std::string>& files) {
  const std::vector<std::string>& known = clip_endings();
  for (const std::string& file : files)
    if (std::find(known.begin(), known.end(), file_ending(file)) == known.end())
      return Error{fmt::format("--proven {}: should end in one of {}", printable(file, 200),
                               fmt::join(known, " "))};
  return {};
}

Result<Outcome> manipulate(const ManipulateJob& job, JobContext& context,
                           ManipulateReport& report) {
  context.report.inputs = {job.scene};
  if (const Status known = check_proven(job.proven); !known) return known.error();
  auto setup = manipulate_setup(job.scene);
  if (!setup) return setup.error();
  for (const std::string& note : setup->notes) context.note(note);
  setup->options.timestep = job.timestep.value_or(setup->options.timestep);
  setup->options.attenuation = job.attenuation.value_or(setup->options.attenuation);
  if (!(setup->options.timestep >= 1.0 / 480.0 && setup->options.timestep <= 0.1))
    return Error{
        fmt::format("--timestep: {:g} should be from 1/480 to 0.1 s", setup->options.timestep)};
  if (!(setup->options.attenuation >= 0.0 && setup->options.attenuation <= 1.0))
    return Error{
        fmt::format("--attenuation: {:g} should be from 0 to 1", setup->options.attenuation)};
  auto result = manipulation::run(setup->problem, setup->options, context.monitor());
  if (!result) return Error{fmt::format("{}: {}", printable(job.scene, 200), result.message())};
  note_other_grips(*setup, *result, context);
  if (!setup->title.empty()) result->clip.name = setup->title;
  context.report.summary = result->summary;
  context.report.details = report_value(*setup, *result);
  context.report.physics = physics_value(physics_of(*setup));
  const bool interrupted = context.was_interrupted();
  if (interrupted)
    context.note(fmt::format("stopped after {:.2f} s of the scene", result->clip.duration()));
  else
    context.print(report_text(*result));
  bool good = result->summary.termination == Termination::kConverged;
  for (const manipulation::GoalOutcome& goal : result->goals) good = good && goal.met;
  if (!interrupted) {
    audit::AuditOptions options;
    options.floor_height = setup->floor_height;
    const auto audited = audit::audit(result->clip, options, context.monitor());
    if (!audited) return audited.error();
    context.report.audit = audit_value(*audited);
    std::string text = std::string("audit: ") + to_string(audited->verdict);
    for (const std::string& reason : audited->reasons) text += "\n  " + reason;
    context.print(text);
    good = good && audited->verdict == audit::Verdict::kPass;
    report.audit = *audited;
  }
  report.clip = result->clip;
  report.result = std::move(*result);
  if (!interrupted && (job.prove || !job.proven.empty())) {
    const auto proven = prove(*setup, context, report);
    if (!proven) return proven.error();
    good = good && *proven;
  }
  // The first step alone is no motion that would be worth an older file.
  if (!interrupted || report.result.frames > 1)
    if (const Status written = write(job, report, context); !written) return written.error();
  add_speed(report.result, context.report.details);
  if (interrupted || context.stopped()) return Outcome::kInterrupted;
  return good ? Outcome::kDone : Outcome::kMissed;
}

}  // namespace

Result<ManipulateReport> run(const ManipulateJob& job, const Monitor& monitor) {
  JobContext context("manipulate", job.settings, monitor);
  ManipulateReport report;
  const auto outcome = manipulate(job, context, report);
  if (!outcome) return outcome.error();
  static_cast<JobReport&>(report) = context.finish(*outcome);
  return report;
}

}  // namespace prehend::jobs
