#include "jobs/detail_value.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "jobs/audit_value.h"

namespace prehend::jobs {
namespace {

using contact_sampling::HandContact;
using contact_sampling::kDeadEndCount;
using contact_sampling::Solution;

std::string part_name(const Clip& clip, const HandContact& contact) {
  const Hand& hand = *clip.hands[contact.hand].hand;
  const std::string digit =
      contact.digit == Digit::kNone ? std::string("palm") : to_string(contact.digit);
  return clip.hands.size() > 1 ? fmt::format("{} {}", to_string(hand.side), digit) : digit;
}

// When each digit touches, how hard it pushes at most.
io::Value contacts_value(const Solution& solution) {
  struct Touch {
    int first = 0, last = 0;
    double strongest = 0.0;
  };
  std::map<std::string, Touch> touches;
  for (std::size_t f = 0; f < solution.contacts.size(); ++f) {
    for (const HandContact& contact : solution.contacts[f]) {
      const auto [found, made] = touches.try_emplace(part_name(solution.clip, contact));
      Touch& touch = found->second;
      if (made) touch.first = static_cast<int>(f);
      touch.last = static_cast<int>(f);
      touch.strongest = std::max(touch.strongest, contact.force_world.norm());
    }
  }
  io::Value list = io::Value::array();
  for (const auto& [name, touch] : touches) {
    io::Value one = io::Value::table();
    one["digit"] = name;
    one["first_s"] = touch.first / solution.clip.frame_rate;
    one["last_s"] = touch.last / solution.clip.frame_rate;
    one["max_N"] = touch.strongest;
    list.push_back(std::move(one));
  }
  return list;
}

io::Value solution_value(const JudgedSolution& judged) {
  const Solution& solution = judged.solution;
  io::Value value = io::Value::table();
  value["frames"] = solution.clip.frame_count();
  value["strategy"] = solution.strategy;
  value["cluster"] = solution.cluster;
  value["contacts"] = contacts_value(solution);
  value["min_margin"] = solution.min_margin;
  value["solved_fraction"] = solution.solved_fraction;
  value["wrist_moved_m"] = solution.wrist_shift_m;
  value["wrist_turned_deg"] = degrees(solution.wrist_turn_rad);
  value["max_grip_N"] = solution.max_grip_N;
  value["explained_fraction"] = judged.audit.explained_fraction;
  value["contact_off_m"] = judged.contact_off_m;
  value["max_penetration_m"] = judged.audit.max_penetration_m;
  value["verdict"] = to_string(judged.audit.verdict);
  return value;
}

void add_unsolved(const DetailFigures& figures, io::Value& details) {
  io::Value& list = details["unsolved"] = io::Value::array();
  for (const auto& unsolved : figures.found.unsolved) {
    io::Value one = io::Value::table();
    one["object"] = figures.capture.clip.objects[unsolved.object].object->name;
    one["first_frame"] = unsolved.frames.first;
    one["last_frame"] = unsolved.frames.last;
    one["cause"] = unsolved.cause;
    list.push_back(std::move(one));
  }
  details["longest_solved"]["first_frame"] = figures.found.longest_solved.first;
  details["longest_solved"]["last_frame"] = figures.found.longest_solved.last;
}

}  // namespace

void add_detail(const DetailFigures& figures, io::Value& details) {
  const auto& found = figures.found;
  io::Value solutions = io::Value::array(), rejected = io::Value::array();
  double moved = 0.0, turned = 0.0;
  for (std::size_t i = 0; i < figures.solutions.size(); ++i) {
    const JudgedSolution& judged = figures.solutions[i];
    io::Value value = solution_value(judged);
    if (judged.passed) {
      moved = std::max(moved, judged.solution.wrist_shift_m);
      turned = std::max(turned, judged.solution.wrist_turn_rad);
      solutions.push_back(std::move(value));
    } else {
      value["why"] = judged.why_not;
      rejected.push_back(std::move(value));
    }
  }
  details["solutions"] = std::move(solutions);
  details["rejected"] = std::move(rejected);
  for (int cause = 0; cause < kDeadEndCount; ++cause)
    details["dead_ends"][to_string(static_cast<contact_sampling::DeadEnd>(cause))] =
        found.dead_ends[cause];
  details["total_frames"] = found.total_frames;
  details["success_frames"] = found.success_frames;
  details["success_ratio"] = found.success_ratio;
  details["solution_ratio"] = found.solution_ratio;
  details["kinematic_ms"] = found.kinematic_ms;
  details["dynamic_ms"] = found.dynamic_ms;
  details["wrist_moved_m"] = moved;
  details["wrist_turned_deg"] = degrees(turned);
  details["solved_fraction"] = figures.solved_fraction;
  details["spread_m"] = found.spread_m;
  details["smoothing_moved_m"] = found.smoothing_moved_m;
  details["search_seconds"] = found.seconds;
  add_unsolved(figures, details);
  if (figures.recorded) {
    io::Value& recorded = details["recorded"];
    recorded["solution"] = figures.recorded->solution + 1;
    recorded["first_contact_s"] = figures.recorded->first_contact_s;
    recorded["digits_jaccard"] = figures.recorded->digits_jaccard;
    recorded["fingertip_m"] = figures.recorded->fingertip_m;
    recorded["audit"] = audit_value(figures.recorded->audit);
  }
}

io::Value worst_audit(const DetailFigures& figures) {
  audit::AuditReport worst;
  worst.verdict = figures.passed > 0 ? audit::Verdict::kPass : audit::Verdict::kFail;
  const std::size_t count =
      figures.passed > 0 ? figures.passed : std::min<std::size_t>(1, figures.solutions.size());
  for (std::size_t i = 0; i < count; ++i) {
    const audit::AuditReport& one = figures.solutions[i].audit;
    const auto most = [](double& a, double b) { a = std::max(a, b); };
    most(worst.max_penetration_m, one.max_penetration_m);
    most(worst.mean_penetration_m, one.mean_penetration_m);
    most(worst.max_beyond_tissue_m, one.max_beyond_tissue_m);
    most(worst.mean_beyond_tissue_m, one.mean_beyond_tissue_m);
    most(worst.dynamics_residual, one.dynamics_residual);
    most(worst.friction_excess, one.friction_excess);
    most(worst.max_limit_violation_rad, one.max_limit_violation_rad);
    most(worst.max_self_penetration_m, one.max_self_penetration_m);
    most(worst.slip_m, one.slip_m);
    worst.explained_fraction = std::min(worst.explained_fraction, one.explained_fraction);
    worst.forces_checked = one.forces_checked;
    if (figures.passed == 0) worst.reasons = one.reasons;
  }
  return count > 0 ? audit_value(worst) : io::Value();
}

std::string detail_text(const DetailFigures& figures) {
  const auto& found = figures.found;
  std::string text = fmt::format("{}: {} solutions", figures.capture.title, figures.passed);
  const int failed = static_cast<int>(figures.solutions.size()) - figures.passed;
  if (found.partial)
    text += ", a part of one";
  else if (failed > 0)
    text += fmt::format(", {} more that fail their audit", failed);
  text += fmt::format(
      "\n  {} frames tested, {} on solutions ({:.1f} %); dead ends: {} reach, {} collision, {} "
      "force\n  kinematic test {:.2f} ms, dynamic test {:.3f} ms\n",
      found.total_frames, found.success_frames, 100.0 * found.success_ratio, found.dead_ends[0],
      found.dead_ends[1], found.dead_ends[2], found.kinematic_ms, found.dynamic_ms);
  for (std::size_t i = 0; i < figures.solutions.size(); ++i) {
    const JudgedSolution& judged = figures.solutions[i];
    if (judged.passed)
      text += fmt::format("  {:>3}  {}; margin {:.0f} %, wrist gives {:.0f} mm, grip {:.0f} N\n",
                          i + 1, judged.solution.strategy, 100.0 * judged.solution.min_margin,
                          1e3 * judged.solution.wrist_shift_m, judged.solution.max_grip_N);
    else
      text += fmt::format("       {}; not counted: {}\n", judged.solution.strategy, judged.why_not);
  }
  if (figures.recorded)
    text += fmt::format(
        "  against the recorded fingers: first contact {:+.2f} s, the same digits {:.0f} %, "
        "fingertips {:.0f} mm apart\n",
        figures.recorded->first_contact_s, 100.0 * figures.recorded->digits_jaccard,
        1e3 * figures.recorded->fingertip_m);
  text.pop_back();
  return text;
}

io::Value solutions_value(const DetailFigures& figures) {
  io::Value value = io::Value::table();
  value["title"] = figures.capture.title;
  value["frame_rate"] = figures.capture.clip.frame_rate;
  io::Value& list = value["solutions"] = io::Value::array();
  for (const JudgedSolution& judged : figures.solutions) {
    if (!judged.passed) continue;
    io::Value one = solution_value(judged);
    io::Value frames = io::Value::array();
    for (const auto& contacts : judged.solution.contacts) {
      io::Value all = io::Value::array();
      for (const HandContact& contact : contacts) {
        io::Value item = io::Value::table();
        item["digit"] = part_name(judged.solution.clip, contact);
        item["segment"] =
            judged.solution.clip.hands[contact.hand].hand->segments[contact.segment].name;
        item["object"] = judged.solution.clip.objects[contact.object].object->name;
        item["point_object"] = contact.point_object;
        item["normal_object"] = contact.normal_object;
        item["force_world"] = contact.force_world;
        all.push_back(std::move(item));
      }
      frames.push_back(std::move(all));
    }
    one["contacts_by_frame"] = std::move(frames);
    list.push_back(std::move(one));
  }
  return value;
}

}  // namespace prehend::jobs
