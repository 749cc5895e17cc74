// A clip as one HTML file that plays it: no network, no other file, opens from a folder.
#pragma once

#include <string>

#include "prehend/core/clip.h"
#include "prehend/core/result.h"
#include "prehend/io/clip_marks.h"

namespace prehend::io {

struct PageOptions {
  std::string title;     // empty: the clip's name
  bool autoplay = true;  // start moving when opened
  // "light", "dark", or empty for what the viewer's system prefers.
  std::string theme;
  ClipMarks marks;
};

Status write_page(const Clip& clip, const std::string& path, const PageOptions& options = {});

}  // namespace prehend::io
