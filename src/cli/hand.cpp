// prehend hand: make the parametric hand, or look into a hand's file.
#include <cmath>

#include <fmt/format.h>

#include "cli/hand_table.h"
#include "cli/picture_arguments.h"
#include "cli/verbs.h"
#include "prehend/cli/load.h"
#include "prehend/cli/save.h"
#include "prehend/cli/session.h"
#include "prehend/core/atomic_file.h"
#include "prehend/core/hand_builder.h"
#include "prehend/core/text.h"
#include "prehend/geometry/primitive.h"
#include "prehend/hands/posture.h"
#include "prehend/io/skin_asset.h"
#include "prehend/physics/mjcf_hand.h"
#include "prehend/picture/draw.h"

namespace prehend::cli {
namespace {

const std::string kAllPostures = "all";

struct Arguments {
  std::vector<std::string> inputs;
  double length = 0.0, breadth = 0.0;
  std::string side, profile;
  std::string posture = "rest";
  bool capsules = false;
  PictureArguments picture;
};

void declare(Arguments& a, OptionSet& options) {
  options.inputs("FILE", &a.inputs, 0, 1, "A hand to look into (.xml .glb); none: one is made");
  options.number("--length", &a.length, "M", "Wrist crease to middle fingertip, metres [0.19]");
  options.number("--breadth", &a.breadth, "M", "Across the metacarpal heads [0.44 of the length]");
  options.choice("--side", &a.side, {"left", "right"}, "Which hand [right]");
  options.choice("--profile", &a.profile, {"ball", "anatomical", "arm"},
                 "What may move: 57, 30 or 35 degrees of freedom [anatomical]");
  std::vector<std::string> postures = hands::posture_names();
  postures.push_back(kAllPostures);
  options.choice("--posture", &a.posture, postures, "How it is held [rest]");
  options.flag("--capsules", &a.capsules, "With --posture all: contact shapes instead of skin");
  a.picture.declare(options);
}

Result<HandPtr> make_hand(const Arguments& a, std::vector<std::string>& notes) {
  if (!a.inputs.empty()) {
    if (a.length != 0.0 || a.breadth != 0.0 || !a.side.empty() || !a.profile.empty())
      return Error{
          "hand: --length, --breadth, --side and --profile make a hand; leave out the file"};
    return load_hand(a.inputs[0], notes);
  }
  HandOptions options;
  if (a.length != 0.0) options.size.length = a.length;
  options.size.breadth = a.breadth;
  if (a.side == "left") options.side = Side::kLeft;
  if (a.profile == "ball") options.profile = HandProfile::kBall;
  if (a.profile == "arm") options.profile = HandProfile::kArm;
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

// The back and the palm with skin, and the contact shapes, side by side.
Status write_picture(const Clip& clip, const std::string& path,
                     const picture::PictureOptions& base) {
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
    labels.push_back(view.label);
  }
  picture::SheetOptions sheet;
  sheet.columns = 3;
  return picture::write_png(picture::compose_sheet(images, labels, sheet), path);
}

// The hand in one posture with what it is about, or in all of them, one a frame.
Result<Clip> posture_clip(const HandPtr& hand, const std::string& name) {
  Clip clip;
  clip.name = name;
  clip.hands.push_back({hand, {}});
  clip.frame_rate = name == kAllPostures ? 1.0 : clip.frame_rate;
  const std::vector<std::string> one = {name};
  for (const std::string& each : name == kAllPostures ? hands::posture_names() : one) {
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

// All postures from the palm's side.
Status write_gallery(const HandPtr& hand, const std::string& path,
                     const picture::PictureOptions& base, bool skin) {
  std::vector<picture::Image> images;
  for (const std::string& name : hands::posture_names()) {
    const auto clip = posture_clip(hand, name);
    if (!clip) return clip.error();
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
  }
  return picture::write_png(picture::compose_sheet(images, hands::posture_names()), path);
}

Status write(const Arguments& a, const Clip& clip, const std::string& path, Session& session) {
  const std::string ending = file_ending(path);
  if (ending == ".json") return write_file(path, io::to_json(hand_value(*clip.hands[0].hand)));
  if (ending == ".xml") return write_file(path, physics::hand_to_mjcf(*clip.hands[0].hand));
  if (ending == ".png" && a.posture == kAllPostures) {
    const auto picture = a.picture.resolve(320, 320, session.common().threads);
    if (!picture) return picture.error();
    return write_gallery(clip.hands[0].hand, path, *picture, !a.capsules);
  }
  if (ending == ".png" && a.picture.camera.empty()) {
    const auto picture = a.picture.resolve(480, 480, session.common().threads);
    if (!picture) return picture.error();
    return write_picture(clip, path, *picture);
  }
  const auto picture = a.picture.resolve(960, 720, session.common().threads);
  if (!picture) return picture.error();
  SaveOptions save;
  save.picture = *picture;
  const auto saved = save_clip(clip, path, save);
  if (!saved) return saved.error();
  return {};
}

Result<int> hand(const Arguments& a, Session& session) {
  session.report.inputs = a.inputs;
  std::vector<std::string> notes;
  const auto made = make_hand(a, notes);
  if (!made) return made.error();
  for (const std::string& note : notes) session.note(note);
  const Hand& hand = **made;
  const auto clip = posture_clip(*made, a.posture);
  if (!clip) return clip.error();
  session.print(hand_text(hand));
  session.report.details["hand"] = hand_value(hand);
  for (const std::string& path : session.common().outputs) {
    const Status written = write(a, *clip, path, session);
    if (!written) return written.error();
    session.print("wrote " + path);
  }
  session.report.details["outputs"] = session.common().outputs;
  return kExitDone;
}

}  // namespace

Verb hand_verb() {
  const auto a = std::make_shared<Arguments>();
  Verb verb;
  verb.name = "hand";
  verb.summary = "Make a hand from its size, or look into a hand's file";
  verb.examples = {
      {"prehend hand", "the average right hand, as a table"},
      {"prehend hand --length 0.172 --side left --profile ball -o left.glb", "a small left hand"},
      {"prehend hand --posture pinch -o pinch.png", "a picture of a posture"},
      {"prehend hand --posture all -o postures.png", "all of them"},
      {"prehend hand myhand.xml", "what an MJCF hand holds, and how it was understood"},
      {"prehend hand left.glb --json", "the same for other programs"},
  };
  verb.endings = {".glb", ".png", ".json", ".xml", ".bvh", ".html"};
  verb.declare = [a](OptionSet& options) { declare(*a, options); };
  verb.run = [a](Session& session) { return hand(*a, session); };
  return verb;
}

}  // namespace prehend::cli
