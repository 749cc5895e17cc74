// Beyond the paper: an interaction from a clip without force sensors (see the header).
#include "prehend/methods/interaction/estimate_forces.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "methods/interaction/touch_correction.h"
#include "prehend/core/rigid_curve.h"
#include "prehend/geometry/prepared_object.h"
#include "prehend/geometry/primitive.h"
#include "prehend/hands/hand_gaps.h"
#include "prehend/physics/friction_cone.h"

namespace prehend::interaction {
namespace {

// Times the distance at which segments touch, until the motion is explained.
constexpr double kFarther = 1.6;
// A squeeze that takes so many times its own normal force to balance is none.
constexpr double kMostBalance = 6.0;
constexpr double kInStand = 0.003;     // m
constexpr double kStandHeight = 0.04;  // m
// Half the stand's breadth over the object's: all that it stands on, and no more, so that the stand
// stays out of the way of fingers that reach around.
constexpr double kStandShare = 0.51;

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
        curve_(RigidCurve::through_samples(track_.poses_world, clip.frame_rate)),
        cone_{track_.object->friction / options.friction_margin,
              track_.object->torsional_friction / options.friction_margin},
        length_(lever(*track_.object)) {}

  Result<EstimatedForces> run(EstimatedForces made, const Monitor& monitor) {
    // The least distance at which nearly as much is explained as at any.
    bool near = false;
    double most = -1.0;
    std::vector<std::pair<double, double>> tried;  // distance, explained
    for (double d = options_.contact_distance; most < 1.0; d *= kFarther) {
      distance_ = std::min(d, options_.most_distance);
      near = find_forces(made, monitor);
      tried.emplace_back(distance_, near ? made.explained_fraction : -1.0);
      most = std::max(most, tried.back().second);
      if (monitor.stop.stop_requested() || distance_ >= options_.most_distance) break;
    }
    for (const auto& [distance, explained] : tried) {
      if (explained < 0.0 || explained < most - options_.explained_less) continue;
      if (distance == distance_) break;
      distance_ = distance;
      near = find_forces(made, monitor);
      break;
    }
    if (!near)
      return Error{fmt::format("the hand never comes within {:.0f} mm of object {}",
                               1e3 * distance_, track_.object->name)};
    made.contact_distance = distance_;
    for (int s = 0; s < static_cast<int>(forces_.size()); ++s) add_channel(s, made.capture);
    const TouchCorrection corrected = correct_touches(made.capture, *prepared_, track_.poses_world,
                                                      loads_, distance_, options_.smoothing);
    made.corrected_m = corrected.largest_m;
    made.corrected_rad = corrected.largest_rad;
    made.on_stand = stands_first_;
    if (stands_first_) made.capture.objects.push_back(stand());
    made.summary.message = fmt::format(
        "{:.0f} of {} carried frames explained by segments within {:.0f} mm",
        made.explained_fraction * made.carried_frames, made.carried_frames, 1e3 * distance_);
    return made;
  }

 private:
  // Forces of all frames by touches within the present distance; false if there are none.
  bool find_forces(EstimatedForces& made, const Monitor& monitor) {
    const int frames = clip_.frame_count(), segments = clip_.hands[hand_].hand->segment_count();
    forces_.assign(segments, std::vector<Vec3>(frames, Vec3::Zero()));
    points_.assign(segments, std::vector<Vec3>(frames, Vec3::Zero()));
    loads_.assign(segments, std::vector<double>(frames, 0.0));
    stands_first_ = !carried_at(0) && stand_is_clear();
    stands_last_ = !carried_at(frames - 1);
    made.carried_frames = 0;
    made.stretches.clear();
    int explained = 0, gripped = 0;
    bool near = false;
    for (int f = 0; f < frames && !monitor.stop.stop_requested(); ++f) {
      find_touches(f);
      near |= !touches_.empty();
      monitor.report((f + 1.0) / frames, "forces estimated");
      const bool squeezed = squeeze(f);
      if (rests(f)) continue;
      if (made.stretches.empty() || made.stretches.back().last != f - 1)
        made.stretches.push_back({f, f, f});
      CarriedStretch& stretch = made.stretches.back();
      stretch.last = f;
      if (track_.poses_world[f].position.y() > track_.poses_world[stretch.highest].position.y())
        stretch.highest = f;
      ++made.carried_frames;
      explained += explain(f);
      gripped += squeezed;
    }
    made.explained_fraction =
        made.carried_frames > 0 ? double(explained) / made.carried_frames : 1.0;
    made.gripped_fraction = made.carried_frames > 0 ? double(gripped) / made.carried_frames : 0.0;
    return near;
  }

  bool carried_at(int frame) {
    find_touches(frame);
    set_contacts(frame);
    program_.solve(contacts_, wanted(frame), result_);
    return result_.feasible;
  }

  // A stand that the hand is in cannot have been there: the hand holds the object, however badly
  // its recorded touches show it.
  bool stand_is_clear() {
    const TrajectoryObject made = stand();
    const auto prepared = geometry::prepare(made.object);
    hands::HandGaps::Found found;
    for (int c = 0; c < static_cast<int>(gaps_.capsules().size()); ++c)
      if (gaps_.near_obstacle(c, *prepared->contact(), made.pose_world, -kInStand, found) > 0)
        return false;
    return true;
  }

  bool rests(int frame) const {
    const auto motion = curve_.at(frame / clip_.frame_rate);
    if (motion.velocity.norm() > options_.rest_speed) return false;
    const double height = track_.poses_world[frame].position.y();
    const auto level = [&](const Transform& there) {
      return std::abs(height - there.position.y()) < options_.rest_height;
    };
    return (stands_first_ && level(track_.poses_world.front())) ||
           (stands_last_ && level(track_.poses_world.back()));
  }

  void find_touches(int frame) {
    touches_.clear();
    frames_ = segment_frames(*clip_.hands[hand_].hand, clip_.hands[hand_].poses[frame]);
    gaps_.place(frames_);
    hands::HandGaps::Found found;
    for (int c = 0; c < static_cast<int>(gaps_.capsules().size()); ++c) {
      const int count = gaps_.near_obstacle(c, *prepared_->contact(), track_.poses_world[frame],
                                            distance_, found);
      for (int i = 0; i < count; ++i)
        touches_.push_back({found[i].segment, found[i].point_world, found[i].normal_world});
    }
  }

  void set_contacts(int frame) {
    const Vec3 center = curve_.at(frame / clip_.frame_rate).pose * track_.object->center_of_mass;
    contacts_.clear();
    for (const Touch& touch : touches_)
      contacts_.push_back(
          physics::cone_contact(touch.point_world, touch.normal_world, cone_, center, length_));
  }

  // The wrench that moves the object as it moves, torques over length_.
  Eigen::Matrix<double, 6, 1> wanted(int frame) const {
    const Object& object = *track_.object;
    const auto motion = curve_.at(frame / clip_.frame_rate);
    const Vec3 arm = motion.pose.turn(object.center_of_mass);
    const Vec3 acceleration = motion.acceleration + motion.angular_acceleration.cross(arm) +
                              motion.angular_velocity.cross(motion.angular_velocity.cross(arm));
    const Mat3 turn = motion.pose.rotation.toRotationMatrix();
    const Mat3 inertia = turn * object.inertia * turn.transpose();
    Eigen::Matrix<double, 6, 1> wrench;
    wrench << object.mass * (acceleration - gravity_world()),
        (inertia * motion.angular_acceleration +
         motion.angular_velocity.cross(inertia * motion.angular_velocity)) /
            length_;
    return wrench;
  }

  // Forces of one frame; true when they explain the motion.
  bool explain(int frame) {
    set_contacts(frame);
    program_.solve(contacts_, wanted(frame), result_);
    for (std::size_t i = 0; i < touches_.size(); ++i)
      add(frame, touches_[i], result_.forces[i], 1.0);
    return result_.feasible;
  }

  // Adds the grip: one touch pushes and the others balance it with the least force. The thumb
  // pushes if it can, else the palm, else whoever does it best. False when no touch can be
  // balanced.
  bool squeeze(int frame) {
    if (touches_.size() < 2 || options_.grip <= 0.0) return false;
    set_contacts(frame);
    int pusher = -1;
    std::pair<int, double> best(3, kMostBalance);  // rank of who pushes, then force
    for (int i = 0; i < static_cast<int>(touches_.size()); ++i) {
      const Segment& segment = clip_.hands[hand_].hand->segments[touches_[i].segment];
      const int rank = segment.digit == Digit::kThumb ? 0 : segment.digit == Digit::kNone ? 1 : 2;
      if (rank > best.first) continue;
      const optimize::ConeContact own = contacts_[i];
      contacts_[i].max_normal = kNoForce;
      program_.solve(contacts_, -own.wrench_map.col(0), result_);
      contacts_[i] = own;
      if (!result_.feasible || std::pair(rank, result_.total_normal) >= best ||
          result_.total_normal > kMostBalance)
        continue;
      best = {rank, result_.total_normal};
      pusher = i;
      balance_ = result_.forces;
    }
    if (pusher < 0) return false;
    balance_[pusher] = Eigen::Vector4d::UnitX();
    for (std::size_t i = 0; i < touches_.size(); ++i)
      add(frame, touches_[i], balance_[i], options_.grip);
    return true;
  }

  void add(int frame, const Touch& touch, const Eigen::Vector4d& local, double factor) {
    const Vec3 force =
        factor * (physics::contact_frame(touch.normal_world) * Vec3(local.head<3>()));
    Vec3& sum = forces_[touch.segment][frame];
    Vec3& point = points_[touch.segment][frame];
    double& load = loads_[touch.segment][frame];
    const double weight = factor * local[0];
    if (weight + load < 1e-12) return;
    point = (load * point + weight * (frames_[touch.segment].inverse() * touch.point_world)) /
            (load + weight);
    load += weight;
    sum -= force;  // on the hand
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
      for (int g = std::max(0, f - reach); g <= std::min(frames - 1, f + reach); ++g) {
        const double share = 1.0 + reach - std::abs(g - f);
        count += share;
        sum += share * raw[g];
        point += share * loads_[segment][g] * points_[segment][g];
        weight += share * loads_[segment][g];
      }
      if (weight > 0.0) last_point = point / weight;
      channel.forces_world.push_back(sum / count);
      channel.points_segment.push_back(last_point);
    }
  }

  // What the object stood on at first. Recordings do not say, and a whole table would be in the way
  // of hands whose height above it is not known.
  TrajectoryObject stand() const {
    const Transform& pose = track_.poses_world.front();
    Eigen::AlignedBox3d bounds;
    for (const Vec3& v : track_.object->shape.mesh->vertices) bounds.extend(pose * v);
    const Vec3 breadth = kStandShare * bounds.sizes();
    const Vec3 half(breadth.x(), 0.5 * kStandHeight, breadth.z());
    Object made = geometry::object_from_primitive("stand", ShapeKind::kBox, half, 10.0).value();
    made.fixed = true;
    made.friction = track_.object->friction;
    const Vec3 place(bounds.center().x(), bounds.min().y() - half.y(), bounds.center().z());
    return {std::make_shared<const Object>(std::move(made)), Transform::from_position(place)};
  }

  static constexpr double kNoForce = 1e-9;  // N

  const Clip& clip_;
  int hand_;
  const ObjectTrack& track_;
  const EstimateOptions& options_;
  geometry::PreparedObjectPtr prepared_;
  hands::HandGaps gaps_;
  RigidCurve curve_;
  physics::FrictionCone cone_;
  double length_, distance_ = 0.0;
  bool stands_first_ = false, stands_last_ = false;
  std::vector<Transform> frames_;
  std::vector<Touch> touches_;
  std::vector<optimize::ConeContact> contacts_;
  optimize::ConeProgram program_;
  optimize::ConeProgramResult result_;
  std::vector<Eigen::Vector4d> balance_;
  std::vector<std::vector<Vec3>> forces_, points_;  // by segment, then frame
  std::vector<std::vector<double>> loads_;          // N of normal force, the same
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
