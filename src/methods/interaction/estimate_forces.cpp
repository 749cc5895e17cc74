// Beyond the paper: an interaction from a clip without force sensors (see the header).
#include "prehend/methods/interaction/estimate_forces.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "prehend/core/rigid_curve.h"
#include "prehend/geometry/prepared_object.h"
#include "prehend/hands/hand_gaps.h"
#include "prehend/physics/friction_cone.h"

namespace prehend::interaction {
namespace {

struct Touch {
  int segment;
  Vec3 point_world, normal_world;
};

class Estimator {
 public:
  Estimator(const Clip& clip, int hand, int object, const EstimateOptions& options)
      : clip_(clip),
        hand_(hand),
        track_(clip.objects[object]),
        options_(options),
        prepared_(geometry::prepare(track_.object)),
        gaps_(*clip.hands[hand].hand),
        curve_(RigidCurve::through_samples(track_.poses_world, clip.frame_rate)) {}

  Result<EstimatedForces> run(EstimatedForces made, const Monitor& monitor) {
    const int frames = clip_.frame_count();
    const Hand& hand = *clip_.hands[hand_].hand;
    forces_.assign(hand.segment_count(), std::vector<Vec3>(frames, Vec3::Zero()));
    points_.assign(hand.segment_count(), std::vector<Vec3>(frames, Vec3::Zero()));
    int explained = 0;
    bool near = false;
    for (int f = 0; f < frames && !monitor.stop.stop_requested(); ++f) {
      find_touches(f);
      near |= !touches_.empty();
      monitor.report((f + 1.0) / frames, "forces estimated");
      if (rests(f)) continue;
      ++made.carried_frames;
      explained += solve(f);
    }
    if (!near)
      return Error{fmt::format("the hand never comes within {:.0f} mm of object {}",
                               1e3 * options_.contact_distance, track_.object->name)};
    if (made.carried_frames > 0) made.explained_fraction = double(explained) / made.carried_frames;
    for (int s = 0; s < hand.segment_count(); ++s) add_channel(s, made.capture);
    made.summary.message =
        fmt::format("{} of {} carried frames explained", explained, made.carried_frames);
    return made;
  }

 private:
  bool rests(int frame) const {
    const auto motion = curve_.at(frame / clip_.frame_rate);
    if (motion.velocity.norm() > options_.rest_speed) return false;
    const double height = track_.poses_world[frame].position.y();
    return std::abs(height - track_.poses_world.front().position.y()) < options_.rest_height ||
           std::abs(height - track_.poses_world.back().position.y()) < options_.rest_height;
  }

  void find_touches(int frame) {
    touches_.clear();
    frames_ = segment_frames(*clip_.hands[hand_].hand, clip_.hands[hand_].poses[frame]);
    gaps_.place(frames_);
    hands::HandGaps::Found found;
    for (int c = 0; c < static_cast<int>(gaps_.capsules().size()); ++c) {
      const int count = gaps_.near_obstacle(c, *prepared_->contact(), track_.poses_world[frame],
                                            options_.contact_distance, found);
      for (int i = 0; i < count; ++i)
        touches_.push_back({found[i].segment, found[i].point_world, found[i].normal_world});
    }
  }

  // Forces of one frame; true when they explain the motion.
  bool solve(int frame) {
    const Object& object = *track_.object;
    const auto motion = curve_.at(frame / clip_.frame_rate);
    const Vec3 arm = motion.pose.turn(object.center_of_mass);
    const Vec3 center = motion.pose.position + arm;
    const Vec3 acceleration = motion.acceleration + motion.angular_acceleration.cross(arm) +
                              motion.angular_velocity.cross(motion.angular_velocity.cross(arm));
    const Mat3 turn = motion.pose.rotation.toRotationMatrix();
    const Mat3 inertia = turn * object.inertia * turn.transpose();
    const double length = lever(object);
    Eigen::Matrix<double, 6, 1> wrench;
    wrench << object.mass * (acceleration - gravity_world()),
        (inertia * motion.angular_acceleration +
         motion.angular_velocity.cross(inertia * motion.angular_velocity)) /
            length;
    const physics::FrictionCone cone{object.friction / options_.friction_margin,
                                     object.torsional_friction / options_.friction_margin};
    contacts_.clear();
    for (const Touch& touch : touches_)
      contacts_.push_back(
          physics::cone_contact(touch.point_world, touch.normal_world, cone, center, length));
    program_.solve(contacts_, wrench, result_);
    for (std::size_t i = 0; i < touches_.size(); ++i) {
      const Touch& touch = touches_[i];
      const Vec3 force = physics::contact_frame(touch.normal_world) * result_.forces[i].head<3>();
      Vec3& sum = forces_[touch.segment][frame];
      Vec3& point = points_[touch.segment][frame];
      const double weight = force.norm(), before = sum.norm();
      if (weight + before < 1e-12) continue;
      point = (before * point + weight * (frames_[touch.segment].inverse() * touch.point_world)) /
              (before + weight);
      sum -= force;  // on the hand
    }
    return result_.feasible;
  }

  // The forces of a segment, smoothed; nothing if there are none.
  void add_channel(int segment, Capture& capture) const {
    const std::vector<Vec3>& raw = forces_[segment];
    if (std::all_of(raw.begin(), raw.end(), [](const Vec3& f) { return f.isZero(); })) return;
    ForceChannel& channel = capture.channels.emplace_back();
    channel.segment = segment;
    channel.rate = clip_.frame_rate;
    const int reach = static_cast<int>(std::lround(options_.smoothing * clip_.frame_rate));
    const int frames = static_cast<int>(raw.size());
    Vec3 last_point = Vec3::Zero();
    for (int f = 0; f < frames; ++f) {
      Vec3 sum = Vec3::Zero(), point = Vec3::Zero();
      double weight = 0.0, count = 0.0;
      for (int g = f - reach; g <= f + reach; ++g) {
        const double share = 1.0 + reach - std::abs(g - f);
        count += share;
        if (g < 0 || g >= frames) continue;
        sum += share * raw[g];
        point += share * raw[g].norm() * points_[segment][g];
        weight += share * raw[g].norm();
      }
      if (weight > 0.0) last_point = point / weight;
      channel.forces_world.push_back(sum / count);
      channel.points_segment.push_back(last_point);
    }
  }

  const Clip& clip_;
  int hand_;
  const ObjectTrack& track_;
  const EstimateOptions& options_;
  geometry::PreparedObjectPtr prepared_;
  hands::HandGaps gaps_;
  RigidCurve curve_;
  std::vector<Transform> frames_;
  std::vector<Touch> touches_;
  std::vector<optimize::ConeContact> contacts_;
  optimize::ConeProgram program_;
  optimize::ConeProgramResult result_;
  std::vector<std::vector<Vec3>> forces_, points_;  // by segment, then frame
};

}  // namespace

Result<EstimatedForces> estimate_forces(const Clip& clip, int hand, const EstimateOptions& options,
                                        const Monitor& monitor) {
  if (hand < 0 || hand >= static_cast<int>(clip.hands.size()))
    return Error{"the clip has no such hand"};
  EstimatedForces made;
  for (std::size_t o = 0; o < clip.objects.size() && made.object < 0; ++o)
    if (!clip.objects[o].object->fixed) made.object = static_cast<int>(o);
  if (made.object < 0) return Error{"nothing in the clip can move"};
  auto capture = capture_of(clip, hand);
  if (!capture) return capture.error();
  made.capture = std::move(*capture);
  made.capture.channels.clear();
  const int object = made.object;
  return Estimator(clip, hand, object, options).run(std::move(made), monitor);
}

}  // namespace prehend::interaction
