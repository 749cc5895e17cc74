#include "jobs/audit_value.h"

#include <functional>

#include <fmt/format.h>

#include "prehend/picture/draw.h"

namespace prehend::jobs {

io::Value audit_value(const audit::AuditReport& report) {
  io::Value value = io::Value::table();
  value["max_penetration_m"] = report.max_penetration_m;
  value["mean_penetration_m"] = report.mean_penetration_m;
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
  for (const std::string& note : report.notes) text += "    note: " + note + "\n";
  return text;
}

std::string audit_csv(const audit::AuditReport& report, double frame_rate) {
  std::string text =
      "time_s,penetration_m,contacts,residual,friction_excess,grip_N,limit_violation_rad,"
      "self_penetration_m,explained\n";
  for (size_t f = 0; f < report.frames.size(); ++f) {
    const audit::FrameAudit& frame = report.frames[f];
    text += fmt::format("{:.9g},{:.9g},{},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{}\n", f / frame_rate,
                        frame.penetration, frame.contacts, frame.residual, frame.friction_excess,
                        frame.grip_force, frame.limit_violation, frame.self_penetration,
                        frame.explained ? 1 : 0);
  }
  return text;
}

picture::Image audit_picture(const audit::AuditReport& report, double frame_rate,
                             const std::string& title) {
  const auto plot = [&](const char* label,
                        const std::function<double(const audit::FrameAudit&)>& get) {
    picture::Plot p;
    p.title = title;
    p.x_label = "time [s]";
    p.y_label = label;
    p.height = 320;
    picture::Series series;
    for (size_t f = 0; f < report.frames.size(); ++f) {
      series.x.push_back(f / frame_rate);
      series.y.push_back(get(report.frames[f]));
    }
    p.series.push_back(std::move(series));
    return picture::draw_plot(p);
  };
  picture::SheetOptions columns;
  columns.columns = 1;
  return picture::compose_sheet(
      {plot("penetration [mm]", [](const auto& f) { return 1e3 * f.penetration; }),
       plot("unexplained / weight", [](const auto& f) { return f.residual; }),
       plot("grip [N]", [](const auto& f) { return f.grip_force; })},
      {}, columns);
}

}  // namespace prehend::jobs
