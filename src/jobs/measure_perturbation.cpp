#include "jobs/measure_perturbation.h"

#include <fmt/format.h>

#include "prehend/core/atomic_file.h"
#include "prehend/core/text.h"
#include "prehend/jobs/save.h"
#include "prehend/picture/draw.h"
#include "prehend/picture/plot.h"

namespace prehend::jobs {
namespace {

using interaction::Perturbation;
using interaction::PerturbationTrial;
using interaction::SecondOrderFit;

constexpr std::size_t kMostPlots = 6;

io::Value fit_value(const SecondOrderFit& fit, double k_endpoint) {
  io::Value value;
  value["f0_N"] = fit.f0;
  value["m_kg"] = fit.m;
  value["b_Ns_per_m"] = fit.b;
  value["k_N_per_m"] = fit.k;
  value["k_G_N_per_m"] = k_endpoint;
  value["residual"] = fit.residual;
  return value;
}

io::Value details(const Perturbation& found, double window) {
  io::Value value = fit_value(found.mean, found.k_endpoint);
  value["window_s"] = window;
  value["counted"] = found.counted;
  value["k_low_N_per_m"] = found.k_low;
  value["k_high_N_per_m"] = found.k_high;
  value["trials"] = io::Value::array();
  for (const PerturbationTrial& trial : found.trials) {
    io::Value one = fit_value(trial.fit, trial.k_endpoint);
    one["time_s"] = trial.time;
    if (!trial.discarded.empty()) one["discarded"] = trial.discarded;
    value["trials"].push_back(std::move(one));
  }
  return value;
}

std::string table_text(const Perturbation& found, double window) {
  const SecondOrderFit& fit = found.mean;
  std::string text =
      fmt::format("{}, fitted over {:.0f} ms\n", found.summary.message, 1e3 * window);
  text += fmt::format("{:<12}{:>10.3f}\n", "f0 (N)", fit.f0);
  text += fmt::format("{:<12}{:>10.4f}\n", "m (kg)", fit.m);
  text += fmt::format("{:<12}{:>10.2f}\n", "b (N s/m)", fit.b);
  text += fmt::format("{:<12}{:>10.2f}   half of the pushes from {:.0f} to {:.0f}\n", "k (N/m)",
                      fit.k, found.k_low, found.k_high);
  text += fmt::format("{:<12}{:>10.2f}", "k_G (N/m)", found.k_endpoint);
  if (found.k_endpoint > 0.0)
    text += fmt::format("   k is {:+.1f} % of it away", 100.0 * (fit.k / found.k_endpoint - 1.0));
  return text;
}

// Figure 7 for one push, with the force that the fit gives: integrated from the equation's own
// derivatives of the measured place, so that a bad fit shows.
picture::Image trial_plot(const PerturbationTrial& trial, double rate) {
  picture::Plot plot;
  plot.title = fmt::format("push at {:.3f} s: k {:.0f}, k_G {:.0f} N/m{}", trial.time, trial.fit.k,
                           trial.k_endpoint, trial.discarded.empty() ? "" : ", discarded");
  plot.x_label = "time after the push, ms";
  plot.y_label = "N, mm";
  picture::Series force{.name = "force, N"}, height{.name = "fingertip, mm"},
      fitted{.name = "fit, N"};
  const std::size_t count = trial.height.size();
  for (std::size_t i = 0; i < count; ++i) {
    const double ms = 1e3 * i / rate;
    force.x.push_back(ms);
    force.y.push_back(trial.force[i]);
    height.x.push_back(ms);
    height.y.push_back(1e3 * trial.height[i]);
    if (i == 0 || i + 1 == count) continue;
    const auto& z = trial.height;
    const double speed = 0.5 * (z[i + 1] - z[i - 1]) * rate;
    const double acceleration = (z[i + 1] - 2.0 * z[i] + z[i - 1]) * rate * rate;
    fitted.x.push_back(ms);
    fitted.y.push_back(trial.fit.m * acceleration + trial.fit.b * speed + trial.fit.k * z[i] +
                       trial.fit.f0);
  }
  plot.series = {force, height, fitted};
  plot.width = 620;
  plot.height = 400;
  return picture::draw_plot(plot);
}

picture::Image sheet(const Perturbation& found, double rate) {
  std::vector<picture::Image> images;
  for (const PerturbationTrial& trial : found.trials)
    if (!trial.height.empty() && images.size() < kMostPlots)
      images.push_back(trial_plot(trial, rate));
  if (images.empty()) images.push_back(picture::draw_plot({.title = "no push to show"}));
  return picture::compose_sheet(images, {}, {.columns = 3});
}

}  // namespace

Result<Outcome> measure_perturbation(const MeasureJob& job, const interaction::Capture& capture,
                                     const interaction::HandCompliance& compliance,
                                     JobContext& context) {
  interaction::PerturbationOptions options;
  // The paper's windows: 20 ms for the stiffer task, 25 ms for the softer one.
  options.window = job.window.value_or(job.task == interaction::Task::kScratching ? 0.02 : 0.025);
  if (!(options.window >= 0.005 && options.window <= 0.1))
    return Error{
        fmt::format("--window: {:g} s should be from 0.005 to 0.1, within which no reflex "
                    "answers",
                    options.window)};
  const auto found = interaction::fit_perturbation(capture, compliance, options);
  if (!found) return found.error();
  context.report.details["perturbation"] = details(*found, options.window);
  context.report.summary = found->summary;
  context.print(table_text(*found, options.window));
  for (const std::string& path : context.settings().outputs) {
    const std::string ending = file_ending(path);
    Status done = Error{printable(path, 200) + ": --perturbation writes .png and .json"};
    if (ending == ".json") done = context.write_text(path, io::to_json(context.report.details));
    if (ending == ".png") done = context.write_image(path, sheet(*found, capture.frame_rate));
    if (!done) return done.error();
  }
  context.report_files();
  return found->counted > 0 ? Outcome::kDone : Outcome::kMissed;
}

}  // namespace prehend::jobs
