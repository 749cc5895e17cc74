// prehend audit: is this clip physically true?
#include <fmt/format.h>

#include "cli/audit_value.h"
#include "cli/load_arguments.h"
#include "cli/verbs.h"
#include "prehend/audit/audit.h"
#include "prehend/cli/load.h"
#include "prehend/cli/session.h"
#include "prehend/core/atomic_file.h"

namespace prehend::cli {
namespace {

struct Arguments {
  std::vector<std::string> inputs;
  LoadOptions load;
  std::string floor;
  bool any_forces = false;
  double contact_distance_mm = 0.0, window = 0.0;
};

void declare(Arguments& a, OptionSet& options) {
  options.inputs("CLIP", &a.inputs, 1, 64, "Clips (.glb .bvh .csv) that belong together");
  options.text("--floor", &a.floor, "Y", "Height of a floor that the clip does not hold");
  options.flag("--any-forces", &a.any_forces,
               "Ask whether any forces could do it, even where some are recorded");
  options.number("--contact-mm", &a.contact_distance_mm, "MM", "Nearer than this touches [2]");
  options.number("--window", &a.window, "SECONDS",
                 "Of motion that accelerations are taken from [0.07]");
  declare_load(a.load, options);
}

Result<audit::AuditOptions> audit_options(const Arguments& a) {
  audit::AuditOptions options;
  options.use_recorded_forces = !a.any_forces;
  if (a.contact_distance_mm < 0.0 || a.contact_distance_mm > 100.0) {
    return Error{fmt::format("--contact-mm: {} should be from 0 to 100", a.contact_distance_mm)};
  }
  if (a.contact_distance_mm > 0.0) options.contact_distance = 1e-3 * a.contact_distance_mm;
  if (a.window < 0.0 || a.window > 10.0) {
    return Error{fmt::format("--window: {} should be from 0.01 to 10 seconds", a.window)};
  }
  if (a.window > 0.0) options.window = a.window;
  if (!a.floor.empty()) {
    size_t read = 0;
    try {
      options.floor_height = std::stod(a.floor, &read);
    } catch (const std::exception&) {
      read = 0;
    }
    if (read != a.floor.size()) {
      return Error{fmt::format("--floor: '{}' should be a height in metres", a.floor)};
    }
  }
  return options;
}

Status write_output(const audit::AuditReport& report, const Clip& clip, const std::string& path) {
  if (path.ends_with(".csv")) return write_file(path, audit_csv(report, clip.frame_rate));
  if (path.ends_with(".png")) {
    return picture::write_png(audit_picture(report, clip.frame_rate, clip.name), path);
  }
  return write_file(path, io::to_json(audit_value(report)) + "\n");
}

Result<int> run(const Arguments& a, Session& session) {
  session.report.inputs = a.inputs;
  const auto options = audit_options(a);
  if (!options) return options.error();
  const auto loaded = load_clips(a.inputs, a.load);
  if (!loaded) return loaded.error();
  for (const std::string& note : loaded->notes) session.note(note);
  const auto report = audit::audit(loaded->clip, *options, session.monitor());
  if (!report) return Error{fmt::format("{}: {}", a.inputs[0], report.message())};
  session.report.summary = report->summary;
  session.report.audit = audit_value(*report);
  session.report.details["clip"] = clip_value(loaded->clip);
  for (const std::string& path : session.common().outputs) {
    if (Status status = write_output(*report, loaded->clip, path); !status) return status.error();
  }
  session.print(clip_text(loaded->clip) + "\n" + audit_text(*report));
  if (report->summary.termination == Termination::kInterrupted) return kExitInterrupted;
  return report->verdict == "pass" ? kExitDone : kExitMissed;
}

}  // namespace

Verb audit_verb() {
  auto arguments = std::make_shared<Arguments>();
  Verb verb;
  verb.name = "audit";
  verb.summary = "Is this clip physically true? Of any clip, whoever made it";
  verb.examples = {
      {"prehend audit clip.glb", "penetration, forces, friction, limits, slip; exit 1 if it fails"},
      {"prehend audit hand.bvh --object cup.bvh=cup.obj --floor 0",
       "capture, on a table at height 0"},
      {"prehend audit clip.glb -o frames.csv -o plot.png", "frame by frame"}};
  verb.endings = {".json", ".csv", ".png"};
  verb.declare = [arguments](OptionSet& options) { declare(*arguments, options); };
  verb.run = [arguments](Session& session) { return run(*arguments, session); };
  return verb;
}

}  // namespace prehend::cli
