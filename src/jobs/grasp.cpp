#include "prehend/jobs/grasp.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "jobs/audit_value.h"
#include "jobs/grasp_again.h"
#include "jobs/grasp_setup.h"
#include "jobs/grasp_value.h"
#include "jobs/job_context.h"
#include "jobs/physics_value.h"
#include "prehend/core/text.h"
#include "prehend/jobs/load.h"
#include "prehend/jobs/save.h"
#include "prehend/methods/grasp_space/grasp_clip.h"
#include "prehend/picture/draw.h"

namespace prehend::jobs {
namespace {

using grasp_space::Grasp;
using Found = grasp_space::GraspReport;

// Where the grasp's number goes in the name of an output.
const std::string kNumber = "{}";
// The best grasps that are simulated in search of a clip that passes its audit.
constexpr int kMostTries = 6;
constexpr int kMostPictures = 60;

struct JudgedClip {
  grasp_space::GraspClip made;
  audit::AuditReport audit;

  bool good() const { return made.carried && audit.verdict == audit::Verdict::kPass; }
};

// The files of a run: clips are simulated when an output first asks for them.
class Output {
 public:
  Output(const GraspJob& job, const GraspSetup& setup, const Found& report,
         const std::vector<Margins>& margins, JobContext& context)
      : job_(job), setup_(setup), report_(report), margins_(margins), context_(context) {}

  Status write(const std::string& path) {
    const std::string ending = file_ending(path);
    // A stopped search that found nothing must not take the place of one that did.
    const bool stopped = report_.summary.termination == Termination::kInterrupted;
    if (stopped && report_.proposed == 0) return {};
    if (ending == ".json")
      return context_.write_text(path, io::to_json(grasps_value(setup_, report_)) + "\n");
    if (report_.grasps.empty()) return {};
    if (ending == ".png") return write_sheet(path);
    const std::size_t at = path.rfind(kNumber);
    if (at == std::string::npos) return write_best(path);
    for (int i = 0; i < std::max(1, report_.held) && (i == 0 || !context_.stopped()); ++i) {
      std::string name = path;
      name.replace(at, kNumber.size(), std::to_string(i + 1));
      if (const Status saved = save(i, name); !saved) return saved;
    }
    return {};
  }

  // By the grasps' indices.
  const std::map<int, JudgedClip>& clips() const { return clips_; }
  // The first good clip, or the first.
  std::map<int, JudgedClip>::const_iterator best() const {
    const auto found = std::find_if(clips_.begin(), clips_.end(),
                                    [](const auto& clip) { return clip.second.good(); });
    return found == clips_.end() ? clips_.begin() : found;
  }

 private:
  Status write_sheet(const std::string& path) {
    const auto picture = context_.picture(job_.picture, 420, 340);
    return context_.write_image(path,
                                grasps_picture(setup_, report_, margins_, picture, kMostPictures));
  }

  // Of the best grasp, or of the next whose clip passes its audit.
  Status write_best(const std::string& path) {
    const int tries = std::clamp(report_.held, 1, kMostTries);
    for (int i = 0; i < tries; ++i) {
      if (const Status judged = judge(i); !judged) return judged;
      if (context_.stopped() || clips_.at(i).good()) break;
    }
    return clips_.empty() ? Status() : save(best()->first, path);
  }

  // Makes and audits the clip of a grasp; none when the job is stopped meanwhile.
  Status judge(int index) {
    if (clips_.contains(index)) return {};
    grasp_space::GraspClipOptions options;
    options.object_world = setup_.object_world;
    options.proof = setup_.options.proof;
    auto made = make_grasp_clip(setup_.problem, report_.grasps[index], options, context_.monitor());
    if (made && !context_.stopped()) {
      auto audited = audit::audit(made->clip, {}, context_.monitor());
      if (!audited) return audited.error();
      if (!context_.stopped()) clips_[index] = {std::move(*made), std::move(*audited)};
    }
    if (context_.stopped()) {
      context_.interrupted(fmt::format("stopped before the clip of grasp {} was done", index + 1));
      return {};
    }
    return made ? Status() : made.error();
  }

  Status save(int index, const std::string& path) {
    if (const Status judged = judge(index); !judged) return judged;
    if (!clips_.contains(index)) return {};
    SaveOptions options;
    options.picture = context_.picture(job_.picture, 960, 720);
    return context_.write_clip(path, clips_.at(index).made.clip, options);
  }

  const GraspJob& job_;
  const GraspSetup& setup_;
  const Found& report_;
  const std::vector<Margins>& margins_;
  JobContext& context_;
  std::map<int, JudgedClip> clips_;
};

void report_grasps(const GraspSetup& setup, const Found& found, JobContext& context) {
  io::Value& details = context.report.details;
  const bool verified = setup.options.verify;
  const auto proven = [&](double value) { return verified ? io::Value(value) : io::Value(); };
  details["proposed"] = found.proposed;
  details["held"] = verified ? io::Value(found.held) : io::Value();
  details["held_fraction"] = proven(found.proposed > 0 ? double(found.held) / found.proposed : 0.0);
  details["proven_per_second"] = proven(found.seconds > 0.0 ? found.held / found.seconds : 0.0);
  details["mean_penetration_m"] = found.mean_penetration;
  details["candidates"] = found.candidates;
  details["stages"] = stages_value(found);
  details["load_seconds"] = found.load_seconds;
  details["search_seconds"] = found.seconds;
  details["model"] = setup.problem.space->name;
  details["object"]["name"] = setup.problem.object->name;
  details["object"]["mass_kg"] = setup.problem.object->mass;
  details["object"]["friction"] = setup.problem.object->friction;
  details["object"]["mass_from"] = setup.mass_from;
  details["table"] = table_value(setup);
  details["grasps"] = io::Value::array();
  for (const Grasp& grasp : found.grasps) details["grasps"].push_back(grasp_value(grasp, verified));
}

void report_clips(const Output& output, JobContext& context) {
  context.report.audit = audit_value(output.best()->second.audit);
  context.report.details["clip_of_grasp"] = output.best()->first + 1;
  io::Value& clips = context.report.details["clips"] = io::Value::array();
  for (const auto& [index, clip] : output.clips()) {
    const bool table = clip.made.support == grasp_space::Support::kTable;
    io::Value value = clip_value(clip.made.clip);
    value["grasp"] = index + 1;
    value["support"] = table ? "table" : "stand";
    value["approached"] = clip.made.approached;
    value["carried"] = clip.made.carried;
    value["slip_in_hand_m"] = clip.made.slip;
    value["verdict"] = to_string(clip.audit.verdict);
    clips.push_back(std::move(value));
    std::string text = fmt::format(
        "clip of grasp {}: from {}, {}, {}; audit: {}", index + 1,
        table ? "the table" : "a stand that lets go after the squeeze",
        clip.made.approached ? "approached" : "no straight way in, so it begins around the object",
        clip.made.carried ? fmt::format("lifted with {:.1f} mm of slip", 1e3 * clip.made.slip)
                          : "not lifted",
        to_string(clip.audit.verdict));
    for (const std::string& reason : clip.audit.reasons) text += "\n  " + reason;
    context.print(text);
  }
}

Result<Outcome> grasp(const GraspJob& job, JobContext& context, GraspReport& result) {
  context.report.inputs = {job.object};
  const auto setup = grasp_setup(job);
  if (!setup) return setup.error();
  for (const std::string& note : setup->notes) context.note(note);
  auto found = find_grasps(setup->problem, setup->options, context.monitor());
  if (!found) return found.error();
  context.report.summary = found->summary;
  if (!setup->options.verify)
    context.report.summary.message = fmt::format("{} grasps proposed, from {} searches; none tried",
                                                 found->proposed, found->candidates);
  report_grasps(*setup, *found, context);
  context.report.physics = physics_value(found->physics);
  context.print(grasps_text(*setup, *found));
  result.problem = setup->problem;
  result.found = *found;
  if (const Status again = look_again(job, *setup, context, result); !again) return again.error();
  Output output(job, *setup, *found, result.margins, context);
  for (const std::string& path : context.settings().outputs) {
    if (const Status written = output.write(path); !written) return written.error();
  }
  if (!output.clips().empty()) report_clips(output, context);
  context.report_files();
  if (context.was_interrupted()) return Outcome::kInterrupted;
  if (found->held > 0) {
    const bool failed = !output.clips().empty() && !output.best()->second.good();
    return failed ? Outcome::kMissed : Outcome::kDone;
  }
  context.report.summary.message = fmt::format(
      "{}: nothing holds: {} searches, {}", setup->problem.object->name, found->candidates,
      found->proposed > 0 ? fmt::format("{} grasps proposed; the best is kept", found->proposed)
                          : "no grasp worth a proof");
  context.note(context.report.summary.message);
  return Outcome::kMissed;
}

}  // namespace

Result<GraspReport> run(const GraspJob& job, const Monitor& monitor) {
  JobContext context("grasp", job.settings, monitor);
  GraspReport report;
  const auto outcome = grasp(job, context, report);
  if (!outcome) return outcome.error();
  static_cast<JobReport&>(report) = context.finish(*outcome);
  return report;
}
}  // namespace prehend::jobs
