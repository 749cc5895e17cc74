#include "prehend/jobs/detail.h"

#include <algorithm>

#include <fmt/format.h>

#include "jobs/detail_capture.h"
#include "jobs/detail_judge.h"
#include "jobs/detail_output.h"
#include "jobs/detail_pictures.h"
#include "jobs/detail_value.h"
#include "jobs/job_context.h"
#include "jobs/physics_value.h"
#include "prehend/core/physical_constants.h"
#include "prehend/core/text.h"

namespace prehend::jobs {
namespace {

using contact_sampling::SamplingOptions;
using contact_sampling::SamplingProblem;
using contact_sampling::SamplingReport;
using contact_sampling::SearchKind;

// Figure 11 compares the searches after this many frames.
constexpr int kSpreadFrames = 3000;

Result<std::optional<io::Scene>> scene_of(const DetailJob& job) {
  if (job.inputs.empty()) return Error{"detail: give clips or a scene"};
  if (file_ending(job.inputs[0]) != ".toml") return std::optional<io::Scene>();
  if (job.inputs.size() > 1)
    return Error{fmt::format("{}: a scene stands alone", printable(job.inputs[0], 200))};
  auto scene = io::read_scene(job.inputs[0]);
  if (!scene) return scene.error();
  return std::optional(std::move(*scene));
}

physics::PhysicsInForce physics_of(const SamplingProblem& problem) {
  physics::PhysicsInForce physics;
  const Object& object = problem.objects[0].object->object();
  physics.friction = object.friction;
  physics.torsional_friction = object.torsional_friction;
  physics.skin_friction = kSkinFriction;
  physics.wrist_strength = physics::RootStrength::unlimited();  // it is where it was captured
  physics.timestep = 1.0 / problem.frame_rate;
  physics.solver = "cone program, frame by frame";
  return physics;
}

// Both searches over the same number of frames, whatever they find.
Status compare_spread(const SamplingProblem& problem, SamplingOptions options,
                      const std::string& path, JobContext& context) {
  options.frame_budget = kSpreadFrames;
  options.count = 10000;
  options.search = SearchKind::kPlain;
  const auto plain = sample_contacts(problem, options, context.monitor());
  if (!plain) return plain.error();
  options.search = SearchKind::kImproved;
  const auto improved = sample_contacts(problem, options, context.monitor());
  if (!improved) return improved.error();
  io::Value& spread = context.report.details["spread"];
  spread["plain_m"] = plain->spread_m;
  spread["improved_m"] = improved->spread_m;
  spread["ratio"] = plain->spread_m > 0.0 ? improved->spread_m / plain->spread_m : 0.0;
  context.print(fmt::format("spread after {} frames: plain {:.1f} mm, improved {:.1f} mm",
                            kSpreadFrames, 1e3 * plain->spread_m, 1e3 * improved->spread_m));
  return context.write_image(path, spread_picture(*plain, *improved, problem.frame_rate));
}

// One line that says what a person can do about it.
std::string missed(const DetailFigures& figures) {
  const auto& found = figures.found;
  if (figures.passed == 0 && !figures.solutions.empty() && !found.partial)
    return fmt::format("{}: no solution passes its audit: {}", figures.capture.title,
                       figures.solutions[0].why_not);
  const double rate = figures.capture.clip.frame_rate;
  std::string line = fmt::format(
      "{}: no whole solution; the longest stretch solved is frames {} to {} ({:.2f} to {:.2f} s)",
      figures.capture.title, found.longest_solved.first, found.longest_solved.last,
      found.longest_solved.first / rate, found.longest_solved.last / rate);
  for (std::size_t i = 0; i < found.unsolved.size() && i < 3; ++i)
    line += fmt::format("; frames {} to {}: {}", found.unsolved[i].frames.first,
                        found.unsolved[i].frames.last, found.unsolved[i].cause);
  return line;
}

Status write_outputs(const DetailJob& job, const DetailFigures& figures,
                     const SamplingProblem& problem, const SamplingOptions& options,
                     JobContext& context) {
  DetailOutput output(job, figures, context);
  for (const std::string& path : context.settings().outputs) {
    // What a stop kept from being found does not replace what was there before.
    if (figures.solutions.empty() && context.was_interrupted()) break;
    const Status written = path.ends_with(".spread.png")
                               ? compare_spread(problem, options, path, context)
                               : output.write(path);
    if (!written) return written;
  }
  context.report_files();
  return {};
}

Result<Outcome> detail(const DetailJob& job, JobContext& context, DetailReport& result) {
  context.report.inputs = job.inputs;
  const auto scene = scene_of(job);
  if (!scene) return scene.error();
  const auto capture = detail_capture(job, *scene);
  if (!capture) return capture.error();
  for (const std::string& note : capture->notes) context.note(note);
  const auto options = sampling_options(job, *scene, *capture);
  if (!options) return options.error();
  const auto problem = sampling_problem(*capture);
  if (!problem) return problem.error();
  auto found = sample_contacts(*problem, *options, context.monitor());
  if (!found) return Error{fmt::format("{}: {}", printable(job.inputs[0], 200), found.message())};
  for (const std::string& note : found->notes) context.note(note);
  context.report.summary = found->summary;
  context.report.physics = physics_value(physics_of(*problem));

  auto wanted = std::move(found->solutions);
  found->solutions.clear();
  if (wanted.empty() && found->partial) wanted.push_back(*found->partial);
  auto judged = judge_solutions(std::move(wanted), *capture, context.monitor());
  if (!judged) return judged.error();
  // What was solved in part is shown, and never counts.
  if (found->partial)
    for (JudgedSolution& one : *judged) one.passed = false;
  DetailFigures figures{.capture = *capture, .found = *found, .solutions = *judged};
  figures.passed = static_cast<int>(std::count_if(
      judged->begin(), judged->end(), [](const JudgedSolution& one) { return one.passed; }));
  if (!judged->empty()) figures.solved_fraction = solved_fraction(*found, judged->front());
  if (capture->recorded) {
    auto compared = compare_with_recorded(*capture, *found, *judged);
    if (!compared) return compared.error();
    figures.recorded = std::move(*compared);
  }
  add_detail(figures, context.report.details);
  context.report.audit = worst_audit(figures);
  context.print(detail_text(figures));
  if (const Status s = write_outputs(job, figures, *problem, *options, context); !s)
    return s.error();
  Outcome outcome = Outcome::kDone;
  if (figures.passed == 0) {
    outcome = Outcome::kMissed;
    if (context.report.summary.termination != Termination::kInterrupted)
      context.report.summary.message = missed(figures);
    context.note(context.report.summary.message);
  }
  result.solutions = std::move(*judged);
  result.found = std::move(*found);
  return outcome;
}

}  // namespace

Result<DetailReport> run(const DetailJob& job, const Monitor& monitor) {
  JobContext context("detail", job.settings, monitor);
  DetailReport report;
  const auto outcome = detail(job, context, report);
  if (!outcome) return outcome.error();
  static_cast<JobReport&>(report) = context.finish(*outcome);
  return report;
}

}  // namespace prehend::jobs
