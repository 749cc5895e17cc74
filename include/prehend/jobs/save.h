// A clip into a file, in the form that the ending picks.
#pragma once

#include <string>
#include <vector>

#include "prehend/core/clip.h"
#include "prehend/core/summary.h"
#include "prehend/io/clip_marks.h"
#include "prehend/io/skin_asset.h"
#include "prehend/picture/film.h"

namespace prehend::jobs {

struct SaveOptions {
  picture::PictureOptions picture;
  picture::ClipPictureOptions show = {.skin = io::generic_hand_skin};
  bool skin = true;
  io::ClipMarks marks;  // of pages and GLB
};

// Endings that save_clip takes.
const std::vector<std::string>& clip_endings();

struct Saved {
  std::vector<std::string> files;  // BVH holds one track a file
  Summary summary;                 // interrupted: no file, or a film that ends early
};
Result<Saved> save_clip(const Clip& clip, const std::string& path, const SaveOptions& options = {},
                        const Monitor& monitor = {});

}  // namespace prehend::jobs
