// The worst of each measure, looked at from near: a picture each, with a mark at its place.
#include <fmt/format.h>

#include "jobs/audit_value.h"
#include "prehend/io/skin_asset.h"
#include "prehend/picture/clip_picture.h"
#include "prehend/picture/draw.h"

namespace prehend::jobs {
namespace {

constexpr double kMarkRadius = 0.004;  // m
// m from the mark to the camera: a hand of 0.19 m fills most of a view of 28 degrees.
constexpr double kDistance = 0.42;
// Objects are glass, so that what is inside of them shows.
constexpr double kObjectOpacity = 0.45;

picture::Image draw_finding(const picture::ClipPainter& painter, const audit::Finding& finding,
                            picture::PictureOptions options) {
  picture::PictureScene scene = painter.scene(finding.time);
  picture::PictureCapsule mark;
  mark.a_world = mark.b_world = *finding.point_world;
  mark.radius = kMarkRadius;
  mark.material.color_srgb = {0.86, 0.08, 0.10};
  mark.mark = true;
  scene.capsules.push_back(mark);
  options.camera = painter.framed(options.camera, double(options.width) / options.height,
                                  finding.time, finding.time);
  options.camera.target = *finding.point_world;
  options.camera.distance = kDistance;
  return picture::render(scene, options);
}

}  // namespace

picture::Image worst_picture(const audit::AuditReport& report, const Clip& clip,
                             const picture::PictureOptions& options) {
  const picture::ClipPainter painter(
      clip, {.skin = io::generic_hand_skin, .object_opacity = kObjectOpacity});
  std::vector<picture::Image> images;
  std::vector<std::string> labels;
  for (const audit::Finding& finding : report.worst) {
    if (!finding.point_world) continue;
    images.push_back(draw_finding(painter, finding, options));
    if (images.back().empty()) return {};
    labels.push_back(
        fmt::format("{} {}: {}", to_string(finding.measure), amount(finding), who(finding)));
  }
  picture::SheetOptions sheet;
  sheet.columns = 3;
  sheet.label_size = 11.0;
  return picture::compose_sheet(images, labels, sheet);
}

}  // namespace prehend::jobs
