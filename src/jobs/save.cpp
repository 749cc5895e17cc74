#include "prehend/jobs/save.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "prehend/core/text.h"
#include "prehend/io/bvh_clip.h"
#include "prehend/io/clip_csv.h"
#include "prehend/io/glb.h"
#include "prehend/io/page.h"

namespace prehend::jobs {
namespace {

Result<Saved> one_file(const Status& status, const std::string& path) {
  if (!status) return status.error();
  return Saved{{path}, {}};
}

Result<Saved> several(Result<std::vector<std::string>> files) {
  if (!files) return files.error();
  return Saved{std::move(*files), {}};
}

Result<Saved> save_picture(const Clip& clip, const std::string& path, const SaveOptions& options,
                           const Monitor& monitor) {
  const picture::ClipPainter painter(clip, options.show);
  const double time = 0.5 * clip.duration();
  picture::PictureOptions picture = options.picture;
  picture.stop = monitor.stop;
  picture.camera =
      painter.framed(picture.camera, double(picture.width) / picture.height, time, time);
  const picture::Image image = picture::render(painter.scene(time), picture);
  if (image.empty())
    return Saved{{}, {Termination::kInterrupted, 0, 0.0, "stopped before the picture was done"}};
  return one_file(picture::write_png(image, path), path);
}

Result<Saved> save_film(const Clip& clip, const std::string& path, const SaveOptions& options,
                        const Monitor& monitor) {
  picture::ClipFilmOptions film;
  film.picture = options.picture;
  film.picture.samples = 4;
  film.show = options.show;
  const auto done = picture::write_clip_film(path, clip, film, monitor);
  if (!done) return done.error();
  if (done->termination == Termination::kInterrupted && done->iterations == 0)
    return Saved{{}, *done};
  return Saved{{path}, *done};
}

}  // namespace

const std::vector<std::string>& clip_endings() {
  static const std::vector<std::string> kEndings = {".glb",  ".bvh", ".csv",
                                                    ".html", ".png", ".mp4"};
  return kEndings;
}

Result<Saved> save_clip(const Clip& clip, const std::string& path, const SaveOptions& options,
                        const Monitor& monitor) {
  const std::string ending = file_ending(path);
  if (ending == ".glb")
    return one_file(io::write_glb(clip, path, {options.skin, options.marks}), path);
  if (ending == ".html")
    return one_file(io::write_page(clip, path, {.marks = options.marks}), path);
  if (ending == ".bvh") return several(io::write_bvh_clip(path, clip));
  if (ending == ".csv") return several(io::write_clip_csv(path, clip));
  if (ending == ".png") return save_picture(clip, path, options, monitor);
  if (ending == ".mp4") return save_film(clip, path, options, monitor);
  return Error{fmt::format("cannot write {}: a clip is written as {}", printable(path, 200),
                           fmt::join(clip_endings(), " "))};
}

}  // namespace prehend::jobs
