// prehend grasp: natural grasps of an object that hold.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "cli/audit_value.h"
#include "cli/grasp_arguments.h"
#include "cli/grasp_value.h"
#include "cli/picture_arguments.h"
#include "cli/verbs.h"
#include "prehend/cli/load.h"
#include "prehend/cli/save.h"
#include "prehend/cli/session.h"
#include "prehend/core/atomic_file.h"
#include "prehend/core/text.h"
#include "prehend/methods/grasp_space/grasp_clip.h"
#include "prehend/picture/draw.h"

namespace prehend::cli {
namespace {

using grasp_space::Grasp;
using grasp_space::GraspReport;

// Where the grasp's number goes in the name of an output.
const std::string kNumber = "{}";
// The best grasps that are simulated in search of a clip that passes its audit.
constexpr int kMostTries = 6;
constexpr int kMostPictures = 60;

struct Arguments {
  GraspArguments grasp;
  PictureArguments picture;
};

struct JudgedClip {
  grasp_space::GraspClip made;
  audit::AuditReport audit;

  bool good() const { return made.carried && audit.verdict == "pass"; }
};

// The files of a run: clips are simulated when an output first asks for them.
class Output {
 public:
  Output(const Arguments& arguments, const GraspJob& job, const GraspReport& report,
         Session& session)
      : arguments_(arguments), job_(job), report_(report), session_(session) {}

  Status write(const std::string& path) {
    const std::string ending = file_ending(path);
    if (ending == ".json")
      return done(path, write_file(path, io::to_json(grasps_value(job_, report_)) + "\n"));
    if (report_.grasps.empty()) return {};
    if (ending == ".png") return write_sheet(path);
    const std::size_t at = path.rfind(kNumber);
    if (at == std::string::npos) return write_best(path);
    for (int i = 0; i < std::max(1, report_.held) && (i == 0 || !session_.stopped()); ++i) {
      std::string name = path;
      name.replace(at, kNumber.size(), std::to_string(i + 1));
      if (const Status saved = save(i, name); !saved) return saved;
    }
    return {};
  }

  const std::vector<std::string>& files() const { return files_; }
  // By the grasps' indices.
  const std::map<int, JudgedClip>& clips() const { return clips_; }
  // The first good clip, or the first.
  std::map<int, JudgedClip>::const_iterator best() const {
    const auto found = std::find_if(clips_.begin(), clips_.end(),
                                    [](const auto& clip) { return clip.second.good(); });
    return found == clips_.end() ? clips_.begin() : found;
  }

 private:
  Status done(const std::string& path, const Status& written) {
    if (written) files_.push_back(path);
    return written;
  }

  Status write_sheet(const std::string& path) {
    const auto picture = arguments_.picture.resolve(420, 340, session_.common().threads);
    if (!picture) return picture.error();
    return done(path, picture::write_png(grasps_picture(job_, report_, *picture, kMostPictures,
                                                        session_.monitor()),
                                         path));
  }

  // Of the best grasp, or of the next whose clip passes its audit.
  Status write_best(const std::string& path) {
    const int tries = std::clamp(report_.held, 1, kMostTries);
    for (int i = 0; i < tries; ++i) {
      if (const Status judged = judge(i); !judged) return judged;
      if (clips_.at(i).good() || session_.stopped()) break;
    }
    return save(best()->first, path);
  }

  Status judge(int index) {
    if (clips_.contains(index)) return {};
    grasp_space::GraspClipOptions options;
    options.object_world = job_.object_world;
    options.proof = job_.options.proof;
    auto made = make_grasp_clip(job_.problem, report_.grasps[index], options);
    if (!made) return made.error();
    auto audited = audit::audit(made->clip);
    if (!audited) return audited.error();
    clips_[index] = {std::move(*made), std::move(*audited)};
    return {};
  }

  Status save(int index, const std::string& path) {
    if (const Status judged = judge(index); !judged) return judged;
    const auto picture = arguments_.picture.resolve(960, 720, session_.common().threads);
    if (!picture) return picture.error();
    SaveOptions options;
    options.picture = *picture;
    const auto saved = save_clip(clips_.at(index).made.clip, path, options, session_.monitor());
    if (!saved) return saved.error();
    files_.insert(files_.end(), saved->files.begin(), saved->files.end());
    return {};
  }

  const Arguments& arguments_;
  const GraspJob& job_;
  const GraspReport& report_;
  Session& session_;
  std::vector<std::string> files_;
  std::map<int, JudgedClip> clips_;
};

void report_grasps(const GraspJob& job, const GraspReport& found, Session& session) {
  io::Value& details = session.report.details;
  const bool verified = job.options.verify;
  const auto proven = [&](double value) { return verified ? io::Value(value) : io::Value(); };
  details["proposed"] = found.proposed;
  details["held"] = verified ? io::Value(found.held) : io::Value();
  details["held_fraction"] = proven(found.proposed > 0 ? double(found.held) / found.proposed : 0.0);
  details["proven_per_second"] = proven(found.seconds > 0.0 ? found.held / found.seconds : 0.0);
  details["mean_penetration_m"] = found.mean_penetration;
  details["candidates"] = found.candidates;
  details["load_seconds"] = found.load_seconds;
  details["search_seconds"] = found.seconds;
  details["model"] = job.problem.space->name;
  details["object"]["name"] = job.problem.object->name;
  details["object"]["mass_kg"] = job.problem.object->mass;
  details["object"]["friction"] = job.problem.object->friction;
  details["grasps"] = io::Value::array();
  for (const Grasp& grasp : found.grasps) details["grasps"].push_back(grasp_value(grasp, verified));
}

void report_clips(const Output& output, Session& session) {
  session.report.audit = audit_value(output.best()->second.audit);
  session.report.details["clip_of_grasp"] = output.best()->first + 1;
  io::Value& clips = session.report.details["clips"] = io::Value::array();
  for (const auto& [index, clip] : output.clips()) {
    const bool floor = clip.made.support == grasp_space::Support::kFloor;
    io::Value value = clip_value(clip.made.clip);
    value["grasp"] = index + 1;
    value["support"] = floor ? "floor" : "stand";
    value["approached"] = clip.made.approached;
    value["carried"] = clip.made.carried;
    value["slip_in_hand_m"] = clip.made.slip;
    value["verdict"] = clip.audit.verdict;
    clips.push_back(std::move(value));
    std::string text = fmt::format(
        "clip of grasp {}: from {}, {}, {}; audit: {}", index + 1,
        floor ? "a floor" : "a stand that lets go after the squeeze",
        clip.made.approached ? "approached" : "no straight way in, so it begins around the object",
        clip.made.carried ? fmt::format("lifted with {:.1f} mm of slip", 1e3 * clip.made.slip)
                          : "not lifted",
        clip.audit.verdict);
    for (const std::string& reason : clip.audit.reasons) text += "\n  " + reason;
    session.print(text);
  }
}

Result<int> grasp(const Arguments& a, Session& session) {
  session.report.inputs = a.grasp.inputs;
  const auto job = grasp_job(a.grasp, session.common().seed);
  if (!job) return job.error();
  for (const std::string& note : job->notes) session.note(note);
  const auto found = find_grasps(job->problem, job->options, session.monitor());
  if (!found) return found.error();
  session.report.summary = found->summary;
  if (!job->options.verify)
    session.report.summary.message = fmt::format("{} grasps proposed, from {} searches; none tried",
                                                 found->proposed, found->candidates);
  report_grasps(*job, *found, session);
  session.print(grasps_text(*job, *found));
  Output output(a, *job, *found, session);
  for (const std::string& path : session.common().outputs) {
    if (const Status written = output.write(path); !written) return written.error();
  }
  if (!output.clips().empty()) report_clips(output, session);
  for (const std::string& file : output.files()) session.print("wrote " + file);
  session.report.details["outputs"] = output.files();
  if (found->summary.termination == Termination::kInterrupted) return kExitInterrupted;
  if (found->held > 0) {
    const bool failed = !output.clips().empty() && !output.best()->second.good();
    return failed ? kExitMissed : kExitDone;
  }
  session.report.summary.message = fmt::format(
      "{}: nothing holds: {} searches, {}", job->problem.object->name, found->candidates,
      found->proposed > 0 ? fmt::format("{} grasps proposed; the best is kept", found->proposed)
                          : "no grasp worth a proof");
  session.note(session.report.summary.message);
  return kExitMissed;
}

}  // namespace

Verb grasp_verb() {
  const auto a = std::make_shared<Arguments>();
  Verb verb;
  verb.name = "grasp";
  verb.summary = "Natural grasps of any object, each proven to hold by simulation";
  verb.examples = {
      {"prehend grasp bunny -o bunny.glb", "one grasp, as a clip: reach, close, lift, hold"},
      {"prehend grasp mug --count 10 -o mug.png -o mug.json",
       "ten different ones as a sheet of pictures, and as data"},
      {"prehend grasp hammer --region -0.2,0,0,0.07 -o hammer.html", "by its handle"},
      {"prehend grasp bottle --count 3 -o bottle-{}.glb", "a clip each: bottle-1.glb, ..."},
      {"prehend grasp part.stl --units mm --mass 0.3 --model tip", "a mesh in millimetres"},
      {"prehend grasp scenes/grasp/mug.toml -o mug.glb", "a scene's object and hand"},
      {"prehend grasp sphere --optimizer cma-es --evaluations 2000 --json", "for programs"},
  };
  verb.endings = clip_endings();
  verb.endings.push_back(".json");
  verb.declare = [a](OptionSet& options) {
    a->grasp.declare(options);
    a->picture.declare(options);
  };
  verb.run = [a](Session& session) { return grasp(*a, session); };
  return verb;
}

}  // namespace prehend::cli
