#include "jobs/moments.h"

#include <algorithm>

#include "prehend/io/skin_asset.h"
#include "prehend/picture/clip_picture.h"
#include "prehend/picture/draw.h"

namespace prehend::jobs {

picture::Image moments_picture(const Clip& clip, const std::vector<Moment>& moments,
                               const picture::PictureOptions& options, const Monitor& monitor) {
  const picture::ClipPainter painter(clip, {.skin = io::generic_hand_skin});
  picture::PictureOptions picture = options;
  picture.camera =
      painter.framed(picture.camera, double(picture.width) / picture.height, 0.0, clip.duration());
  std::vector<picture::Image> images;
  std::vector<std::string> labels;
  for (const Moment& moment : moments) {
    images.push_back(
        picture::render(painter.scene(std::min(moment.time, clip.duration())), picture));
    if (images.back().empty()) return {};
    labels.push_back(moment.label);
    monitor.report(double(images.size()) / double(moments.size()), "drawing");
  }
  picture::SheetOptions sheet;
  sheet.columns = 4;
  return picture::compose_sheet(images, labels, sheet);
}

}  // namespace prehend::jobs
