#include "prehend/jobs/hand.h"

#include <cmath>

#include <fmt/format.h>

#include "jobs/hand_table.h"
#include "jobs/job_context.h"
#include "prehend/core/hand_builder.h"
#include "prehend/core/text.h"
#include "prehend/geometry/primitive.h"
#include "prehend/hands/posture.h"
#include "prehend/io/skin_asset.h"
#include "prehend/jobs/load.h"
#include "prehend/jobs/save.h"
#include "prehend/physics/mjcf_hand.h"
#include "prehend/picture/draw.h"

namespace prehend::jobs {
namespace {

Result<HandPtr> choose_hand(const HandJob& job, std::vector<std::string>& notes) {
  if (!job.file.empty()) {
    if (job.length || job.breadth || job.side || job.profile)
      return Error{
          "hand: --length, --breadth, --side and --profile make a hand; leave out the file"};
    return load_hand(job.file, notes);
  }
  if (job.breadth && !(*job.breadth > 0.0))
    return Error{fmt::format("--breadth: {} should be above 0", *job.breadth)};
  HandOptions options;
  options.size.length = job.length.value_or(options.size.length);
  options.size.breadth = job.breadth.value_or(options.size.breadth);
  options.side = job.side.value_or(options.side);
  options.profile = job.profile.value_or(options.profile);
  auto hand = build_hand(options);
  if (!hand) return hand.error();
  return std::make_shared<const Hand>(std::move(*hand));
}

// Fingers up and the back towards +Z, so that the light falls on back and palm alike.
Clip upright(Clip clip) {
  const Transform stand{exp_map(Vec3(0.5 * kPi, 0, 0)), Vec3::Zero()};
  for (HandPose& pose : clip.hands[0].poses) pose.root_world = stand * pose.root_world;
  for (ObjectTrack& track : clip.objects) {
    for (Transform& pose : track.poses_world) pose = stand * pose;
  }
  return clip;
}

// The back and the palm with skin, and the contact shapes, side by side; empty when it is stopped.
picture::Image views_picture(const Clip& clip, const picture::PictureOptions& base) {
  struct View {
    const char* label;
    double azimuth_deg;
    bool skin;
  };
  const View views[] = {{"back", 15, true}, {"palm", 155, true}, {"contact shapes", 155, false}};
  const Clip shown = upright(clip);
  std::vector<picture::Image> images;
  std::vector<std::string> labels;
  for (const View& view : views) {
    picture::ClipPictureOptions show;
    show.skin = view.skin ? io::generic_hand_skin : nullptr;
    const picture::ClipPainter painter(shown, show);
    picture::PictureOptions options = base;
    options.camera.azimuth = radians(view.azimuth_deg);
    options.camera.elevation = radians(12.0);
    options.camera =
        painter.framed(options.camera, double(options.width) / options.height, 0.0, 0.0);
    images.push_back(picture::render(painter.scene(0.0), options));
    if (images.back().empty()) return {};
    labels.push_back(view.label);
  }
  picture::SheetOptions sheet;
  sheet.columns = 3;
  return picture::compose_sheet(images, labels, sheet);
}

// The hand in one posture with what it is about, or in all of them, one a frame, until it is
// stopped.
Result<Clip> posture_clip(const HandPtr& hand, const std::string& name,
                          const std::stop_token& stop) {
  Clip clip;
  clip.name = name;
  clip.hands.push_back({hand, {}});
  clip.frame_rate = name == kAllPostures ? 1.0 : clip.frame_rate;
  const std::vector<std::string> one = {name};
  for (const std::string& each : name == kAllPostures ? hands::posture_names() : one) {
    if (stop.stop_requested()) break;
    const auto posture = hands::make_posture(*hand, each);
    if (!posture) return posture.error();
    clip.hands[0].poses.push_back(posture->pose);
    if (!posture->held || name == kAllPostures) continue;
    const Vec3 along = posture->held->b - posture->held->a;
    auto held = geometry::object_from_primitive("cylinder", ShapeKind::kCylinder,
                                                {posture->held->radius, 0.07, 0.0}, 0.2);
    if (!held) return held.error();
    const Transform place{Quat::FromTwoVectors(Vec3::UnitY(), along),
                          0.5 * (posture->held->a + posture->held->b)};
    clip.objects.push_back({std::make_shared<const Object>(std::move(*held)), {place}});
  }
  return clip;
}

// All postures from the palm's side; empty when it is stopped.
Result<picture::Image> gallery(const HandPtr& hand, const picture::PictureOptions& base,
                               bool skin) {
  std::vector<picture::Image> images;
  for (const std::string& name : hands::posture_names()) {
    const auto clip = posture_clip(hand, name, base.stop);
    if (!clip) return clip.error();
    if (clip->frame_count() == 0) return picture::Image();
    picture::ClipPictureOptions show;
    show.skin = skin ? io::generic_hand_skin : nullptr;
    const Clip shown = upright(*clip);
    const picture::ClipPainter painter(shown, show);
    picture::PictureOptions options = base;
    options.camera.azimuth = radians(hand->side == Side::kRight ? 215.0 : 145.0);
    options.camera.elevation = radians(8.0);
    options.camera =
        painter.framed(options.camera, double(options.width) / options.height, 0.0, 0.0);
    images.push_back(picture::render(painter.scene(0.0), options));
    if (images.back().empty()) return picture::Image();
  }
  return picture::compose_sheet(images, hands::posture_names());
}

Status write(const HandJob& job, const Clip& clip, const std::string& path, JobContext& context) {
  const std::string ending = file_ending(path);
  const HandPtr& hand = clip.hands[0].hand;
  if (ending == ".json") return context.write_text(path, io::to_json(hand_value(*hand)));
  if (ending == ".xml") return context.write_text(path, physics::hand_to_mjcf(*hand));
  if (ending == ".png" && job.posture == kAllPostures) {
    const auto image = gallery(hand, context.picture(job.picture, 320, 320), !job.capsules);
    return image ? context.write_image(path, *image) : image.error();
  }
  if (ending == ".png" && !job.picture.view)
    return context.write_image(path, views_picture(clip, context.picture(job.picture, 480, 480)));
  SaveOptions save;
  save.picture = context.picture(job.picture, 960, 720);
  return context.write_clip(path, clip, save);
}

Result<Outcome> make_hand(const HandJob& job, JobContext& context, HandReport& result) {
  if (!job.file.empty()) context.report.inputs = {job.file};
  std::vector<std::string> notes;
  const auto made = choose_hand(job, notes);
  if (!made) return made.error();
  for (const std::string& note : notes) context.note(note);
  const Hand& hand = **made;
  const auto clip = posture_clip(*made, job.posture, context.monitor().stop);
  if (!clip) return clip.error();
  if (context.stopped()) {
    context.interrupted("stopped before the hand was posed");
    return Outcome::kInterrupted;
  }
  context.print(hand_text(hand));
  context.report.details["hand"] = hand_value(hand);
  for (const std::string& path : context.settings().outputs) {
    const Status written = write(job, *clip, path, context);
    if (!written) return written.error();
    if (context.was_interrupted()) break;
  }
  context.report_files();
  result.hand = *made;
  return Outcome::kDone;
}

}  // namespace

Result<HandReport> run(const HandJob& job, const Monitor& monitor) {
  JobContext context("hand", job.settings, monitor);
  HandReport report;
  const auto outcome = make_hand(job, context, report);
  if (!outcome) return outcome.error();
  static_cast<JobReport&>(report) = context.finish(*outcome);
  return report;
}
}  // namespace prehend::jobs
