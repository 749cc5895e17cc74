// An audit frame by frame: as a table, as marks and as plots.
#include <functional>

#include <fmt/format.h>

#include "jobs/audit_value.h"
#include "prehend/picture/draw.h"

namespace prehend::jobs {

std::string audit_csv(const audit::AuditReport& report, double frame_rate) {
  // By frame, the kinds that are bad there.
  std::vector<std::string> bad(report.frames.size());
  for (const audit::BadStretch& stretch : report.bad) {
    for (int f = stretch.first; f <= stretch.last; ++f) {
      if (!bad[f].empty()) bad[f] += ' ';
      bad[f] += to_string(stretch.worst.measure);
    }
  }
  std::string text =
      "time_s,penetration_m,contacts,residual,friction_excess,grip_N,limit_violation_rad,"
      "self_penetration_m,explained,frame,third_law_violation,slip_m,beyond_tissue_m,bad\n";
  for (size_t f = 0; f < report.frames.size(); ++f) {
    const audit::FrameAudit& frame = report.frames[f];
    text += fmt::format(
        "{:.9g},{:.9g},{},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{},{},{:.9g},{:.9g},{:.9g},{}\n",
        f / frame_rate, frame.penetration, frame.contacts, frame.residual, frame.friction_excess,
        frame.grip_force, frame.limit_violation, frame.self_penetration, frame.explained ? 1 : 0, f,
        frame.third_law_violation, frame.slip, frame.beyond_tissue, bad[f]);
  }
  return text;
}

io::ClipMarks audit_marks(const audit::AuditReport& report) {
  io::ClipMarks marks;
  for (const audit::BadStretch& stretch : report.bad) {
    const audit::Finding& worst = stretch.worst;
    marks.push_back({to_string(worst.measure), stretch.first, stretch.last, worst.frame,
                     describe(worst), worst.point_world});
  }
  return marks;
}

namespace {

// One curve of a plot.
struct Curve {
  const char* name;
  audit::Measure measure;  // whose bad frames are dotted
  std::function<double(const audit::FrameAudit&)> value;
};

picture::Image measure_plot(const audit::AuditReport& report, double frame_rate,
                            const std::string& title, const char* label,
                            const std::vector<Curve>& curves) {
  picture::Plot plot;
  plot.title = title;
  plot.x_label = "time [s]";
  plot.y_label = label;
  plot.height = 320;
  for (const Curve& curve : curves) {
    picture::Series series, bad;
    series.name = curve.name;
    for (size_t f = 0; f < report.frames.size(); ++f) {
      series.x.push_back(f / frame_rate);
      series.y.push_back(curve.value(report.frames[f]));
    }
    bad.name = "bad";
    bad.line = false;
    bad.points = true;
    bad.color_srgb = Vec3(0.78, 0.1, 0.1);
    for (const audit::BadStretch& stretch : report.bad) {
      if (stretch.worst.measure != curve.measure) continue;
      for (int f = stretch.first; f <= stretch.last; ++f) {
        bad.x.push_back(series.x[f]);
        bad.y.push_back(series.y[f]);
      }
    }
    plot.series.push_back(std::move(series));
    if (!bad.x.empty()) plot.series.push_back(std::move(bad));
  }
  return picture::draw_plot(plot);
}

}  // namespace

picture::Image audit_picture(const audit::AuditReport& report, double frame_rate,
                             const std::string& title) {
  using audit::Measure;
  const auto plot = [&](const char* label, const std::vector<Curve>& curves) {
    return measure_plot(report, frame_rate, title, label, curves);
  };
  picture::SheetOptions columns;
  columns.columns = 2;
  return picture::compose_sheet(
      {plot("penetration [mm]",
            {{"raw", Measure::kPenetration, [](const auto& f) { return 1e3 * f.penetration; }},
             {"beyond tissue", Measure::kBeyondTissue,
              [](const auto& f) { return 1e3 * f.beyond_tissue; }}}),
       plot("unexplained / weight",
            {{"", Measure::kDynamics, [](const auto& f) { return f.residual; }}}),
       plot("joint beyond its range [deg]",
            {{"", Measure::kLimits, [](const auto& f) { return degrees(f.limit_violation); }}}),
       plot("grip [N]", {{"", Measure::kSlip, [](const auto& f) { return f.grip_force; }}})},
      {}, columns);
}

}  // namespace prehend::jobs
