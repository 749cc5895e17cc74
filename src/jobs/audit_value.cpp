#include "jobs/audit_value.h"

#include <fmt/format.h>

namespace prehend::jobs {

namespace {

io::Value finding_value(const audit::Finding& finding) {
  io::Value value = io::Value::table();
  value["kind"] = to_string(finding.measure);
  value["value"] = finding.value;
  value["unit"] = unit_of(finding.measure);
  value["frame"] = finding.frame;
  value["time_s"] = finding.time;
  value["who"] = who(finding);
  const auto name = [&](const char* key, const std::string& text) {
    value[key] = text.empty() ? io::Value() : io::Value(text);
  };
  name("hand", finding.hand);
  name("segment", finding.segment);
  name("joint", finding.joint);
  name("object", finding.object);
  value["point_world"] = finding.point_world ? io::Value(*finding.point_world) : io::Value();
  value["contact"] = io::Value();
  if (!finding.contact) return value;
  io::Value& contact = value["contact"];
  contact["by"] = finding.by_name;
  contact["on"] = finding.on_name;
  contact["normal_world"] = finding.contact->normal_world;
  contact["gap_m"] = finding.contact->gap;
  contact["force_world"] = finding.contact->force_world;
  return value;
}

io::Value stretch_value(const audit::BadStretch& stretch) {
  io::Value value = io::Value::table();
  value["kind"] = to_string(stretch.worst.measure);
  value["first_frame"] = stretch.first;
  value["last_frame"] = stretch.last;
  value["worst_frame"] = stretch.worst.frame;
  value["value"] = stretch.worst.value;
  value["who"] = who(stretch.worst);
  return value;
}

}  // namespace

io::Value audit_value(const audit::AuditReport& report) {
  io::Value value = io::Value::table();
  value["max_penetration_m"] = report.max_penetration_m;
  value["mean_penetration_m"] = report.mean_penetration_m;
  value["max_beyond_tissue_m"] = report.max_beyond_tissue_m;
  value["mean_beyond_tissue_m"] = report.mean_beyond_tissue_m;
  value["tissue"] = to_string(report.tissue);
  value["dynamics_residual"] = report.dynamics_residual;
  value["friction_excess"] = report.friction_excess;
  value["third_law_violation"] = report.third_law_violation;
  value["max_limit_violation_rad"] = report.max_limit_violation_rad;
  value["max_self_penetration_m"] = report.max_self_penetration_m;
  value["slip_m"] = report.slip_m;
  value["explained_fraction"] = report.explained_fraction;
  value["forces_checked"] = report.forces_checked;
  value["verdict"] = to_string(report.verdict);
  value["reasons"] = report.reasons;
  value["notes"] = report.notes;
  value["worst"] = io::Value::array();
  for (const audit::Finding& finding : report.worst)
    value["worst"].push_back(finding_value(finding));
  value["bad"] = io::Value::array();
  for (const audit::BadStretch& stretch : report.bad)
    value["bad"].push_back(stretch_value(stretch));
  return value;
}

std::string audit_text(const audit::AuditReport& report) {
  std::string text;
  const auto line = [&](const char* what, const std::string& value) {
    text += fmt::format("  {:<37}{}\n", what, value);
  };
  line("penetration, worst / mean",
       fmt::format("{:.2f} / {:.2f} mm", 1e3 * report.max_penetration_m,
                   1e3 * report.mean_penetration_m));
  line("beyond what tissue gives",
       fmt::format("{:.2f} / {:.2f} mm{}", 1e3 * report.max_beyond_tissue_m,
                   1e3 * report.mean_beyond_tissue_m,
                   report.tissue == audit::Tissue::kSoft ? ", which is judged" : ""));
  line("unexplained wrench, worst", fmt::format("{:.3f} of the weight", report.dynamics_residual));
  line("beyond the friction cone, worst",
       fmt::format("{:.3f} of the weight", report.friction_excess));
  line("unequal action and reaction, worst",
       fmt::format("{:.3f} of the weight", report.third_law_violation));
  line("joints beyond their range, worst",
       fmt::format("{:.1f} degrees", degrees(report.max_limit_violation_rad)));
  line("hand through itself, worst", fmt::format("{:.2f} mm", 1e3 * report.max_self_penetration_m));
  line("slip in contact, worst", fmt::format("{:.2f} mm", 1e3 * report.slip_m));
  line(report.forces_checked ? "frames the recorded forces explain"
                             : "frames that forces could explain",
       fmt::format("{:.1f} %", 100.0 * report.explained_fraction));
  line("verdict", to_string(report.verdict));
  for (const std::string& reason : report.reasons) text += "    " + reason + "\n";
  for (const audit::Finding& finding : report.worst)
    text += "    worst " + describe(finding) + "\n";
  for (const std::string& note : report.notes) text += "    note: " + note + "\n";
  return text;
}

}  // namespace prehend::jobs
