#include "prehend/jobs/measure.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "jobs/job_context.h"
#include "jobs/measure_onsets.h"
#include "jobs/measure_perturbation.h"
#include "prehend/core/text.h"
#include "prehend/io/clip_csv.h"
#include "prehend/jobs/compliance_file.h"
#include "prehend/jobs/force_file.h"
#include "prehend/jobs/interaction_file.h"
#include "prehend/jobs/save.h"
#include "prehend/methods/interaction/estimate_forces.h"
#include "prehend/picture/draw.h"
#include "prehend/picture/plot.h"

namespace prehend::jobs {
namespace {

using interaction::Capture;
using interaction::HandCompliance;
using interaction::JointCompliance;
using interaction::Measurement;

// What the subject's instruments add: markers of 0.3 mm on segments of 30 mm, fingertip sensors.
constexpr double kMarkerNoise = 3e-4, kSegment = 0.03, kForceNoise = 0.02;
constexpr int kMostPlots = 12;

struct Captured {
  Capture capture;
  std::optional<interaction::SubjectRun> subject;
};

Result<Captured> simulate(const MeasureJob& job, JobContext& context) {
  interaction::SubjectOptions options;
  options.task = *job.subject;
  options.compliance = job.task;
  options.seed = job.settings.seed;
  options.braced = job.braced;
  if (job.noise) {
    options.angle_noise = std::sqrt(2.0) * kMarkerNoise / kSegment;
    options.position_noise = kMarkerNoise;
    options.force_noise = kForceNoise;
  }
  auto run = interaction::simulate_subject(options, context.monitor());
  if (!run) return run.error();
  context.note(fmt::format("a virtual subject: compliances of {} in the paper's table 1, {}",
                           to_string(job.task),
                           job.noise ? "noisy instruments" : "perfect instruments"));
  return Captured{run->capture, std::move(*run)};
}

io::Value estimated_value(const interaction::EstimatedForces& estimated,
                          const interaction::EstimateOptions& options, double frame_rate) {
  io::Value value;
  value["carried_frames"] = estimated.carried_frames;
  value["explained_fraction"] = estimated.explained_fraction;
  value["gripped_fraction"] = estimated.gripped_fraction;
  value["grip_N"] = options.grip;
  value["contact_distance_m"] = estimated.contact_distance;
  value["corrected_rad"] = estimated.corrected_rad;
  value["corrected_m"] = estimated.corrected_m;
  value["on_stand"] = estimated.on_stand;
  value["stretches"] = io::Value::array();
  for (const interaction::CarriedStretch& stretch : estimated.stretches)
    value["stretches"].push_back(std::vector<double>{
        stretch.first / frame_rate, stretch.highest / frame_rate, stretch.last / frame_rate});
  return value;
}

Result<Captured> load(const MeasureJob& job, JobContext& context) {
  auto loaded = load_clips(job.inputs, job.load);
  if (!loaded) return loaded.error();
  for (const std::string& note : loaded->notes) context.note(note);
  if (loaded->clip.hands.empty())
    return Error{printable(job.inputs[0], 200) + ": no hand moves in it"};
  auto capture = interaction::capture_of(loaded->clip, 0);
  if (!capture) return capture.error();
  if (job.estimate_forces) {
    interaction::EstimateOptions options;
    options.grip = job.grip.value_or(options.grip);
    if (!(options.grip >= 0.0 && options.grip <= 50.0))
      return Error{fmt::format("--grip: {:g} N should be from 0 to 50", options.grip)};
    auto estimated = interaction::estimate_forces(loaded->clip, 0, options, context.monitor());
    if (!estimated)
      return Error{fmt::format("{}: {}", printable(job.inputs[0], 200), estimated.message())};
    context.report.details["estimated"] =
        estimated_value(*estimated, options, loaded->clip.frame_rate);
    context.note(fmt::format("forces are estimated: {}, with an assumed grip of {:g} N",
                             estimated->summary.message, options.grip));
    return Captured{std::move(estimated->capture), {}};
  }
  if (!job.forces.empty()) {
    capture->channels.clear();
    if (const Status read = read_forces(job.forces, *capture); !read) return read.error();
  }
  if (const Status good = interaction::validate(*capture); !good)
    return Error{fmt::format("{}: {}", printable(job.inputs[0], 200), good.message())};
  if (job.offset) {
    interaction::shift_forces(*capture, -*job.offset);
  } else if (!job.forces.empty()) {
    if (const auto found = interaction::clock_offset(*capture)) {
      interaction::shift_forces(*capture, *found);
      context.note(fmt::format("the forces' clock was moved by {:.0f} ms; --offset says otherwise",
                               1e3 * *found));
    }
  }
  return Captured{std::move(*capture), {}};
}

io::Value joint_value(const JointCompliance& joint) {
  io::Value value;
  value["name"] = joint.name;
  value["compliance"] = joint.compliance;
  value["low"] = joint.low;
  value["high"] = joint.high;
  value["spread"] = joint.spread;
  value["events"] = joint.events;
  value["discarded"] = joint.discarded.empty() ? io::Value::array() : io::Value(joint.discarded);
  return value;
}

std::string table_text(const Measurement& measured, const HandCompliance* truth) {
  std::string text = fmt::format("{:<28}{:>11}{:>9}{:>9}{:>8}{:>11}\n", "joint", "rad/(N m)", "low",
                                 "high", "events", "discarded");
  for (const JointCompliance& joint : measured.joints) {
    text += fmt::format("{:<28}{:>11.4f}{:>9.4f}{:>9.4f}{:>8}{:>11}", joint.name, joint.compliance,
                        joint.low, joint.high, joint.events, joint.discarded.size());
    if (truth) {
      const double t =
          joint.direction < 6 ? truth->root[joint.direction] : truth->joints[joint.direction - 6];
      text += fmt::format("   true {:.4f}", t);
      if (joint.events > 0)
        text += fmt::format(" ({:+.1f} %)", 100.0 * (joint.compliance / t - 1.0));
    }
    text += "\n";
  }
  return text + fmt::format("{}; damping over stiffness {:.0f} ms", measured.summary.message,
                            1e3 * measured.damping_time);
}

// Figure 3 for one estimate: the angle, the polynomials and the reference around the contact.
picture::Image event_plot(const Capture& capture, const Measurement& measured,
                          const interaction::ContactEvent& event,
                          const interaction::EventEstimate& e, const Eigen::MatrixXd& torques) {
  picture::Plot plot;
  plot.title = fmt::format("{} at {:.3f} s: {:.3f} rad/(N m){}",
                           interaction::direction_name(*capture.hand, e.direction), event.time,
                           e.compliance, e.discarded.empty() ? "" : ", discarded");
  plot.x_label = "time after contact, ms";
  plot.y_label = "angle, degrees";
  picture::Series angle{.name = "angle"}, reference{.name = "reference"}, before{.name = "before"},
      after{.name = "after"}, torque{.name = "torque, 10 N mm"};
  const double from = event.time - 0.1, to = event.time + 0.12;
  for (int f = std::max(0, int(from * capture.frame_rate));
       f < std::min(capture.frame_count(), int(to * capture.frame_rate)); ++f) {
    const double time = f / capture.frame_rate, ms = 1e3 * (time - event.time);
    angle.x.push_back(ms);
    angle.y.push_back(degrees(capture.coordinates[f][e.direction - 6]));
    reference.x.push_back(ms);
    reference.y.push_back(degrees(measured.trajectory.coordinates[f][e.direction - 6]));
    before.x.push_back(ms);
    before.y.push_back(degrees(e.before.value(time)));
    if (ms > 20.0) {
      after.x.push_back(ms);
      after.y.push_back(degrees(e.after.value(time)));
    }
    torque.x.push_back(ms);
    torque.y.push_back(degrees(e.before.value(event.time)) + 100.0 * torques(e.direction, f));
  }
  plot.series = {angle, reference, before, after, torque};
  plot.marks = {{0.0, "contact"}};
  plot.width = 760;
  plot.height = 400;
  return picture::draw_plot(plot);
}

picture::Image event_sheet(const Capture& capture, const Measurement& measured) {
  const Eigen::MatrixXd torques = interaction::contact_torques(capture);
  std::vector<picture::Image> images;
  for (const auto& event : measured.events)
    for (const auto& e : event.estimates)
      if (e.direction >= 6 && e.before.residual + e.after.residual > 0.0 &&
          static_cast<int>(images.size()) < kMostPlots)
        images.push_back(event_plot(capture, measured, event, e, torques));
  if (images.empty()) images.push_back(picture::draw_plot({.title = "no contact to show"}));
  return picture::compose_sheet(images, {}, {.columns = 3});
}

Status write_capture(const std::string& folder, const Captured& captured, JobContext& context) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  Clip clip;
  clip.name = captured.capture.name;
  clip.frame_rate = captured.capture.frame_rate;
  HandTrack track{captured.capture.hand, {}};
  for (int f = 0; f < captured.capture.frame_count(); ++f)
    track.poses.push_back(pose_from_coordinates(*track.hand, captured.capture.roots_world[f],
                                                captured.capture.coordinates[f]));
  clip.hands.push_back(std::move(track));
  const auto files = io::write_clip_csv(folder + "/motion.csv", clip);
  if (!files) return files.error();
  if (const Status done = write_forces(folder + "/forces.csv", captured.capture); !done)
    return done;
  context.print("wrote " + folder + "/motion.csv and forces.csv");
  return {};
}

Status write(const MeasureJob& job, const Captured& captured, const Measurement& measured,
             const std::string& path, JobContext& context) {
  const std::string ending = file_ending(path);
  if (ending == ".json") {
    const Status written = path.ends_with(kComplianceEnding)
                               ? write_compliances(path, named_compliances(measured.trajectory))
                               : write_interaction(path, measured.trajectory);
    if (written) context.wrote(path);
    return written;
  }
  if (ending == ".png") return context.write_image(path, event_sheet(captured.capture, measured));
  if (!captured.subject)
    return Error{printable(path, 200) + ": only a virtual subject has a clip to write"};
  SaveOptions save;
  save.picture = context.picture(job.picture, 960, 720);
  return context.write_clip(path, captured.subject->clip, save);
}

Result<HandCompliance> assumed_compliance(const MeasureJob& job, const Capture& capture) {
  if (job.compliance.empty()) return interaction::typical_compliance(*capture.hand, job.task);
  const auto joints = load_compliances(job.compliance);
  if (!joints) return joints.error();
  return compliance_for(*capture.hand, *joints,
                        interaction::typical_compliance(*capture.hand, job.task), job.compliance);
}

Result<Outcome> measure(const MeasureJob& job, JobContext& context, MeasureReport& result) {
  if (!job.onsets.empty()) return measure_onsets(job, context);
  if (!job.subject && job.inputs.empty() && !job.forces.empty())
    return Error{printable(job.forces, 200) +
                 ": forces without motion; give joint angles too (BVH, CSV or GLB), or --onsets"};
  if (job.subject.has_value() == !job.inputs.empty())
    return Error{"measure takes a capture or --subject, one of them"};
  if (job.braced && job.subject != interaction::SubjectTask::kPerturb)
    return Error{"--braced is for --subject perturb"};
  context.report.inputs = job.inputs;
  if (!job.forces.empty()) context.report.inputs.push_back(job.forces);
  const auto captured = job.subject ? simulate(job, context) : load(job, context);
  if (!captured) return captured.error();
  if (context.stopped()) {
    context.interrupted("stopped before there was anything to measure");
    return Outcome::kInterrupted;
  }
  const Capture& capture = captured->capture;
  auto assumed = assumed_compliance(job, capture);
  if (!assumed) return assumed.error();
  if (job.subject && job.braced) assumed->root.setZero();
  if (job.perturbation) return measure_perturbation(job, capture, *assumed, context);
  Measurement measured;
  if (job.assumed_only || job.estimate_forces) {
    measured.trajectory = interaction::reference_trajectory(capture, *assumed);
    measured.summary.message = "compliances are assumed";
  } else {
    auto found = interaction::measure(capture, *assumed, job.options);
    if (!found) return found.error();
    measured = std::move(*found);
  }
  io::Value& details = context.report.details;
  details["joints"] = io::Value::array();
  for (const JointCompliance& joint : measured.joints)
    details["joints"].push_back(joint_value(joint));
  details["contacts"] = static_cast<int>(measured.events.size());
  details["compliance_measured"] = measured.trajectory.compliance_measured;
  details["duration_s"] = capture.duration();
  details["damping_time_s"] = measured.damping_time;
  if (job.subject == interaction::SubjectTask::kBox) {
    details["subject"]["grip_force_N"] = captured->subject->grip_force;
    details["subject"]["held"] = captured->subject->held;
    context.print(fmt::format("the subject's grip: {:.2f} N, {}", captured->subject->grip_force,
                              captured->subject->held ? "held" : "not held"));
  }
  context.report.summary = measured.summary;
  context.print(table_text(measured, captured->subject ? &captured->subject->compliance : nullptr));
  if (!job.capture_folder.empty())
    if (const Status done = write_capture(job.capture_folder, *captured, context); !done)
      return done.error();
  for (const std::string& path : context.settings().outputs) {
    if (const Status done = write(job, *captured, measured, path, context); !done)
      return done.error();
  }
  context.report_files();
  const bool missed = measured.summary.termination == Termination::kFailed;
  result.measurement = std::move(measured);
  return missed ? Outcome::kMissed : Outcome::kDone;
}

}  // namespace

Result<MeasureReport> run(const MeasureJob& job, const Monitor& monitor) {
  JobContext context("measure", job.settings, monitor);
  MeasureReport report;
  const auto outcome = measure(job, context, report);
  if (!outcome) return outcome.error();
  static_cast<JobReport&>(report) = context.finish(*outcome);
  return report;
}

}  // namespace prehend::jobs
