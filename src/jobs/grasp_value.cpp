#include "jobs/grasp_value.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "jobs/physics_value.h"
#include "prehend/io/skin_asset.h"
#include "prehend/picture/clip_picture.h"
#include "prehend/picture/draw.h"

namespace prehend::jobs {
namespace {

using grasp_space::Grasp;

// People read this many lines; the rest is in the report.
constexpr std::size_t kMostLines = 20;

io::Value quaternion(const Quat& q) { return std::vector<double>{q.w(), q.x(), q.y(), q.z()}; }

io::Value transform_value(const Transform& transform) {
  io::Value value = io::Value::table();
  value["position"] = transform.position;
  value["rotation"] = quaternion(transform.rotation);
  return value;
}

// OpenXR's joints: turned against their parents as in the pose, and where they are.
io::Value joints_value(const Hand& hand, const HandPose& pose) {
  io::Value value = io::Value::table();
  const auto frames = xr_frames(hand, pose);
  for (int j = 0; j < kXrJointCount; ++j) {
    if (hand.xr_segments[j] < 0) continue;
    const int parent = std::max(0, xr_joint_parent(j));
    io::Value joint = io::Value::table();
    joint["position"] = frames[j].position;
    joint["rotation"] = quaternion(
        j == 0 ? frames[0].rotation : frames[parent].rotation.conjugate() * frames[j].rotation);
    value[xr_joint_names()[j]] = std::move(joint);
  }
  return value;
}

io::Value touches_value(const Hand& hand, const Grasp& grasp) {
  io::Value value = io::Value::array();
  for (std::size_t i = 0; i < grasp.touches.size(); ++i) {
    io::Value touch = io::Value::table();
    touch["segment"] = hand.segments[grasp.touches[i].segment].name;
    touch["point"] = grasp.touches[i].point;
    touch["normal"] = grasp.touches[i].normal;
    touch["force_N"] = grasp.forces[i];
    value.push_back(std::move(touch));
  }
  return value;
}

// The joints in the order of coordinates, and the servos that move them: torque = stiffness times
// the angle still to go, at most max_torque, minus damping times the rate.
io::Value servos_value(const GraspSetup& setup, const grasp_space::GraspReport& report) {
  const Hand& hand = *setup.problem.hand;
  const physics::GraspServos servos = physics::grasp_servos(hand, setup.options.proof);
  io::Value value = io::Value::array();
  int coordinate = 0;
  for (int s = 0; s < hand.segment_count(); ++s) {
    const Segment& segment = hand.segments[s];
    const std::size_t moving = report.proven_hand->segments[s].joints.size();
    for (const Joint& joint : segment.joints) {
      const auto& kept = report.proven_hand->segments[s].joints;
      const bool moves = std::any_of(kept.begin(), kept.end(),
                                     [&](const Joint& k) { return k.name == joint.name; });
      io::Value one = io::Value::table();
      one["joint"] = joint.name;
      one["segment"] = segment.name;
      one["coordinates"] = joint.dof();
      one["held_still"] = moving == 0 || !moves;
      one["stiffness_Nm_per_rad"] = servos.stiffness[coordinate];
      one["max_torque_Nm"] = servos.max_torque[coordinate];
      one["damping_Nms_per_rad"] = servos.stiffness[coordinate] * servos.setup.servo_time;
      one["passive_stiffness_Nm_per_rad"] = joint.passive_stiffness;
      one["passive_damping_Nms_per_rad"] = joint.damping;
      one["target_factor"] = servos.overshoot[coordinate];
      value.push_back(std::move(one));
      coordinate += joint.dof();
    }
  }
  return value;
}

io::Value protocol_value(const physics::GraspProofOptions& proof) {
  io::Value value = io::Value::table();
  value["timestep_s"] = proof.timestep;
  value["phase_steps"] = proof.phase_steps;
  value["push_N_per_kg"] = proof.push_per_mass;
  value["push_s"] = proof.push_seconds;
  value["rest_speed_m_per_s"] = proof.rest_speed;
  value["max_displacement_m"] = proof.max_displacement;
  value["max_rotation_rad"] = proof.max_rotation;
  value["max_penetration_m"] = proof.max_penetration;
  return value;
}

io::Value vector_value(const Eigen::VectorXd& v) { return std::vector<double>(v.begin(), v.end()); }

std::string held_text(const Grasp& grasp, bool verified) {
  return !verified ? "not tried" : grasp.proof.held ? "held" : "lost";
}

// Short enough to stand under a picture; the report has the whole sentence.
std::string margins_label(const Margins& margins) {
  std::string label;
  if (margins.friction.drops) label += fmt::format(", friction {:.2f}", *margins.friction.holds);
  if (margins.mass.drops) label += fmt::format(", {:.2g} kg", *margins.mass.holds);
  if (margins.offset.drops && margins.offset.holds)
    label += fmt::format(", {:.0f} mm beside", 1e3 * *margins.offset.holds);
  if (!margins.spare.empty()) label += fmt::format(", {} digits spare", margins.spare.size());
  return label.empty() ? label : " until" + label.substr(1);
}

}  // namespace

io::Value grasp_value(const Grasp& grasp, bool verified) {
  io::Value value = io::Value::table();
  value["metric"] = grasp.metric;
  value["at_handle"] = grasp.at_handle;
  value["log_likelihood"] = grasp.log_likelihood;
  value["epsilon"] = grasp.epsilon;
  value["naturalness"] = grasp.naturalness;
  value["score"] = grasp.score;
  value["least_grip_force_N"] = grasp.least_grip_force;
  value["held"] = verified ? io::Value(grasp.proof.held) : io::Value();
  value["displacement_m"] = verified ? io::Value(grasp.proof.displacement) : io::Value();
  value["rotation_rad"] = verified ? io::Value(grasp.proof.rotation) : io::Value();
  value["penetration_m"] = grasp.penetration;
  value["contacts"] = static_cast<int>(grasp.touches.size());
  value["reason"] = grasp.proof.reason;
  return value;
}

io::Value stages_value(const grasp_space::GraspReport& report) {
  static constexpr std::array kPassed = {"touching", "natural",   "balanced",
                                         "opening",  "reachable", "strong"};
  static_assert(kPassed.size() + 1 == grasp_space::kGraspStageCount);
  io::Value value = io::Value::table();
  int left = report.candidates;
  value["searched"] = left;
  for (std::size_t i = 0; i < kPassed.size(); ++i) value[kPassed[i]] = left -= report.ended[i];
  value["different"] = report.different;
  value["proven"] = report.proposed;
  value["held"] = report.held;
  return value;
}

io::Value table_value(const GraspSetup& setup) {
  const auto& table = setup.problem.table;
  if (!table) return {};
  io::Value value = io::Value::table();
  value["up_object"] = table->up;
  value["height_m"] = table->height;
  value["stands"] = setup.stands;
  return value;
}

io::Value grasps_value(const GraspSetup& setup, const grasp_space::GraspReport& report) {
  const Hand& hand = *setup.problem.hand;
  const Object& object = *setup.problem.object;
  io::Value value = io::Value::table();
  value["format"] = "prehend-grasps";
  value["version"] = 2;
  value["object"]["name"] = object.name;
  value["object"]["mass_kg"] = object.mass;
  value["object"]["friction"] = object.friction;
  value["object"]["mass_from"] = setup.mass_from;
  value["table"] = table_value(setup);
  value["physics"] = physics_value(report.physics);
  value["protocol"] = protocol_value(setup.options.proof);
  value["hand"]["name"] = hand.name;
  value["hand"]["side"] = to_string(hand.side);
  value["hand"]["profile"] = hand.profile;
  value["hand"]["length_m"] = hand.length;
  value["hand"]["servos"] = servos_value(setup, report);
  value["grasps"] = io::Value::array();
  for (const Grasp& grasp : report.grasps) {
    io::Value one = grasp_value(grasp, setup.options.verify);
    one["wrist_object"] = transform_value(xr_frames(hand, grasp.pose)[0]);
    one["root_object"] = transform_value(grasp.plan.root_object);
    one["pregrasp_root_object"] = transform_value(grasp.plan.pregrasp_root);
    one["pregrasp_rad"] = vector_value(grasp.plan.pregrasp);
    one["coordinates_rad"] = vector_value(grasp.plan.grasp);
    one["squeeze_rad"] = vector_value(grasp.plan.squeeze);
    one["joints"] = joints_value(hand, grasp.pose);
    one["touches"] = touches_value(hand, grasp);
    value["grasps"].push_back(std::move(one));
  }
  return value;
}

std::string grasps_text(const GraspSetup& setup, const grasp_space::GraspReport& report) {
  std::string text = fmt::format("{}: {} of {} proposed grasps {}, from {} searches in {:.1f} s\n",
                                 setup.problem.object->name, report.held, report.proposed,
                                 setup.options.verify ? "hold" : "are kept, none tried",
                                 report.candidates, report.seconds);
  text += fmt::format("{}, {:.3g} kg ({})\n",
                      setup.problem.table ? "on a table, " + setup.stands : "in the air",
                      setup.problem.object->mass, setup.mass_from);
  if (report.grasps.empty()) return text;
  text += fmt::format("{:>4}  {:<9}{:>8}{:>9}{:>9}{:>10}{:>9}{:>11}{:>10}\n", "", "proof", "metric",
                      "epsilon", "grip N", "moved mm", "turned°", "inside mm", "contacts");
  for (std::size_t i = 0; i < std::min(kMostLines, report.grasps.size()); ++i) {
    const Grasp& g = report.grasps[i];
    text += fmt::format("{:>4}  {:<9}{:>8.1f}{:>9.3f}{:>9.2f}{:>10.1f}{:>8.1f}{:>11.2f}{:>10}\n",
                        i + 1, held_text(g, setup.options.verify), g.metric, g.epsilon,
                        g.least_grip_force, 1e3 * g.proof.displacement, degrees(g.proof.rotation),
                        1e3 * g.penetration, g.touches.size());
  }
  if (report.grasps.size() > kMostLines)
    text += fmt::format("      and {} more\n", report.grasps.size() - kMostLines);
  return text;
}

Clip grasp_still(const GraspSetup& setup, const Grasp& grasp) {
  Clip clip;
  clip.name = setup.problem.object->name;
  HandPose pose = grasp.pose;
  pose.root_world = setup.object_world * pose.root_world;
  clip.hands.push_back({setup.problem.hand, {pose}});
  clip.objects.push_back({setup.problem.object, {setup.object_world}});
  std::vector<Contact>& contacts = clip.contacts.emplace_back();
  for (std::size_t i = 0; i < grasp.touches.size(); ++i) {
    Contact contact;
    contact.by = ContactSide::hand(0, grasp.touches[i].segment);
    contact.on = ContactSide::object(0);
    contact.point_on = grasp.touches[i].point;
    contact.normal_world = setup.object_world.turn(grasp.touches[i].normal);
    contact.force_world = setup.object_world.turn(grasp.forces[i]);
    contacts.push_back(contact);
  }
  clip.forces_recorded = true;
  return clip;
}

picture::Image grasps_picture(const GraspSetup& setup, const grasp_space::GraspReport& report,
                              const std::vector<Margins>& margins,
                              const picture::PictureOptions& options, int most) {
  std::vector<picture::Image> images;
  std::vector<std::string> labels;
  for (const Grasp& grasp : report.grasps) {
    if (static_cast<int>(images.size()) >= most) break;
    const Clip clip = grasp_still(setup, grasp);
    const picture::ClipPainter painter(clip, {.skin = io::generic_hand_skin});
    picture::PictureOptions picture = options;
    picture.camera =
        painter.framed(picture.camera, double(picture.width) / picture.height, 0.0, 0.0);
    images.push_back(picture::render(painter.scene(0.0), picture));
    if (images.back().empty()) return {};
    std::string label = fmt::format("{} {}", images.size(), held_text(grasp, setup.options.verify));
    if (setup.options.verify && images.size() > margins.size()) {
      label += fmt::format(", moved {:.1f} mm {:.0f}°", 1e3 * grasp.proof.displacement,
                           degrees(grasp.proof.rotation));
    }
    if (images.size() <= margins.size())
      label += margins_label(margins[images.size() - 1]);
    else
      label += fmt::format(", epsilon {:.2f}, metric {:.0f}", grasp.epsilon, grasp.metric);
    labels.push_back(label);
  }
  picture::SheetOptions sheet;
  sheet.label_size = 10.0;
  sheet.title = setup.problem.object->name;
  return picture::compose_sheet(images, labels, sheet);
}

}  // namespace prehend::jobs
