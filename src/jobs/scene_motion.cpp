#include "jobs/scene_motion.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "jobs/load_csv.h"
#include "jobs/scene_object.h"
#include "prehend/core/hand_builder.h"
#include "prehend/core/rigid_curve.h"
#include "prehend/core/text.h"
#include "prehend/geometry/primitive.h"
#include "prehend/hands/posture.h"
#include "prehend/jobs/load.h"

namespace prehend::jobs {
namespace {

constexpr double kTableThickness = 0.04;  // m; only its top counts

class SceneMover {
 public:
  SceneMover(const io::Scene& scene, const std::vector<std::string>& replaced, double frame_rate)
      : scene_(scene), replaced_(replaced), rate_(frame_rate) {}

  Result<SceneMotionClip> make() {
    out_.clip.name = scene_.title.empty() ? scene_.file : scene_.title;
    out_.clip.frame_rate = rate_;
    if (const Status s = curves(); !s) return s.error();
    if (end_ <= 0.0)
      return Error{scene_.file +
                   ": nothing moves: [[motion]] should say how a hand and an object do"};
    if (const Status s = add_objects(); !s) return s.error();
    if (const Status s = add_hands(); !s) return s.error();
    if (const Status s = add_surroundings(); !s) return s.error();
    return std::move(out_);
  }

 private:
  // A thing's path; one given against an object moves with it.
  struct Path {
    RigidCurve curve;
    std::string relative_to;
  };

  Status curves() {
    for (const io::SceneMotion& motion : scene_.motions) {
      if (!motion.file.empty()) {
        return io::error_at(scene_.file, motion.place,
                            "detail takes recordings as inputs of their own; a scene's motions are "
                            "keyframes");
      }
      std::vector<double> times;
      std::vector<Transform> poses;
      Transform last = still(motion.of, motion.relative_to);
      for (const io::SceneKeyframe& key : motion.keyframes) {
        last.position = key.position.value_or(last.position);
        last.rotation = key.rotation.value_or(last.rotation);
        times.push_back(key.time);
        poses.push_back(last);
      }
      paths_[motion.of] = {RigidCurve::through_keyframes(times, poses), motion.relative_to};
      end_ = std::max(end_, times.back());
    }
    return {};
  }

  // Where a thing is that no motion moves.
  Transform still(const std::string& name, const std::string& relative_to) const {
    if (!relative_to.empty()) return {};
    if (const int o = scene_.find_object(name); o >= 0) return scene_.objects[o].pose_world;
    if (const int h = scene_.find_hand(name); h >= 0) return scene_.hands[h].wrist_world;
    return {};
  }
  Transform at(const std::string& name, double time) const {
    const auto found = paths_.find(name);
    if (found == paths_.end()) return still(name, "");
    const Transform pose = found->second.curve.at(time).pose;
    return found->second.relative_to.empty() ? pose : at(found->second.relative_to, time) * pose;
  }
  int frames() const { return static_cast<int>(std::lround(end_ * rate_)) + 1; }

  Result<io::SceneObject> shaped(io::SceneObject object) const {
    for (const std::string& text : replaced_) {
      const auto argument = parse_object_argument(text);
      if (!argument) return argument.error();
      if (scene_.find_object(argument->motion) < 0)
        return Error{fmt::format("--object: {} has no object \"{}\"", scene_.file,
                                 printable(argument->motion))};
      if (argument->motion != object.name) continue;
      object.shape.clear();
      object.file = argument->object;  // a name or a file: load_object takes both
      object.scale = Vec3::Ones();
      object.meters_per_unit = 1.0;
    }
    return object;
  }

  Status add_objects() {
    for (const io::SceneObject& given : scene_.objects) {
      const auto object = shaped(given);
      if (!object) return object.error();
      auto loaded = load_scene_object(*object, 0.0);
      if (!loaded) return loaded.error();
      for (std::string& warning : loaded->warnings) out_.notes.push_back(std::move(warning));
      auto made = std::make_shared<const Object>(std::move(loaded->object));
      if (made->fixed || !paths_.contains(given.name)) {
        out_.fixed.push_back({made, given.pose_world});
        continue;
      }
      ObjectTrack track{made, {}};
      for (int f = 0; f < frames(); ++f) track.poses_world.push_back(at(given.name, f / rate_));
      out_.clip.objects.push_back(std::move(track));
    }
    return {};
  }

  Status add_hands() {
    for (const io::SceneHand& given : scene_.hands) {
      HandPtr hand;
      if (given.file.empty()) {
        HandOptions build = given.build;
        if (!given.profile_given) build.profile = HandProfile::kAnatomical;
        auto built = build_hand(build);
        if (!built) return io::error_at(scene_.file, given.place, built.message());
        hand = std::make_shared<const Hand>(std::move(*built));
      } else {
        auto loaded = load_hand(given.file, out_.notes);
        if (!loaded) return loaded.error();
        hand = *loaded;
      }
      const auto rest = hands::make_posture(*hand, "rest");
      if (!rest) return io::error_at(scene_.file, given.place, rest.message());
      HandTrack track{hand, {}};
      for (int f = 0; f < frames(); ++f) {
        HandPose pose = rest->pose;
        place_wrist(*hand, at(given.name, f / rate_), pose);
        track.poses.push_back(std::move(pose));
      }
      out_.clip.hands.push_back(std::move(track));
    }
    return {};
  }

  Status add_surroundings() {
    out_.floor_height = out_.clip.floor_height = scene_.environment.floor_height;
    if (!scene_.environment.table) return {};
    const io::SceneTable& top = *scene_.environment.table;
    const Vec3 half(0.5 * top.width, 0.5 * kTableThickness, 0.5 * top.depth);
    auto made = geometry::object_from_primitive("table", ShapeKind::kBox, half, 10.0);
    if (!made) return made.error();
    made->fixed = true;
    made->friction = top.friction;
    const Vec3 middle(top.center.x(), top.height - half.y(), top.center.z());
    out_.fixed.push_back(
        {std::make_shared<const Object>(std::move(*made)), Transform::from_position(middle)});
    return {};
  }

  const io::Scene& scene_;
  const std::vector<std::string>& replaced_;
  double rate_;
  double end_ = 0.0;  // s
  std::map<std::string, Path> paths_;
  SceneMotionClip out_;
};

}  // namespace

Result<SceneMotionClip> scene_motion_clip(const io::Scene& scene,
                                          const std::vector<std::string>& replaced,
                                          double frame_rate) {
  return SceneMover(scene, replaced, frame_rate).make();
}

Clip with_fixed(Clip clip, const std::vector<FixedThing>& fixed) {
  for (const FixedThing& thing : fixed)
    clip.objects.push_back(
        {thing.object, std::vector<Transform>(clip.frame_count(), thing.pose_world)});
  return clip;
}

double scene_frame_rate(const io::Scene& scene) {
  const io::Value* options = scene.options.find("detail");
  const io::Value* rate = options ? options->find("frame_rate") : nullptr;
  return rate && rate->is_number() ? *rate->number() : 60.0;
}

}  // namespace prehend::jobs
