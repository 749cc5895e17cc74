// prehend fit: from a recorded grasp to a controller that grasps.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/control_file.h"
#include "cli/fit_value.h"
#include "cli/load_arguments.h"
#include "cli/picture_arguments.h"
#include "cli/verbs.h"
#include "prehend/cli/save.h"
#include "prehend/cli/session.h"
#include "prehend/core/text.h"
#include "prehend/io/bvh_clip.h"
#include "prehend/io/mesh_file.h"
#include "prehend/methods/example_control/examples.h"

namespace prehend::cli {
namespace {

using example_control::FitOptions;
using example_control::FitProblem;
using example_control::FitResult;
using example_control::Gains;

// Table 1's second row: hands that respond to each other are stiffer.
constexpr Gains kHandshakeGains = {300.0, 60.0, 5000.0};

struct Arguments {
  static constexpr double kNotGiven = -1.0;

  std::vector<std::string> inputs, library;
  std::string examples, track, other, name;
  int grasp = -1;
  double start = 0.0, end = kNotGiven;
  double d1 = kNotGiven, d2 = kNotGiven;
  double stiffness = kNotGiven, damping = kNotGiven, limit_stiffness = kNotGiven;
  bool list = false;
  LoadOptions load;
  PictureArguments picture;
};

void declare(Arguments& a, OptionSet& options) {
  options.inputs("CLIP", &a.inputs, 0, 64,
                 "Recordings (.bvh .glb .csv) of a hand and an object, or of two hands");
  options.list("--library", &a.library, "CLIP",
               "More motion of that hand, for its neutral pose and its limits. May be repeated");
  options.text("--track", &a.track, "NAME", "The hand, by name or number [the first]");
  options.text("--other", &a.other, "NAME",
               "What it grasps: an object or a hand, by name [the first object, or the other hand, "
               "and then both are fitted]");
  options.integer("--grasp", &a.grasp, "N", "Which of the grasps in it, from 0 [first whole one]");
  options.flag("--list", &a.list, "Only say which grasps there are");
  options.number("--start", &a.start, "S", "Where the example begins [0]");
  options.number("--end", &a.end, "S", "Where it ends [with the recording]");
  options.number("--d1", &a.d1, "M", "From here on the hand closes [searched for the best fit]");
  options.number("--d2", &a.d2, "M", "From here on it opens [searched for the best fit]");
  options.number("--stiffness", &a.stiffness, "K", "k_S, 1/s^2 [200; two hands 300]");
  options.number("--damping", &a.damping, "K", "k_D, 1/s [50; two hands 60]");
  options.number("--limit-stiffness", &a.limit_stiffness, "K", "k_JL, 1/s^2 [5000]");
  options.text("--name", &a.name, "NAME", "Of the controller [the .json file's, or the clip's]");
  options.text("--examples", &a.examples, "FOLDER",
               "Write the clips that the program brings there, as BVH and OBJ, and stop");
  a.picture.declare(options);
  declare_load(a.load, options);
}

Result<int> write_examples(const std::string& folder, Session& session) {
  namespace control = example_control;
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    return Error{fmt::format("--examples: cannot make the folder {}: {}", printable(folder, 200),
                             failed.message())};
  control::PerformanceOptions options;
  options.seed = session.common().seed;
  std::vector<std::string> files;
  for (const auto& [name, clip] : {std::pair{"cylinder_grasp", control::cylinder_grasp(options)},
                                   {"range_of_motion", control::range_of_motion(options)},
                                   {"handshake", control::handshake(options)}}) {
    const auto path = std::filesystem::path(folder) / fmt::format("{}.bvh", name);
    const auto written = io::write_bvh_clip(path.string(), clip);
    if (!written) return written.error();
    files.insert(files.end(), written->begin(), written->end());
    // BVH knows no shapes, and what the performer grasped is none of the built-in objects.
    for (const ObjectTrack& track : clip.objects) {
      const auto mesh =
          std::filesystem::path(folder) / fmt::format("{}.{}.obj", name, track.object->name);
      if (const Status done = io::write_mesh(*track.object->shape.mesh, mesh.string()); !done)
        return done.error();
      files.push_back(mesh.string());
    }
  }
  for (const std::string& file : files) session.print("wrote " + file);
  session.report.details["outputs"] = files;
  return kExitDone;
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

Result<std::vector<FitProblem>> make_problems(const Arguments& a, const Clip& clip) {
  const std::string file = printable(a.inputs[0], 200);
  if (clip.hands.empty()) return Error{file + ": has no hand; fit needs one and what it grasps"};
  int hand = 0;
  if (!a.track.empty()) {
    hand = find_hand(clip, a.track);
    if (hand < 0) return no_such_track("--track", a.track, clip, false);
  }
  int object = clip.objects.empty() ? -1 : 0, other = -1;
  if (!a.other.empty()) {
    object = find_object(clip, a.other);
    if (object < 0) other = find_hand(clip, a.other);
    if (object < 0 && other < 0) return no_such_track("--other", a.other, clip, true);
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
  if (!a.track.empty()) return std::vector{first};
  return std::vector{first, two_hands(clip, other, hand)};
}

Result<Clip> load_example(const Arguments& a, Session& session) {
  auto loaded = load_clips(a.inputs, a.load);
  if (!loaded) return loaded.error();
  for (const std::string& note : loaded->notes) session.note(note);
  const Clip& clip = loaded->clip;
  if (a.start == 0.0 && a.end < 0.0) return clip;
  const int count = clip.frame_count();
  const auto frame = [&](double seconds) {
    return static_cast<int>(std::lround(std::min(seconds * clip.frame_rate, double(count - 1))));
  };
  const int first = frame(a.start), last = a.end < 0.0 ? count - 1 : frame(a.end);
  if (last - first < 1)
    return Error{fmt::format("--start and --end: {:g} to {:g} s keep nothing of {:.3f} s", a.start,
                             a.end < 0.0 ? clip.duration() : a.end, clip.duration())};
  return cut(clip, first, last);
}

Result<std::vector<Clip>> load_library(const Arguments& a, Session& session) {
  std::vector<Clip> clips;
  const Monitor monitor = session.monitor();
  for (const std::string& path : a.library) {
    auto loaded = load_clip(path, a.load);
    if (!loaded) return loaded.error();
    if (loaded->clip.hands.empty())
      return Error{printable(path, 200) + ": has no hand; the library is motion of hands"};
    clips.push_back(std::move(loaded->clip));
    monitor.report(double(clips.size()) / double(a.library.size()), "reading " + path);
  }
  return clips;
}

Status check(const Arguments& a, const Session& session) {
  if (a.inputs.empty()) return Error{"fit: give a recording, or --examples FOLDER"};
  if (!(a.start >= 0.0) || !std::isfinite(a.start) || !std::isfinite(a.end))
    return Error{"--start and --end: should be seconds, not below zero"};
  if ((a.d1 < 0.0) != (a.d2 < 0.0)) return Error{"fit: give both of --d1 and --d2, or none"};
  if (a.d1 >= 0.0 && !(a.d1 > 0.0 && a.d1 < a.d2))
    return Error{
        fmt::format("--d1, --d2: D1 = {:g} m and D2 = {:g} m; give 0 < D1 < D2", a.d1, a.d2)};
  for (const auto& [option, gain] : {std::pair{"--stiffness", a.stiffness},
                                     {"--damping", a.damping},
                                     {"--limit-stiffness", a.limit_stiffness}}) {
    if (gain != Arguments::kNotGiven && !(gain > 0.0 && std::isfinite(gain)))
      return Error{fmt::format("{}: {:g} should be a number above zero", option, gain)};
  }
  if (a.list && !session.common().outputs.empty()) return Error{"--list writes no files"};
  return {};
}

FitOptions fit_options(const Arguments& a, const Session& session, const Clip& clip,
                       bool handshake) {
  FitOptions options;
  if (handshake) options.gains = kHandshakeGains;
  if (a.stiffness > 0.0) options.gains.stiffness = a.stiffness;
  if (a.damping > 0.0) options.gains.damping = a.damping;
  if (a.limit_stiffness > 0.0) options.gains.limit_stiffness = a.limit_stiffness;
  if (a.d1 > 0.0) options.distances = {a.d1, a.d2};
  options.grasp = a.grasp;
  options.name = a.name.empty() ? clip.name : a.name;
  for (const std::string& path : session.common().outputs) {
    if (a.name.empty() && file_ending(path) == ".json")
      options.name = std::filesystem::path(path).stem().string();
  }
  return options;
}

Result<std::vector<FitResult>> fit_all(const Arguments& a, std::vector<FitProblem>& problems,
                                       Session& session) {
  const auto library = load_library(a, session);
  if (!library) return library.error();
  std::vector<FitResult> fits;
  for (FitProblem& problem : problems) {
    problem.library = *library;
    FitOptions options = fit_options(a, session, problem.example, problem.object < 0);
    if (problems.size() > 1) options.name += fmt::format("-{}", fits.size() + 1);
    auto fitted = fit(problem, options, session.monitor());
    if (!fitted) return Error{fmt::format("{}: {}", printable(a.inputs[0], 200), fitted.message())};
    fits.push_back(std::move(*fitted));
    if (session.stopped()) break;
  }
  return fits;
}

Status write(const Arguments& a, const std::vector<FitProblem>& problems,
             const std::vector<FitResult>& fits, const std::string& path, Session& session) {
  const std::string ending = file_ending(path);
  if (ending == ".png") return picture::write_png(fit_picture(fits, a.start), path);
  if (ending == ".json") {
    std::vector<example_control::Controller> controllers;
    for (const FitResult& fit : fits) controllers.push_back(fit.controller);
    return write_controllers(path, controllers);
  }
  const auto picture = a.picture.resolve(960, 720, session.common().threads);
  if (!picture) return picture.error();
  SaveOptions save;
  save.picture = *picture;
  const Clip clip = fit_clip(fits[0], problems[0].example, problems[0].object);
  const auto saved = save_clip(clip, path, save, session.monitor());
  if (!saved) return saved.error();
  return {};
}

void report(const Arguments& a, const std::vector<FitResult>& fits, Session& session) {
  io::Value& details = session.report.details;
  double free = 0.0, worst = 0.0;
  for (const FitResult& fit : fits) {
    free = std::max(free, fit.free_rms);
    worst = std::max(worst, fit.worst_joint_rms);
    details["controllers"].push_back(fit_value(fit, a.start));
    session.print(fit_text(fit, a.start));
  }
  details["free_rms_deg"] = degrees(free);
  details["worst_joint_rms_deg"] = degrees(worst);
  session.report.summary = fits.back().summary;
}

Result<int> list(const Arguments& a, const FitProblem& problem, Session& session) {
  const auto grasps = list_grasps(problem);
  if (!grasps) return Error{fmt::format("{}: {}", printable(a.inputs[0], 200), grasps.message())};
  const double rate = problem.example.frame_rate;
  session.print(grasps_found_text(*grasps, rate, a.start));
  session.report.details["grasps"] = grasps_found_value(*grasps, rate, a.start);
  return kExitDone;
}

Result<int> fit_verb_run(const Arguments& a, Session& session) {
  session.report.inputs = a.inputs;
  if (!a.examples.empty()) return write_examples(a.examples, session);
  if (const Status good = check(a, session); !good) return good.error();
  const auto clip = load_example(a, session);
  if (!clip) return clip.error();
  auto problems = make_problems(a, *clip);
  if (!problems) return problems.error();
  if (a.list) return list(a, problems->front(), session);
  const auto fits = fit_all(a, *problems, session);
  if (!fits) return fits.error();
  report(a, *fits, session);
  if (session.stopped()) return kExitInterrupted;
  for (const std::string& path : session.common().outputs) {
    if (const Status written = write(a, *problems, *fits, path, session); !written)
      return written.error();
    session.print("wrote " + path);
  }
  session.report.details["outputs"] = session.common().outputs;
  return kExitDone;
}

}  // namespace

Verb fit_verb() {
  const auto a = std::make_shared<Arguments>();
  Verb verb;
  verb.name = "fit";
  verb.summary = "A controller that grasps, from one recorded grasp";
  verb.examples = {
      {"prehend fit --examples clips", "the clips that the program brings, to begin with"},
      {"prehend fit clips/cylinder_grasp.right.bvh --object "
       "clips/cylinder_grasp.cylinder.bvh=clips/cylinder_grasp.cylinder.obj "
       "--library clips/range_of_motion.bvh "
       "-o grasp.json -o grasp.png",
       "a controller, and how well it follows the example"},
      {"prehend fit clips/handshake.right.bvh clips/handshake.right-2.bvh -o handshake.json",
       "two hands: a controller each, in one file"},
      {"prehend fit rightHand.bvh --object cyl.bvh=cyl.obj --list", "which grasps it holds"},
      {"prehend fit rightHand.bvh --object cyl.bvh=cyl.obj --grasp 2 --d1 0.05 --d2 0.3 -o c.json",
       "the third of them, with distances of one's own"},
  };
  verb.endings = clip_endings();
  verb.endings.push_back(".json");
  verb.declare = [a](OptionSet& options) { declare(*a, options); };
  verb.run = [a](Session& session) { return fit_verb_run(*a, session); };
  return verb;
}

}  // namespace prehend::cli
