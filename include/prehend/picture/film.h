// Films: pictures piped to ffmpeg.
#pragma once

#include <functional>
#include <string>

#include "prehend/core/summary.h"
#include "prehend/picture/clip_picture.h"

namespace prehend::picture {

// H.264 in an .mp4 that every browser plays. `picture(i)` makes frame i; all have the size of the
// first, cut to even numbers. Stopped early, the film holds the frames made until then; with none,
// or on an error, no file is left.
Result<Summary> write_film(const std::string& path, int frames, double frame_rate,
                           const std::function<Image(int)>& picture, const Monitor& monitor = {});

struct ClipFilmOptions {
  PictureOptions picture;  // camera left open: frames the whole clip
  ClipPictureOptions show;
  double frame_rate = 30.0;
  double speed = 1.0;  // 0.25: slow motion
  double first = 0.0;  // seconds of the clip
  double last = -1.0;  // negative: its end
};
Result<Summary> write_clip_film(const std::string& path, const Clip& clip,
                                const ClipFilmOptions& options, const Monitor& monitor = {});

}  // namespace prehend::picture
