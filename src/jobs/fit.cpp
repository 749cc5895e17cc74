#include "prehend/jobs/fit.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "jobs/fit_value.h"
#include "jobs/job_context.h"
#include "jobs/object_size.h"
#include "jobs/physics_value.h"
#include "prehend/core/text.h"
#include "prehend/io/bvh_clip.h"
#include "prehend/io/mesh_file.h"
#include "prehend/jobs/control_file.h"
#include "prehend/jobs/save.h"
#include "prehend/methods/example_control/examples.h"

namespace prehend::jobs {
namespace {

using example_control::FitOptions;
using example_control::FitProblem;
using example_control::FitResult;
using example_control::Gains;

// Table 1's second row: hands that respond to each other are stiffer.
constexpr Gains kHandshakeGains = {300.0, 60.0, 5000.0};

Result<Outcome> write_examples(const std::string& folder, JobContext& context) {
  namespace control = example_control;
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    return Error{fmt::format("--examples: cannot make the folder {}: {}", printable(folder, 200),
                             failed.message())};
  control::PerformanceOptions options;
  options.seed = context.settings().seed;
  for (const auto& [name, clip] : {std::pair{"cylinder_grasp", control::cylinder_grasp(options)},
                                   {"range_of_motion", control::range_of_motion(options)},
                                   {"handshake", control::handshake(options)}}) {
    const auto path = std::filesystem::path(folder) / fmt::format("{}.bvh", name);
    const auto written = io::write_bvh_clip(path.string(), clip);
    if (!written) return written.error();
    for (const std::string& file : *written) context.wrote(file);
    // BVH knows no shapes, and what the performer grasped is none of the built-in objects.
    for (const ObjectTrack& track : clip.objects) {
      const auto mesh =
          std::filesystem::path(folder) / fmt::format("{}.{}.obj", name, track.object->name);
      if (const Status done = io::write_mesh(*track.object->shape.mesh, mesh.string()); !done)
        return done.error();
      context.wrote(mesh.string());
    }
  }
  context.report_files();
  return Outcome::kDone;
}

// A track by its name or its number; -1 if there is none.
template <typename Tracks, typename Name>
int find_track(const Tracks& tracks, const std::string& text, Name&& name) {
  for (int i = 0; i < std::ssize(tracks); ++i)
    if (name(tracks[i]) == text) return i;
  int number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && number >= 0 && number < std::ssize(tracks) ? number : -1;
}
int find_hand(const Clip& clip, const std::string& text) {
  return find_track(clip.hands, text, [](const HandTrack& t) { return t.hand->name; });
}
int find_object(const Clip& clip, const std::string& text) {
  return find_track(clip.objects, text, [](const ObjectTrack& t) { return t.object->name; });
}

Error no_such_track(const char* option, const std::string& text, const Clip& clip, bool objects) {
  std::vector<std::string> names;
  for (const HandTrack& track : clip.hands) names.push_back(track.hand->name);
  if (objects)
    for (const ObjectTrack& track : clip.objects) names.push_back(track.object->name);
  return Error{fmt::format("{}: there is no '{}'; there are {}", option, printable(text),
                           fmt::join(names, ", "))};
}

// Only the two hands that meet, since a problem knows "the other".
FitProblem two_hands(const Clip& clip, int hand, int other) {
  FitProblem problem;
  problem.example = clip;
  problem.example.contacts.clear();
  problem.example.forces_recorded = false;
  problem.example.objects.clear();
  problem.example.hands = {clip.hands[hand], clip.hands[other]};
  problem.object = -1;
  problem.library_hand = hand;
  return problem;
}

Result<std::vector<FitProblem>> make_problems(const FitJob& job, const Clip& clip) {
  const std::string file = printable(job.inputs[0], 200);
  if (clip.hands.empty()) return Error{file + ": has no hand; fit needs one and what it grasps"};
  int hand = 0;
  if (!job.track.empty()) {
    hand = find_hand(clip, job.track);
    if (hand < 0) return no_such_track("--track", job.track, clip, false);
  }
  int object = clip.objects.empty() ? -1 : 0, other = -1;
  if (!job.other.empty()) {
    object = find_object(clip, job.other);
    if (object < 0) other = find_hand(clip, job.other);
    if (object < 0 && other < 0) return no_such_track("--other", job.other, clip, true);
    if (other == hand) return Error{"--other: a hand does not grasp itself"};
  }
  if (object >= 0) {
    FitProblem problem;
    problem.example = clip;
    problem.hand = problem.library_hand = hand;
    problem.object = object;
    return std::vector{problem};
  }
  if (clip.hands.size() < 2)
    return Error{
        fmt::format("{}: has a hand but nothing that it grasps; give its object as "
                    "--object MOTION.bvh=OBJECT, or a second hand",
                    file)};
  if (other < 0) other = hand == 0 ? 1 : 0;
  const FitProblem first = two_hands(clip, hand, other);
  if (!job.track.empty()) return std::vector{first};
  return std::vector{first, two_hands(clip, other, hand)};
}

Result<Clip> load_example(const FitJob& job, JobContext& context) {
  auto loaded = load_clips(job.inputs, job.load);
  if (!loaded) return loaded.error();
  for (const std::string& note : loaded->notes) context.note(note);
  const Clip& clip = loaded->clip;
  for (const ObjectTrack& track : clip.objects)
    context.note(fmt::format("{} is {}", track.object->name, size_text(*track.object)));
  if (job.start == 0.0 && !job.end) return clip;
  const int count = clip.frame_count();
  const auto frame = [&](double seconds) {
    return static_cast<int>(std::lround(std::min(seconds * clip.frame_rate, double(count - 1))));
  };
  const int first = frame(job.start), last = job.end ? frame(*job.end) : count - 1;
  if (last - first < 1)
    return Error{fmt::format("--start and --end: {:g} to {:g} s keep nothing of {:.3f} s",
                             job.start, job.end.value_or(clip.duration()), clip.duration())};
  return cut(clip, first, last);
}

Result<std::vector<Clip>> load_library(const FitJob& job, JobContext& context) {
  std::vector<Clip> clips;
  const Monitor monitor = context.monitor();
  for (const std::string& path : job.library) {
    auto loaded = load_clip(path, job.load);
    if (!loaded) return loaded.error();
    if (loaded->clip.hands.empty())
      return Error{printable(path, 200) + ": has no hand; the library is motion of hands"};
    clips.push_back(std::move(loaded->clip));
    monitor.report(double(clips.size()) / double(job.library.size()), "reading " + path);
  }
  return clips;
}

Status check(const FitJob& job, const JobContext& context) {
  if (job.inputs.empty()) return Error{"fit: give a recording, or --examples FOLDER"};
  if (!(job.start >= 0.0) || !std::isfinite(job.start) || (job.end && !(*job.end >= 0.0)))
    return Error{"--start and --end: should be seconds, not below zero"};
  if (job.d1.has_value() != job.d2.has_value())
    return Error{"fit: give both of --d1 and --d2, or none"};
  if (job.d1 && !(*job.d1 > 0.0 && *job.d1 < *job.d2))
    return Error{
        fmt::format("--d1, --d2: D1 = {:g} m and D2 = {:g} m; give 0 < D1 < D2", *job.d1, *job.d2)};
  for (const auto& [option, gain] : {std::pair{"--stiffness", job.stiffness},
                                     {"--damping", job.damping},
                                     {"--limit-stiffness", job.limit_stiffness}}) {
    if (gain && !(*gain > 0.0 && std::isfinite(*gain)))
      return Error{fmt::format("{}: {:g} should be a number above zero", option, *gain)};
  }
  if (job.list && !context.settings().outputs.empty()) return Error{"--list writes no files"};
  return {};
}

FitOptions fit_options(const FitJob& job, const JobContext& context, const Clip& clip,
                       bool handshake) {
  FitOptions options;
  if (handshake) options.gains = kHandshakeGains;
  options.gains.stiffness = job.stiffness.value_or(options.gains.stiffness);
  options.gains.damping = job.damping.value_or(options.gains.damping);
  options.gains.limit_stiffness = job.limit_stiffness.value_or(options.gains.limit_stiffness);
  if (job.d1) options.distances = {*job.d1, *job.d2};
  options.grasp = job.grasp.value_or(options.grasp);
  options.name = job.name.empty() ? clip.name : job.name;
  for (const std::string& path : context.settings().outputs) {
    if (job.name.empty() && file_ending(path) == ".json")
      options.name = std::filesystem::path(path).stem().string();
  }
  return options;
}

Result<std::vector<FitResult>> fit_all(const FitJob& job, std::vector<FitProblem>& problems,
                                       JobContext& context) {
  const auto library = load_library(job, context);
  if (!library) return library.error();
  std::vector<FitResult> fits;
  for (FitProblem& problem : problems) {
    problem.library = *library;
    FitOptions options = fit_options(job, context, problem.example, problem.object < 0);
    if (problems.size() > 1) options.name += fmt::format("-{}", fits.size() + 1);
    auto fitted = fit(problem, options, context.monitor());
    if (!fitted)
      return Error{fmt::format("{}: {}", printable(job.inputs[0], 200), fitted.message())};
    fits.push_back(std::move(*fitted));
    if (context.stopped()) break;
  }
  return fits;
}

Status write(const FitJob& job, const std::vector<FitProblem>& problems,
             const std::vector<FitResult>& fits, const std::string& path, JobContext& context) {
  const std::string ending = file_ending(path);
  if (ending == ".png") return context.write_image(path, fit_picture(fits, job.start));
  if (ending == ".json") {
    std::vector<example_control::Controller> controllers;
    for (const FitResult& fit : fits) controllers.push_back(fit.controller);
    const Status written = write_controllers(path, controllers);
    if (written) context.wrote(path);
    return written;
  }
  SaveOptions save;
  save.picture = context.picture(job.picture, 960, 720);
  return context.write_clip(path, fit_clip(fits[0], problems[0].example, problems[0].object), save);
}

void report(const FitJob& job, const std::vector<FitResult>& fits, JobContext& context) {
  io::Value& details = context.report.details;
  double free = 0.0, worst = 0.0;
  for (const FitResult& fit : fits) {
    free = std::max(free, fit.free_rms);
    worst = std::max(worst, fit.worst_joint_rms);
    details["controllers"].push_back(fit_value(fit, job.start));
    context.print(fit_text(fit, job.start));
  }
  details["free_rms_deg"] = degrees(free);
  details["worst_joint_rms_deg"] = degrees(worst);
  context.report.summary = fits.back().summary;
  context.report.physics = physics_value(fits.back().physics);
}

Result<Outcome> list(const FitJob& job, const FitProblem& problem, JobContext& context,
                     FitReport& result) {
  const auto grasps = list_grasps(problem);
  if (!grasps) return Error{fmt::format("{}: {}", printable(job.inputs[0], 200), grasps.message())};
  const double rate = problem.example.frame_rate;
  context.print(grasps_found_text(*grasps, rate, job.start));
  context.report.details["grasps"] = grasps_found_value(*grasps, rate, job.start);
  result.grasps = *grasps;
  return Outcome::kDone;
}

Result<Outcome> fit_grasps(const FitJob& job, JobContext& context, FitReport& result) {
  context.report.inputs = job.inputs;
  if (!job.examples_folder.empty()) return write_examples(job.examples_folder, context);
  if (const Status good = check(job, context); !good) return good.error();
  const auto clip = load_example(job, context);
  if (!clip) return clip.error();
  auto problems = make_problems(job, *clip);
  if (!problems) return problems.error();
  if (job.list) return list(job, problems->front(), context, result);
  const auto fits = fit_all(job, *problems, context);
  if (!fits) return fits.error();
  if (context.stopped()) {
    context.interrupted("stopped before the fit was done");
    return Outcome::kInterrupted;
  }
  report(job, *fits, context);
  for (const std::string& path : context.settings().outputs) {
    if (const Status written = write(job, *problems, *fits, path, context); !written)
      return written.error();
    if (context.was_interrupted()) break;
  }
  context.report_files();
  result.fits = *fits;
  return Outcome::kDone;
}

}  // namespace

Result<FitReport> run(const FitJob& job, const Monitor& monitor) {
  JobContext context("fit", job.settings, monitor);
  FitReport report;
  const auto outcome = fit_grasps(job, context, report);
  if (!outcome) return outcome.error();
  static_cast<JobReport&>(report) = context.finish(*outcome);
  return report;
}
}  // namespace prehend::jobs
