#include "prehend/jobs/replay.h"

#include <algorithm>

#include <fmt/format.h>

#include "jobs/audit_value.h"
#include "jobs/data_value.h"
#include "jobs/job_context.h"
#include "jobs/moments.h"
#include "jobs/physics_value.h"
#include "jobs/replay_setup.h"
#include "prehend/core/text.h"
#include "prehend/jobs/load.h"
#include "prehend/picture/draw.h"
#include "prehend/picture/plot.h"

namespace prehend::jobs {
namespace {

using interaction::ReplayReport;

constexpr int kSheet = 8;  // moments of a picture

const char* word(interaction::GripAdjustment grip) {
  switch (grip) {
    case interaction::GripAdjustment::kNone:
      return "none";
    case interaction::GripAdjustment::kAfterSlip:
      return "after-slip";
    case interaction::GripAdjustment::kAnticipated:
      return "anticipated";
  }
  return "";
}

io::Value details(const ReplaySetup& setup, const ReplayReport& report) {
  io::Value value;
  value["steps"] = report.steps;
  value["solved_fraction"] = report.steps > 0 ? double(report.solved) / report.steps : 0.0;
  value["max_complementarity"] = report.max_complementarity;
  value["equilibrium_error_rad"] = report.equilibrium_error_rad;
  value["mean_equilibrium_error_rad"] = report.mean_equilibrium_error_rad;
  value["held"] = report.held ? io::Value(*report.held) : io::Value();
  if (report.fell_at) value["fell_at_s"] = *report.fell_at;
  value["slip_m"] = report.slip_m;
  value["grip_force_N"] = report.grip_force;
  value["lifted_m"] = report.lifted_m;
  value["turned_deg"] = degrees(report.turned_rad);
  value["mean_contacts"] = report.mean_contacts;
  value["guessed_fraction"] = report.guessed_fraction;
  value["compliance_share"] =
      report.grip.compliance_share.empty() ? 1.0 : report.grip.compliance_share.back();
  value["compliance_measured"] = setup.problem.trajectory.compliance_measured;
  value[kWallClock] = report.processor_seconds > 0.0
                          ? report.steps * setup.options.timestep / report.processor_seconds
                          : 0.0;
  return value;
}

// A hand without inertia whose wrist is a spring of its own compliance; skin does not meet skin.
io::Value physics_of(const ReplaySetup& setup) {
  physics::PhysicsInForce force;
  for (const interaction::ReplayObject& object : setup.problem.objects)
    if (!object.object->object().fixed && !force.friction)
      force.friction = object.object->object().friction;
  force.torsional_friction = 0.0;
  force.wrist_strength = physics::RootStrength::unlimited();
  force.timestep = setup.options.timestep;
  force.solver =
      fmt::format("the last active set, else Lemke's method, to 1e-9; pyramids of {} edges",
                  setup.options.pyramid_edges);
  io::Value value = physics_value(force);
  value["grip"] = word(setup.options.grip);
  return value;
}

std::string text(const ReplaySetup& setup, const ReplayReport& report) {
  std::string lines = fmt::format(
      "{} steps of {:g} ms, {} solved, complementarity {:.1e}, {:.0f} times real time\n"
      "equilibrium error at most {:.2f}°, {:.1f} contacts on average, farthest slide {:.1f} mm",
      report.steps, 1e3 * setup.options.timestep, report.solved, report.max_complementarity,
      report.steps * setup.options.timestep / std::max(1e-9, report.processor_seconds),
      degrees(report.equilibrium_error_rad), report.mean_contacts, 1e3 * report.slip_m);
  if (report.held)
    lines += fmt::format("\n{}: grip {:.2f} N at the end, lifted {:.0f} mm, turned {:.0f}°",
                         *report.held ? "held" : "not held", report.grip_force,
                         1e3 * report.lifted_m, degrees(report.turned_rad));
  return lines;
}

// Figure 14: normal force and ratio of tangential to normal force, by digit.
picture::Image grip_plot(const ReplaySetup& setup, const ReplayReport& report) {
  std::vector<picture::Image> images;
  for (const bool ratio : {false, true}) {
    picture::Plot plot;
    plot.title = setup.title.empty() ? "grip" : setup.title;
    plot.x_label = "time, s";
    plot.y_label = ratio ? "tangential over normal force" : "normal force, N";
    for (const Digit digit : kDigits) {
      const auto& values = (ratio ? report.grip.ratio : report.grip.normal_force)[int(digit)];
      if (std::all_of(values.begin(), values.end(), [](double x) { return x == 0.0; })) continue;
      plot.series.push_back({.name = to_string(digit), .x = report.grip.time, .y = values});
    }
    picture::Series extra;
    extra.x = report.grip.time;
    if (ratio) {
      double friction = 0.0;
      for (const auto& object : setup.problem.objects)
        if (!object.object->object().fixed) friction = object.object->object().friction;
      extra.name = "friction";
      extra.y.assign(extra.x.size(), friction);
    } else {
      extra.name = "share of compliance";
      extra.y = report.grip.compliance_share;
    }
    plot.series.push_back(std::move(extra));
    images.push_back(picture::draw_plot(plot));
  }
  return picture::compose_sheet(images, {}, {.columns = 2});
}

Status write(const ReplayJob& job, const ReplaySetup& setup, const ReplayReport& report,
             const std::string& path, JobContext& context) {
  const std::string ending = file_ending(path);
  if (ending == ".json") return context.write_text(path, io::to_json(data_value(context.report)));
  if (path.ends_with(".grip.png")) return context.write_image(path, grip_plot(setup, report));
  if (ending == ".png") {
    std::vector<Moment> moments;
    for (int i = 0; i < kSheet; ++i) {
      const double time = report.clip.duration() * i / (kSheet - 1.0);
      moments.push_back({time, fmt::format("{:.2f} s", time)});
    }
    const auto picture = context.picture(job.picture, 420, 340);
    return context.write_image(path,
                               moments_picture(report.clip, moments, picture, context.monitor()));
  }
  SaveOptions save;
  save.picture = context.picture(job.picture, 960, 720);
  return context.write_clip(path, report.clip, save);
}

// The same with stiffer and with softer joints: what the compliances' bounds mean for the grip.
Status add_uncertainty(const ReplaySetup& setup, JobContext& context) {
  double forces[2] = {};
  for (const bool high : {false, true}) {
    interaction::ReplayProblem problem = setup.problem;
    problem.trajectory.compliance = high ? problem.trajectory.high : problem.trajectory.low;
    const auto other = run_replay(problem, setup.options, context.monitor());
    if (!other) return other.error();
    context.report.details[high ? "grip_force_high_compliance_N" : "grip_force_low_compliance_N"] =
        forces[high] = other->grip_force;
  }
  context.print(
      fmt::format("grip {:.2f} N with the stiffest joints within the bounds, {:.2f} N with "
                  "the softest",
                  forces[0], forces[1]));
  return {};
}

Result<Outcome> replay(const ReplayJob& job, JobContext& context, ReplayJobReport& result) {
  const auto setup = replay_setup(job);
  if (!setup) return setup.error();
  context.report.inputs = setup->inputs;
  for (const std::string& note : setup->notes) context.note(note);
  auto report = interaction::run_replay(setup->problem, setup->options, context.monitor());
  if (!report) return Error{fmt::format("{}: {}", printable(job.input, 200), report.message())};
  if (!setup->title.empty()) report->clip.name = setup->title;
  context.report.summary = report->summary;
  context.report.details = details(*setup, *report);
  context.report.physics = physics_of(*setup);
  context.report.details["clip"] = clip_value(report->clip);
  if (context.was_interrupted())
    context.note(fmt::format("stopped after {:.2f} s of the scene", report->clip.duration()));
  else
    context.print(text(*setup, *report));
  if (!setup->problem.trajectory.compliance_measured)
    context.note("the compliances are assumed, not measured");
  if (!context.was_interrupted()) {
    audit::AuditOptions options;
    options.floor_height = setup->problem.floor_height;
    const auto audited = audit::audit(report->clip, options, context.monitor());
    if (!audited) return audited.error();
    context.report.audit = audit_value(*audited);
    result.audit = *audited;
    std::string line = std::string("audit: ") + to_string(audited->verdict);
    for (const std::string& reason : audited->reasons) line += "\n  " + reason;
    context.print(line);
    if (job.uncertainty)
      if (const Status added = add_uncertainty(*setup, context); !added) return added.error();
  }
  for (const std::string& path : context.settings().outputs) {
    if (report->steps == 0) break;
    if (const Status written = write(job, *setup, *report, path, context); !written)
      return written.error();
  }
  context.report_files();
  result.replay = std::move(*report);
  return result.replay.solved == result.replay.steps ? Outcome::kDone : Outcome::kMissed;
}

}  // namespace

Result<ReplayJobReport> run(const ReplayJob& job, const Monitor& monitor) {
  JobContext context("replay", job.settings, monitor);
  ReplayJobReport report;
  const auto outcome = replay(job, context, report);
  if (!outcome) return outcome.error();
  static_cast<JobReport&>(report) = context.finish(*outcome);
  return report;
}

}  // namespace prehend::jobs
