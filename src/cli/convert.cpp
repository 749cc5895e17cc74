// prehend convert: any clip form to any other, several inputs into one clip.
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "cli/load_arguments.h"
#include "cli/verbs.h"
#include "prehend/cli/load.h"
#include "prehend/cli/save.h"
#include "prehend/cli/session.h"
#include "prehend/core/text.h"

namespace prehend::cli {
namespace {

struct Arguments {
  std::vector<std::string> inputs;
  LoadOptions load;
  std::string cut;
  double rate = 0.0;
  bool capsules = false;
};

void declare(Arguments& a, OptionSet& options) {
  options.inputs("INPUT", &a.inputs, 1, 64, "Clips: .glb .bvh .csv; several become one");
  declare_load(a.load, options);
  options.number("--rate", &a.rate, "HZ", "Frames a second of the output [the input's]");
  options.text("--cut", &a.cut, "FROM:TO", "Seconds to keep, such as 1.5:4; frames as 10f:200f");
  options.flag("--capsules", &a.capsules, "Hands as contact shapes instead of skin, in .glb");
}

// One end of a cut as a frame, or nothing when it is left open.
Result<std::optional<int>> cut_end(std::string_view text, const Clip& clip,
                                   const std::string& whole) {
  if (text.empty()) return std::optional<int>();
  const bool frames = text.back() == 'f';
  if (frames) text.remove_suffix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0.0) || value > 1e9)
    return Error{fmt::format("--cut: '{}' should be such as 1.5:4 (seconds) or 10f:200f (frames)",
                             printable(whole))};
  return std::optional<int>(
      static_cast<int>(std::lround(frames ? value : value * clip.frame_rate)));
}

Result<Clip> cut_clip(const Clip& clip, const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos)
    return Error{fmt::format("--cut: '{}' should be FROM:TO, such as 1.5:4", printable(text))};
  const auto first = cut_end(std::string_view(text).substr(0, colon), clip, text);
  if (!first) return first.error();
  const auto last = cut_end(std::string_view(text).substr(colon + 1), clip, text);
  if (!last) return last.error();
  const int from = first->value_or(0);
  const int to = std::min(last->value_or(clip.frame_count() - 1), clip.frame_count() - 1);
  if (from > to)
    return Error{fmt::format("--cut: '{}' keeps nothing of {} frames, {:.3f} s", printable(text),
                             clip.frame_count(), clip.duration())};
  return cut(clip, from, to);
}

Result<int> convert(const Arguments& a, Session& session) {
  session.report.inputs = a.inputs;
  if (a.rate != 0.0 && !(a.rate >= 0.1 && a.rate <= 10000.0))
    return Error{fmt::format("--rate: {} should be from 0.1 to 10000", a.rate)};
  auto loaded = load_clips(a.inputs, a.load);
  if (!loaded) return loaded.error();
  for (const std::string& note : loaded->notes) session.note(note);
  Clip clip = std::move(loaded->clip);
  if (!a.cut.empty()) {
    auto kept = cut_clip(clip, a.cut);
    if (!kept) return kept.error();
    clip = std::move(*kept);
  }
  if (a.rate > 0.0 && clip.frame_count() > 1) clip = resample(clip, a.rate);
  session.print(clip_text(clip));
  session.report.details["clip"] = clip_value(clip);
  SaveOptions save;
  save.skin = save.show.skin = !a.capsules;
  save.picture.threads = session.common().threads;
  std::vector<std::string> files;
  for (const std::string& path : session.common().outputs) {
    if (session.stopped()) {
      session.report.summary.termination = Termination::kInterrupted;
      break;
    }
    const auto saved = save_clip(clip, path, save, session.monitor());
    if (!saved) return saved.error();
    if (saved->summary.termination == Termination::kInterrupted)
      session.report.summary = saved->summary;
    files.insert(files.end(), saved->files.begin(), saved->files.end());
  }
  for (const std::string& file : files) session.print("wrote " + file);
  session.report.details["outputs"] = files;
  return kExitDone;
}

}  // namespace

Verb convert_verb() {
  const auto a = std::make_shared<Arguments>();
  Verb verb;
  verb.name = "convert";
  verb.summary = "Clips from any form to any other; several inputs become one clip";
  verb.examples = {
      {"prehend convert hand.bvh -o hand.glb", "motion capture for a viewer or an engine"},
      {"prehend convert leftHand.bvh rightHand.bvh --object cyl.bvh=cylinder -o clip.glb",
       "two hands and what they hold"},
      {"prehend convert hand.bvh --map names.toml --cut 2:5 --rate 60 -o part.html",
       "three seconds as a page that plays"},
      {"prehend convert angles.csv --hand hand.xml --object obj=mug.stl -o clip.glb",
       "joint angles by name, and an object's pose"},
      {"prehend convert clip.glb -o clip.bvh", "for programs that read BVH"},
  };
  verb.endings = clip_endings();
  verb.declare = [a](OptionSet& options) { declare(*a, options); };
  verb.run = [a](Session& session) { return convert(*a, session); };
  return verb;
}

}  // namespace prehend::cli
