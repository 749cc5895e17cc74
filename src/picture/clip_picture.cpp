#include "prehend/picture/clip_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "picture/camera.h"
#include "picture/tracer.h"

namespace prehend::picture {
namespace {

constexpr double kLongestArrow = 0.07;         // m, of the clip's largest force
constexpr double kMostMetersPerNewton = 0.03;  // so that a feather's weight gets no long arrow
// Times at which a whole clip is looked at for framing.
constexpr int kFramingTimes = 48;
constexpr int kOutlineDirections = 64;
// A floor exactly at the content's lowest face would flicker with it.
constexpr double kFloorGap = 1e-4;

// Points of the mesh that lie farthest in evenly spread directions: enough to frame it.
std::vector<Vec3> mesh_outline(const TriangleMesh& mesh) {
  if (mesh.vertices.empty()) return {};
  std::vector<Vec3> directions;
  for (int i = 0; i < kOutlineDirections; ++i) {
    const double y = 1.0 - 2.0 * (i + 0.5) / kOutlineDirections, r = std::sqrt(1.0 - y * y);
    const double angle = i * kPi * (3.0 - std::sqrt(5.0));
    directions.emplace_back(r * std::cos(angle), y, r * std::sin(angle));
  }
  for (int axis = 0; axis < 3; ++axis)
    for (const double sign : {1.0, -1.0}) directions.push_back(sign * Vec3::Unit(axis));
  std::vector<Vec3> farthest(directions.size(), mesh.vertices.front());
  for (const Vec3& v : mesh.vertices)
    for (std::size_t d = 0; d < directions.size(); ++d)
      if (directions[d].dot(v) > directions[d].dot(farthest[d])) farthest[d] = v;
  return farthest;
}

double largest_force(const Clip& clip) {
  double largest = 0.0;
  for (const auto& frame : clip.contacts)
    for (const Contact& contact : frame) largest = std::max(largest, contact.force_world.norm());
  return largest;
}

// The two frames around a time and how far it is from the first to the second.
struct Between {
  int first, second;
  double fraction;
};

Between between(double time, double frame_rate, std::size_t count) {
  const double last = static_cast<double>(count) - 1.0;
  const double at = std::clamp(time * frame_rate, 0.0, std::max(0.0, last));
  const int first = static_cast<int>(std::floor(at + 1e-9));
  const int second = std::min(first + 1, static_cast<int>(last));
  return {first, second, std::clamp(at - first, 0.0, 1.0)};
}

}  // namespace

void add_hand_capsules(const Hand& hand, const HandPose& pose, const Material& material,
                       PictureScene& scene) {
  const std::vector<Transform> frames_world = segment_frames(hand, pose);
  for (int s = 0; s < hand.segment_count(); ++s) {
    for (const Capsule& capsule : hand.segments[s].capsules)
      scene.capsules.push_back(
          {frames_world[s] * capsule.a, frames_world[s] * capsule.b, capsule.radius, material});
  }
}

void add_hand_skin(const Skin& skin, const Hand& hand, const HandPose& pose,
                   const Material& material, PictureScene& scene) {
  auto mesh = std::make_shared<TriangleMesh>();
  mesh->faces = skin.rest.faces;
  deform(skin, hand, pose, mesh->vertices);
  PictureMesh picture{mesh, Transform::Identity(), material};
  picture.crease = radians(75.0);
  picture.refine = 1;
  scene.meshes.push_back(std::move(picture));
}

void add_object(const Object& object, const Transform& pose_world, const Material& material,
                PictureScene& scene) {
  scene.meshes.push_back({object.shape.mesh, pose_world, material});
}

void add_contacts(const std::vector<Contact>& contacts, const ClipMoment& moment,
                  const ContactMarks& marks, PictureScene& scene) {
  const Material point_material{{0.93, 0.78, 0.20}, 0.35};
  for (const Contact& contact : contacts) {
    if (!moment.has(contact.on)) continue;
    const Vec3 point_world = moment.point_world(contact);
    if (marks.points)
      scene.capsules.push_back(
          {point_world, point_world, marks.point_radius, point_material, /*mark=*/true});
    const Vec3 vector_world = marks.meters_per_newton * contact.force_world;
    if (!marks.arrows || vector_world.norm() < marks.shortest) continue;
    PictureArrow arrow;
    arrow.tail_world = point_world - vector_world;
    arrow.vector_world = vector_world;
    scene.arrows.push_back(arrow);
  }
}

std::optional<Skin> picture_skin(const Hand& hand, SkinSource source) {
  if (!source) return std::nullopt;
  for (const Digit digit : kDigits) {
    // The tip maps to the distal segment; the two joints before it bend the finger.
    const int tip = xr_tip_of(digit);
    for (int joint = tip - 2; joint <= tip; ++joint)
      if (hand.xr_segments[joint] < 0) return std::nullopt;
  }
  if (hand.wrist() < 0) return std::nullopt;
  return fit_skin(source(hand.side), hand);
}

ClipPainter::ClipPainter(const Clip& clip, const ClipPictureOptions& options)
    : clip_(clip), options_(options) {
  marks_.points = options.points;
  marks_.arrows = options.forces;
  const double force = largest_force(clip);
  marks_.meters_per_newton = options.meters_per_newton.value_or(
      force > 0.0 ? std::min(kMostMetersPerNewton, kLongestArrow / force) : kMostMetersPerNewton);
  for (const HandTrack& track : clip.hands)
    skins_.push_back(picture_skin(*track.hand, options.skin));
  for (const ObjectTrack& track : clip.objects)
    object_outlines_.push_back(mesh_outline(*track.object->shape.mesh));
  const std::vector<Vec3> points = outlines(0.0, clip.duration(), /*all=*/true);
  for (std::size_t i = 0; i < points.size(); ++i)
    floor_height_ = i == 0 ? points[i].y() : std::min(floor_height_, points[i].y());
  floor_height_ = clip.floor_height.value_or(floor_height_) - kFloorGap;
}

HandPose ClipPainter::hand_pose(const HandTrack& track, double time) const {
  const Between b = between(time, clip_.frame_rate, track.poses.size());
  return interpolate(track.poses[b.first], track.poses[b.second], b.fraction);
}

Transform ClipPainter::object_pose(const ObjectTrack& track, double time) const {
  const Between b = between(time, clip_.frame_rate, track.poses_world.size());
  return interpolate(track.poses_world[b.first], track.poses_world[b.second], b.fraction);
}

PictureScene ClipPainter::content(double time) const {
  PictureScene scene;
  ClipMoment moment;
  Material skin = skin_material();
  skin.opacity = options_.hand_opacity;
  for (std::size_t h = 0; h < clip_.hands.size(); ++h) {
    const HandTrack& track = clip_.hands[h];
    moment.segments_world.emplace_back();
    if (track.poses.empty()) continue;
    const HandPose pose = hand_pose(track, time);
    moment.segments_world.back() = segment_frames(*track.hand, pose);
    if (skins_[h])
      add_hand_skin(*skins_[h], *track.hand, pose, skin, scene);
    else
      add_hand_capsules(*track.hand, pose, skin, scene);
  }
  for (std::size_t o = 0; o < clip_.objects.size(); ++o) {
    const ObjectTrack& track = clip_.objects[o];
    moment.objects_world.push_back(track.poses_world.empty() ? Transform()
                                                             : object_pose(track, time));
    if (!options_.objects) continue;
    Material material = object_material(static_cast<int>(o));
    if (track.object->fixed) material = Material{{0.74, 0.72, 0.69}, 0.7};
    material.opacity = options_.object_opacity;
    add_object(*track.object, moment.objects_world.back(), material, scene);
  }
  if (clip_.has_contacts()) {
    const Between b = between(time, clip_.frame_rate, clip_.contacts.size());
    add_contacts(clip_.contacts[b.fraction < 0.5 ? b.first : b.second], moment, marks_, scene);
  }
  return scene;
}

PictureScene ClipPainter::scene(double time) const {
  PictureScene scene = content(time);
  scene.floor_height = floor_height_;
  return scene;
}

std::vector<Vec3> ClipPainter::outline(double time, bool all) const {
  // Objects can have a million vertices: their extreme points stand for them.
  std::vector<Vec3> points;
  PictureScene scene = content(time);
  if (options_.objects) {
    scene.meshes.resize(scene.meshes.size() - clip_.objects.size());
    for (std::size_t o = 0; o < clip_.objects.size(); ++o) {
      if (clip_.objects[o].poses_world.empty()) continue;
      if (!all && clip_.objects[o].object->fixed) continue;
      const Transform pose_world = object_pose(clip_.objects[o], time);
      for (const Vec3& p : object_outlines_[o]) points.push_back(pose_world * p);
    }
  }
  const std::vector<Vec3> rest = framing_points(scene);
  points.insert(points.end(), rest.begin(), rest.end());
  return points;
}

std::vector<Vec3> ClipPainter::outlines(double first, double last, bool all) const {
  const int frames = 1 + static_cast<int>(std::max(0.0, last - first) * clip_.frame_rate);
  const int times = std::clamp(frames, 1, kFramingTimes);
  std::vector<Vec3> points;
  for (int i = 0; i < times; ++i) {
    const double time = times == 1 ? first : first + (last - first) * i / (times - 1);
    const std::vector<Vec3> more = outline(time, all);
    points.insert(points.end(), more.begin(), more.end());
  }
  return points;
}

Camera ClipPainter::framed(const Camera& camera, double aspect, double first, double last) const {
  Camera chosen = camera;
  if (!chosen.azimuth) chosen.azimuth = best_azimuth(camera, first, last);
  std::vector<Vec3> points = outlines(first, last, /*all=*/false);
  if (points.empty()) points = outlines(first, last, /*all=*/true);
  return picture::framed(chosen, points, aspect);
}

// Sides all around are tried; each fingertip and each of an object's outermost points counts when
// nothing stands between it and the camera. A view along the forearm hides the fingers' shape.
double ClipPainter::best_azimuth(const Camera& camera, double first, double last) const {
  if (clip_.hands.empty()) return kDefaultAzimuth;
  constexpr int kSides = 12;
  // Of a score in which each visible fingertip counts one.
  constexpr double kObjectWeight = 4.0, kForearmWeight = 2.5, kDefaultWeight = 0.5;
  std::array<double, kSides> scores{};
  for (const double time : {first, 0.5 * (first + last), last}) {
    PictureScene scene;
    std::vector<std::pair<Vec3, double>> seen;  // points of the world and what they count
    std::vector<Vec3> forearms;
    for (const HandTrack& track : clip_.hands) {
      const HandPose pose = hand_pose(track, time);
      const std::vector<Transform> frames = segment_frames(*track.hand, pose);
      add_hand_capsules(*track.hand, pose, {}, scene);
      for (const FingerPad& pad : track.hand->pads)
        if (pad.segment >= 0) seen.emplace_back(frames[pad.segment] * (pad.tip * 1.1), 1.0);
      if (track.hand->wrist() >= 0)
        forearms.push_back(frames[track.hand->wrist()].turn(Vec3::UnitZ()));
    }
    for (std::size_t o = 0; o < clip_.objects.size(); ++o) {
      const ObjectTrack& track = clip_.objects[o];
      if (track.poses_world.empty() || track.object->fixed) continue;
      const Transform pose_world = object_pose(track, time);
      add_object(*track.object, pose_world, {}, scene);
      Vec3 middle = Vec3::Zero();
      const double count = static_cast<double>(object_outlines_[o].size());
      for (const Vec3& p : object_outlines_[o]) middle += p / count;
      for (const Vec3& p : object_outlines_[o])
        seen.emplace_back(pose_world * (middle + 1.02 * (p - middle)), kObjectWeight / count);
    }
    const Vec3 center = seen.empty() ? Vec3(Vec3::Zero()) : seen.front().first;
    const detail::Tracer tracer(detail::make_parts(scene, center));
    for (int side = 0; side < kSides; ++side) {
      Camera from = camera;
      from.azimuth = kDefaultAzimuth + 2.0 * kPi * side / kSides;
      from.target = Vec3::Zero();
      from.distance = 1.0;
      const Vec3 back = detail::camera_frame(from).back;
      double score = kDefaultWeight * std::cos(2.0 * kPi * side / kSides);
      for (const auto& [point, weight] : seen)
        score += weight * tracer.transmittance((point - center).cast<float>(), back.cast<float>(),
                                               tracer.epsilon());
      for (const Vec3& forearm : forearms)
        score -= kForearmWeight * std::max(0.0, forearm.dot(back));
      scores[side] += score;
    }
  }
  const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
  return kDefaultAzimuth + 2.0 * kPi * static_cast<double>(best) / kSides;
}

}  // namespace prehend::picture
