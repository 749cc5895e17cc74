#include "prehend/jobs/render.h"

#include <cmath>

#include <fmt/format.h>

#include "jobs/job_context.h"
#include "prehend/core/text.h"
#include "prehend/io/skin_asset.h"
#include "prehend/jobs/load.h"
#include "prehend/picture/draw.h"
#include "prehend/picture/film.h"

namespace prehend::jobs {
namespace {

Status check(const RenderJob& job, const Clip& clip) {
  const double end = clip.duration();
  if (job.skin && job.capsules) return Error{"render: --skin and --capsules exclude each other"};
  if (job.forces && job.no_forces)
    return Error{"render: --forces and --no-forces exclude each other"};
  if (job.time && !(*job.time >= 0.0 && *job.time <= end + 1e-9))
    return Error{
        fmt::format("--time: {} s should be from 0 to the clip's end at {:.3f} s", *job.time, end)};
  if (job.frame && !(*job.frame >= 0 && *job.frame < clip.frame_count()))
    return Error{fmt::format("--frame: {} should be from 0 to the last, {}", *job.frame,
                             clip.frame_count() - 1)};
  if (job.first < 0.0 || job.first > end + 1e-9 || (job.last && !(*job.last >= job.first)))
    return Error{fmt::format("--from and --to should lie in order within 0 to {:.3f} s", end)};
  if (job.sheet && !(*job.sheet >= 1 && *job.sheet <= 400))
    return Error{fmt::format("--sheet: {} should be from 1 to 400", *job.sheet)};
  if (job.force_scale && !(*job.force_scale > 0.0))
    return Error{fmt::format("--force-scale: {} should be above 0", *job.force_scale)};
  if (!(job.film_rate >= 1.0 && job.film_rate <= 240.0))
    return Error{fmt::format("--fps: {} should be from 1 to 240", job.film_rate)};
  if (!(job.speed >= 0.01 && job.speed <= 100.0))
    return Error{fmt::format("--speed: {} should be from 0.01 to 100", job.speed)};
  if (!(job.object_opacity >= 0.0 && job.object_opacity <= 1.0))
    return Error{fmt::format("--object-opacity: {} should be from 0 to 1", job.object_opacity)};
  if (job.forces && !clip.forces_recorded)
    return Error{"--forces: the input has no recorded contact forces"};
  return {};
}

picture::ClipPictureOptions shown(const RenderJob& job) {
  picture::ClipPictureOptions show;
  show.skin = job.capsules ? nullptr : io::generic_hand_skin;
  show.points = show.forces = !job.no_forces;
  show.object_opacity = job.object_opacity;
  show.meters_per_newton = job.force_scale;
  return show;
}

picture::PictureScene scene_at(const picture::ClipPainter& painter, double time,
                               const RenderJob& job) {
  picture::PictureScene scene = painter.scene(time);
  scene.floor = !job.no_floor;
  return scene;
}

Status write_still(const RenderJob& job, const Clip& clip, picture::PictureOptions picture,
                   const std::string& path, JobContext& context) {
  const picture::ClipPainter painter(clip, shown(job));
  const double time = job.frame  ? *job.frame / clip.frame_rate
                      : job.time ? *job.time
                                 : 0.5 * clip.duration();
  picture.camera =
      painter.framed(picture.camera, double(picture.width) / picture.height, time, time);
  context.report.details["time"] = time;
  return context.write_image(path, picture::render(scene_at(painter, time, job), picture));
}

Status write_sheet(const RenderJob& job, const Clip& clip, picture::PictureOptions picture,
                   const std::string& path, JobContext& context) {
  const picture::ClipPainter painter(clip, shown(job));
  const Monitor monitor = context.monitor();
  const double last = std::min(job.last.value_or(clip.duration()), clip.duration());
  const int count = *job.sheet;
  picture.camera =
      painter.framed(picture.camera, double(picture.width) / picture.height, job.first, last);
  std::vector<picture::Image> images;
  std::vector<std::string> labels;
  for (int i = 0; i < count; ++i) {
    const double time = count == 1 ? job.first : job.first + (last - job.first) * i / (count - 1);
    images.push_back(picture::render(scene_at(painter, time, job), picture));
    if (images.back().empty()) {
      context.interrupted(fmt::format("stopped after {} of {} pictures", i, count));
      return {};
    }
    labels.push_back(fmt::format("{:.2f} s", time));
    monitor.report(double(i + 1) / count, fmt::format("picture {} of {}", i + 1, count));
  }
  return context.write_image(path, picture::compose_sheet(images, labels));
}

Status write_film(const RenderJob& job, const Clip& clip, const picture::PictureOptions& picture,
                  const std::string& path, JobContext& context) {
  picture::ClipFilmOptions film;
  film.picture = picture;
  if (!job.picture.samples) film.picture.samples = 4;
  film.show = shown(job);
  film.frame_rate = job.film_rate;
  film.speed = job.speed;
  film.first = job.first;
  film.last = std::min(job.last.value_or(clip.duration()), clip.duration());
  const Result<Summary> done = picture::write_clip_film(path, clip, film, context.monitor());
  if (!done) return done.error();
  context.report.summary = *done;
  if (done->iterations > 0) context.wrote(path);
  return {};
}

Result<Outcome> render(const RenderJob& job, JobContext& context) {
  context.report.inputs = job.inputs;
  if (context.settings().outputs.empty())
    return Error{"render: say where to write, with -o FILE.png or -o FILE.mp4"};
  const Result<Loaded> loaded = load_clips(job.inputs, job.load);
  if (!loaded) return loaded.error();
  for (const std::string& note : loaded->notes) context.note(note);
  const Status good = check(job, loaded->clip);
  if (!good) return good.error();
  const auto picture =
      job.sheet ? context.picture(job.picture, 480, 360) : context.picture(job.picture, 960, 720);
  context.report.details["clip"] = clip_value(loaded->clip);
  for (const std::string& path : context.settings().outputs) {
    const bool film = file_ending(path) == ".mp4";
    const Status written = film        ? write_film(job, loaded->clip, picture, path, context)
                           : job.sheet ? write_sheet(job, loaded->clip, picture, path, context)
                                       : write_still(job, loaded->clip, picture, path, context);
    if (!written) return written.error();
    if (context.was_interrupted()) break;
  }
  context.report.details["width"] = picture.width;
  context.report.details["height"] = picture.height;
  context.report_files();
  return Outcome::kDone;
}

}  // namespace

Result<JobReport> run(const RenderJob& job, const Monitor& monitor) {
  JobContext context("render", job.settings, monitor);
  const auto outcome = render(job, context);
  if (!outcome) return outcome.error();
  return context.finish(*outcome);
}
}  // namespace prehend::jobs
