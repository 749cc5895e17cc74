#include "jobs/fit_value.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "prehend/picture/draw.h"
#include "prehend/picture/plot.h"

namespace prehend::jobs {
namespace {

using example_control::FitResult;
using example_control::GraspSpan;
using example_control::JointResidual;
using example_control::kPhaseCount;
using example_control::Phase;

struct State {
  Phase phase;
  int first, end;  // frames
};

std::vector<State> states_of(const FitResult& fit) {
  std::vector<State> states;
  for (int f = 0; f < static_cast<int>(fit.phases.size()); ++f) {
    if (states.empty() || states.back().phase != fit.phases[f])
      states.push_back({fit.phases[f], f, f});
    states.back().end = f + 1;
  }
  return states;
}

// Seconds of the recording at which the grasp that was used begins.
double beginning(const FitResult& fit, double start) {
  const int grasp = fit.grasp;
  return grasp < std::ssize(fit.grasps) ? start + fit.grasps[grasp].first / fit.frame_rate : start;
}

// Of all joints together, rad.
double residual_in(const FitResult& fit, Phase phase) {
  double sum = 0.0;
  for (const JointResidual& joint : fit.residuals)
    sum += std::pow(joint.rms[static_cast<int>(phase)], 2);
  return fit.residuals.empty() ? 0.0 : std::sqrt(sum / double(fit.residuals.size()));
}

io::Value residuals_value(const FitResult& fit) {
  io::Value list = io::Value::array();
  for (const JointResidual& joint : fit.residuals) {
    io::Value value = io::Value::table();
    value["joint"] = joint.joint;
    value["all_deg"] = degrees(joint.all);
    for (int p = 0; p < kPhaseCount; ++p) {
      const Phase phase = static_cast<Phase>(p);
      const bool seen = std::find(fit.phases.begin(), fit.phases.end(), phase) != fit.phases.end();
      value["states"][to_string(phase)] = seen ? io::Value(degrees(joint.rms[p])) : io::Value();
    }
    list.push_back(std::move(value));
  }
  return list;
}

std::string worst_joint(const FitResult& fit) {
  std::string name;
  double worst = -1.0;
  for (std::size_t j = 0; j < fit.controller.joints.size(); ++j) {
    const Eigen::Index at = 3 * Eigen::Index(j);
    const double off =
        (fit.example_angles.middleCols(at, 3) - fit.free_angles.middleCols(at, 3)).squaredNorm();
    if (off <= worst) continue;
    worst = off;
    name = fit.controller.joints[j];
  }
  return name;
}

// Flexion turns about -X in every segment.
std::vector<double> flexion_deg(const Eigen::MatrixXd& angles, Eigen::Index joint) {
  std::vector<double> values;
  for (Eigen::Index f = 0; f < angles.rows(); ++f) values.push_back(-degrees(angles(f, 3 * joint)));
  return values;
}

picture::Image joint_panel(const FitResult& fit, const std::string& joint, double from) {
  const auto& joints = fit.controller.joints;
  const auto index = std::find(joints.begin(), joints.end(), joint) - joints.begin();
  picture::Plot plot;
  plot.width = 760;
  plot.height = 330;
  plot.title = fmt::format("{}: {}", fit.controller.name, joint);
  plot.x_label = "time [s]";
  plot.y_label = "flexion [deg]";
  if (index == std::ssize(joints)) return picture::draw_plot(plot);
  std::vector<double> times;
  for (Eigen::Index f = 0; f < fit.example_angles.rows(); ++f)
    times.push_back(from + double(f) / fit.frame_rate);
  plot.series = {{"example", times, flexion_deg(fit.example_angles, index)},
                 {"controller", times, flexion_deg(fit.free_angles, index)}};
  for (const State& state : states_of(fit))
    plot.marks.push_back({from + state.first / fit.frame_rate, to_string(state.phase)});
  return picture::draw_plot(plot);
}

// The fitted hand through the angles, its wrist along the example's path.
HandTrack track_of(const FitResult& fit, const Eigen::MatrixXd& angles, const std::string& name,
                   const Vec3& aside) {
  Hand hand = *fit.hand;
  hand.name = name;
  HandTrack track{std::make_shared<const Hand>(std::move(hand)), {}};
  const auto& wrists = fit.controller.path.wrist_world;
  const Eigen::Index frames = std::min<Eigen::Index>(angles.rows(), std::ssize(wrists));
  for (Eigen::Index f = 0; f < frames; ++f) {
    HandPose pose = pose_from_coordinates(*track.hand, {}, angles.row(f));
    Transform wrist = wrists[f];
    wrist.position += aside;
    place_wrist(*track.hand, wrist, pose);
    track.poses.push_back(std::move(pose));
  }
  return track;
}

}  // namespace

io::Value grasps_found_value(const std::vector<GraspSpan>& grasps, double frame_rate,
                             double start) {
  io::Value list = io::Value::array();
  for (const GraspSpan& grasp : grasps) {
    io::Value value = io::Value::table();
    value["start_s"] = start + grasp.first / frame_rate;
    value["grip_s"] = start + grasp.grip / frame_rate;
    value["release_s"] = start + grasp.release / frame_rate;
    value["end_s"] = start + grasp.last / frame_rate;
    value["whole"] = grasp.whole();
    value["suitable"] = grasp.suitable();
    std::vector<std::string> why;
    for (const auto reason : grasp.why) why.push_back(to_string(reason));
    value["why"] = why;
    list.push_back(std::move(value));
  }
  return list;
}

std::string grasps_found_text(const std::vector<GraspSpan>& grasps, double frame_rate,
                              double start) {
  std::string text = "grasp    from    grip  release      to   suitable";
  const int best = grasps.empty() ? -1 : example_control::best_grasp(grasps);
  for (std::size_t i = 0; i < grasps.size(); ++i) {
    const GraspSpan& g = grasps[i];
    const auto at = [&](int frame) { return start + frame / frame_rate; };
    std::vector<std::string> words;
    for (const auto reason : g.why) words.push_back(to_string(reason));
    if (g.suitable() && !g.goes) words.push_back("does not go");
    if (int(i) == best) words.push_back("taken unless --grasp says otherwise");
    text += fmt::format("\n{:>5} {:>7.2f} {:>7.2f} {:>8.2f} {:>7.2f} s {:<3} {}", i, at(g.first),
                        at(g.grip), at(g.release), at(g.last), g.suitable() ? "yes" : "no",
                        words.empty() ? "" : fmt::format(" ({})", fmt::join(words, "; ")));
    text.erase(text.find_last_not_of(' ') + 1);
  }
  return text;
}

io::Value fit_value(const FitResult& fit, double start) {
  const auto& controller = fit.controller;
  const double from = beginning(fit, start);
  io::Value value = io::Value::table();
  value["name"] = controller.name;
  value["side"] = to_string(controller.side);
  value["hand_length_m"] = controller.hand_length;
  value["free_rms_deg"] = degrees(fit.free_rms);
  value["free_joint_rms_deg"] = degrees(fit.free_joint_rms);
  value["worst_joint_rms_deg"] = degrees(fit.worst_joint_rms);
  value["worst_joint"] = worst_joint(fit);
  const auto handling = std::count(fit.learned.begin(), fit.learned.end(), 0);
  value["handling_s"] = double(handling) / fit.frame_rate;
  value["handling_joint_rms_deg"] = degrees(fit.handling_joint_rms);
  value["d1_m"] = controller.distances.near;
  value["d2_m"] = controller.distances.far;
  value["stiffness"] = controller.gains.stiffness;
  value["damping"] = controller.gains.damping;
  value["limit_stiffness"] = controller.gains.limit_stiffness;
  value["grip_distance_m"] = controller.grip_distance;
  value["frames"] = static_cast<int>(fit.phases.size());
  value["frame_rate"] = fit.frame_rate;
  value["states"] = io::Value::array();
  for (const State& state : states_of(fit)) {
    io::Value entry = io::Value::table();
    entry["state"] = to_string(state.phase);
    entry["start_s"] = from + state.first / fit.frame_rate;
    entry["end_s"] = from + state.end / fit.frame_rate;
    entry["residual_deg"] = degrees(residual_in(fit, state.phase));
    value["states"].push_back(std::move(entry));
  }
  value["residuals"] = residuals_value(fit);
  value["grasps"] = grasps_found_value(fit.grasps, fit.frame_rate, start);
  value["grasp"] = fit.grasp;
  return value;
}

std::string fit_text(const FitResult& fit, double start) {
  const auto& controller = fit.controller;
  const double from = beginning(fit, start);
  std::string text = fmt::format(
      "{}: {} hand of {:.3f} m, grasp {} (of {}, from 0), D1 = {:.3f} m, D2 = {:.3f} m\n"
      "free motion {:.2f} deg RMS from the example, {:.2f} at its worst ({})\n"
      "state         from      to   residual",
      controller.name, to_string(controller.side), controller.hand_length, fit.grasp,
      fit.grasps.size(), controller.distances.near, controller.distances.far, degrees(fit.free_rms),
      degrees(fit.worst_joint_rms), worst_joint(fit));
  for (const State& state : states_of(fit)) {
    text += fmt::format("\n{:<10} {:>7.2f} {:>7.2f} s {:>6.2f} deg", to_string(state.phase),
                        from + state.first / fit.frame_rate, from + state.end / fit.frame_rate,
                        degrees(residual_in(fit, state.phase)));
  }
  return text;
}

picture::Image fit_picture(const std::vector<FitResult>& fits, double start) {
  static constexpr std::array<const char*, 6> kJoints = {"thumb-proximal",  "thumb-distal",
                                                         "index-proximal",  "index-intermediate",
                                                         "middle-proximal", "middle-intermediate"};
  std::vector<picture::Image> panels;
  for (const FitResult& fit : fits)
    for (const char* joint : kJoints)
      panels.push_back(joint_panel(fit, joint, beginning(fit, start)));
  picture::SheetOptions sheet;
  sheet.columns = 2;
  return picture::compose_sheet(panels, {}, sheet);
}

Clip fit_clip(const FitResult& fit, const Clip& example, int object) {
  const Vec3 aside(1.5 * fit.hand->length, 0.0, 0.0);
  Clip clip;
  clip.name = fit.controller.name;
  clip.frame_rate = fit.frame_rate;
  clip.hands = {track_of(fit, fit.example_angles, "example", Vec3::Zero()),
                track_of(fit, fit.free_angles, "controller", aside)};
  if (object < 0) return clip;
  ObjectTrack there{example.objects[object].object, fit.controller.path.target_world};
  there.poses_world.resize(clip.hands[0].poses.size());
  clip.objects = {there, there};
  for (Transform& pose : clip.objects[1].poses_world) pose.position += aside;
  return clip;
}

}  // namespace prehend::jobs
