// prehend render: still pictures, sheets over time and films of clips, hands and objects.
#include <cmath>

#include <fmt/format.h>

#include "cli/load_arguments.h"
#include "cli/picture_arguments.h"
#include "cli/verbs.h"
#include "prehend/cli/load.h"
#include "prehend/cli/session.h"
#include "prehend/core/text.h"
#include "prehend/io/skin_asset.h"
#include "prehend/picture/draw.h"
#include "prehend/picture/film.h"

namespace prehend::cli {
namespace {

struct Arguments {
  std::vector<std::string> inputs;
  LoadOptions load;
  PictureArguments picture;
  double time = -1.0, first = 0.0, last = -1.0;
  int frame = -1, sheet = 0;
  bool skin = false, capsules = false, forces = false, no_forces = false, no_floor = false;
  double force_scale = 0.0, opacity = 1.0;
  double film_rate = 30.0, speed = 1.0;
};

void declare(Arguments& a, OptionSet& options) {
  options.inputs(
      "INPUT", &a.inputs, 1, 64,
      "Clips (.glb .bvh .csv), a hand (.xml) or an OBJECT (mesh file or built-in's name)");
  options.number("--time", &a.time, "SECONDS", "When a still is taken [the middle]");
  options.integer("--frame", &a.frame, "N", "The same as a frame, from 0");
  options.integer("--sheet", &a.sheet, "N", "N pictures over time on one sheet");
  options.number("--from", &a.first, "SECONDS", "Where films and sheets begin [0]");
  options.number("--to", &a.last, "SECONDS", "Where they end [the end]");
  options.number("--fps", &a.film_rate, "N", "Frames a second of a film [30]");
  options.number("--speed", &a.speed, "X", "Of a film: 0.25 is slow motion [1]");
  options.flag("--skin", &a.skin, "Hands with skin [so it is, where the hand has all joints]");
  options.flag("--capsules", &a.capsules, "Hands as their contact shapes");
  options.flag("--forces", &a.forces, "Insist on contact forces: an input without any is an error");
  options.flag("--no-forces", &a.no_forces, "Leave out contact points and forces");
  options.number("--force-scale", &a.force_scale, "M/N", "Metres a newton [the largest 7 cm]");
  options.number("--object-opacity", &a.opacity, "X", "Below 1 objects are see-through [1]");
  options.flag("--no-floor", &a.no_floor, "Without the floor and its shadows");
  a.picture.declare(options);
  declare_load(a.load, options);
}

Status check(const Arguments& a, const Clip& clip) {
  const double end = clip.duration();
  if (a.skin && a.capsules) return Error{"render: --skin and --capsules exclude each other"};
  if (a.forces && a.no_forces) return Error{"render: --forces and --no-forces exclude each other"};
  if (a.time > end + 1e-9)
    return Error{fmt::format("--time: {} s is after the clip's end at {:.3f} s", a.time, end)};
  if (a.frame >= clip.frame_count())
    return Error{
        fmt::format("--frame: {} is beyond the last, {}", a.frame, clip.frame_count() - 1)};
  if (a.first < 0.0 || a.first > end + 1e-9 || (a.last >= 0.0 && a.last < a.first))
    return Error{fmt::format("--from and --to should lie in order within 0 to {:.3f} s", end)};
  if (a.sheet < 0 || a.sheet > 400)
    return Error{fmt::format("--sheet: {} should be from 1 to 400", a.sheet)};
  if (!(a.film_rate >= 1.0 && a.film_rate <= 240.0))
    return Error{fmt::format("--fps: {} should be from 1 to 240", a.film_rate)};
  if (!(a.speed >= 0.01 && a.speed <= 100.0))
    return Error{fmt::format("--speed: {} should be from 0.01 to 100", a.speed)};
  if (!(a.opacity >= 0.0 && a.opacity <= 1.0))
    return Error{fmt::format("--object-opacity: {} should be from 0 to 1", a.opacity)};
  if (a.forces && !clip.forces_recorded)
    return Error{"--forces: the input has no recorded contact forces"};
  return {};
}

picture::ClipPictureOptions shown(const Arguments& a) {
  picture::ClipPictureOptions show;
  show.skin = a.capsules ? nullptr : io::generic_hand_skin;
  show.points = show.forces = !a.no_forces;
  show.object_opacity = a.opacity;
  if (a.force_scale > 0.0) show.metres_per_newton = a.force_scale;
  return show;
}

picture::PictureScene scene_at(const picture::ClipPainter& painter, double time,
                               const Arguments& a) {
  picture::PictureScene scene = painter.scene(time);
  scene.floor = !a.no_floor;
  return scene;
}

Status write_still(const Arguments& a, const Clip& clip, picture::PictureOptions picture,
                   const std::string& path, Session& session) {
  const picture::ClipPainter painter(clip, shown(a));
  const double time = a.frame >= 0  ? a.frame / clip.frame_rate
                      : a.time >= 0 ? a.time
                                    : 0.5 * clip.duration();
  picture.camera =
      painter.framed(picture.camera, double(picture.width) / picture.height, time, time);
  session.report.details["time"] = time;
  return picture::write_png(picture::render(scene_at(painter, time, a), picture), path);
}

Status write_sheet(const Arguments& a, const Clip& clip, picture::PictureOptions picture,
                   const std::string& path, Session& session) {
  const picture::ClipPainter painter(clip, shown(a));
  const Monitor monitor = session.monitor();
  const double last = a.last < 0.0 ? clip.duration() : std::min(a.last, clip.duration());
  picture.camera =
      painter.framed(picture.camera, double(picture.width) / picture.height, a.first, last);
  std::vector<picture::Image> images;
  std::vector<std::string> labels;
  for (int i = 0; i < a.sheet; ++i) {
    if (monitor.stop.stop_requested()) {
      session.report.summary.termination = Termination::kInterrupted;
      session.report.summary.message = fmt::format("stopped after {} of {} pictures", i, a.sheet);
      if (i == 0) return {};
      break;
    }
    const double time = a.sheet == 1 ? a.first : a.first + (last - a.first) * i / (a.sheet - 1);
    images.push_back(picture::render(scene_at(painter, time, a), picture));
    labels.push_back(fmt::format("{:.2f} s", time));
    monitor.report(double(i + 1) / a.sheet, fmt::format("picture {} of {}", i + 1, a.sheet));
  }
  return picture::write_png(picture::compose_sheet(images, labels), path);
}

Status write_film(const Arguments& a, const Clip& clip, const picture::PictureOptions& picture,
                  const std::string& path, Session& session) {
  picture::ClipFilmOptions film;
  film.picture = picture;
  if (a.picture.samples == 0) film.picture.samples = 4;
  film.show = shown(a);
  film.frame_rate = a.film_rate;
  film.speed = a.speed;
  film.first = a.first;
  film.last = a.last < 0.0 ? clip.duration() : std::min(a.last, clip.duration());
  const Result<Summary> done = picture::write_clip_film(path, clip, film, session.monitor());
  if (!done) return done.error();
  session.report.summary = *done;
  return {};
}

Result<int> render(const Arguments& a, Session& session) {
  session.report.inputs = a.inputs;
  if (session.common().outputs.empty())
    return Error{"render: say where to write, with -o FILE.png or -o FILE.mp4"};
  const Result<Loaded> loaded = load_clips(a.inputs, a.load);
  if (!loaded) return loaded.error();
  for (const std::string& note : loaded->notes) session.note(note);
  const Status good = check(a, loaded->clip);
  if (!good) return good.error();
  const auto picture = a.sheet > 0 ? a.picture.resolve(480, 360, session.common().threads)
                                   : a.picture.resolve(960, 720, session.common().threads);
  if (!picture) return picture.error();
  session.report.details["clip"] = clip_value(loaded->clip);
  for (const std::string& path : session.common().outputs) {
    const bool film = file_ending(path) == ".mp4";
    const Status written = film          ? write_film(a, loaded->clip, *picture, path, session)
                           : a.sheet > 0 ? write_sheet(a, loaded->clip, *picture, path, session)
                                         : write_still(a, loaded->clip, *picture, path, session);
    if (!written) return written.error();
    if (session.report.summary.termination == Termination::kInterrupted) break;
  }
  session.report.details["width"] = picture->width;
  session.report.details["height"] = picture->height;
  session.report.details["outputs"] = session.common().outputs;
  return kExitDone;
}

}  // namespace

Verb render_verb() {
  const auto a = std::make_shared<Arguments>();
  Verb verb;
  verb.name = "render";
  verb.summary = "Pictures and films of clips, hands and objects";
  verb.examples = {
      {"prehend render bunny -o bunny.png --camera 20,30", "a built-in object"},
      {"prehend render clip.glb -o sheet.png --sheet 8", "eight pictures over time"},
      {"prehend render clip.glb -o clip.mp4 --size 1280x720 --speed 0.5", "a film in half speed"},
      {"prehend render clip.glb -o shapes.png --capsules --time 1.5", "the contact shapes"},
  };
  verb.endings = {".png", ".mp4"};
  verb.declare = [a](OptionSet& options) { declare(*a, options); };
  verb.run = [a](Session& session) { return render(*a, session); };
  return verb;
}

}  // namespace prehend::cli
