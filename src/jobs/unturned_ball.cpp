#include "jobs/unturned_ball.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/Cholesky>

#include "prehend/core/rigid_curve.h"
#include "prehend/geometry/scaled_object.h"
#include "prehend/hands/palm.h"

namespace prehend::jobs {
namespace {

// Radii of balls that are played with, m: a table tennis ball to a gymnastics ball.
constexpr double kSmallest = 0.018, kLargest = 0.4;
// A palm nearer than this to the surface carries the ball, one farther than the second distance
// does not; between them it counts in part. Palms of captured hands hover by two or three
// centimeters.
constexpr double kCarries = 0.04, kLeaves = 0.09;  // m
// A ball that is higher than this above its rest no longer touches the floor.
constexpr double kLifted = 0.015;  // m

double smooth_step(double x) {
  const double t = std::clamp(x, 0.0, 1.0);
  return t * t * (3.0 - 2.0 * t);
}

double lowest(const ObjectTrack& ball) {
  double height = 1e9;
  for (const Transform& pose : ball.poses_world) height = std::min(height, pose.position.y());
  return height;
}

// One hand's palm, rigid with its wrist.
struct Palm {
  RigidCurve motion;
  Vec3 middle_wrist;
};

Palm palm_of(const HandTrack& track, double frame_rate) {
  std::vector<Transform> wrists;
  for (const HandPose& pose : track.poses)
    wrists.push_back(segment_frames(*track.hand, pose)[track.hand->wrist()]);
  return {RigidCurve::through_samples(wrists, frame_rate),
          hands::palm_in_wrist(*track.hand).position};
}

// The ball's angular velocity in the world if it moves with the palms near it.
Vec3 spin_at(double time, std::span<const Palm> palms, const RigidCurve& ball, double radius) {
  const RigidCurve::Motion center = ball.at(time);
  // A little weight on no spin at all decides what the palms leave open.
  Mat3 normal = 1e-3 * Mat3::Identity();
  Vec3 right = Vec3::Zero();
  for (const Palm& palm : palms) {
    const RigidCurve::Motion wrist = palm.motion.at(time);
    const Vec3 away = wrist.pose * palm.middle_wrist - center.pose.position;
    const double gap = away.norm() - radius;
    const double weight = smooth_step((kLeaves - gap) / (kLeaves - kCarries));
    if (weight <= 0.0 || away.norm() < 1e-6) continue;
    const Vec3 out = away.normalized();
    const Vec3 point = center.pose.position + radius * out;
    const Vec3 velocity = wrist.velocity +
                          wrist.angular_velocity.cross(point - wrist.pose.position) -
                          center.velocity;
    // spin x (radius out) = velocity, over the radius, and the same turn about the normal.
    const Mat3 a = -cross_matrix(out);
    normal += weight * (a.transpose() * a + out * out.transpose());
    right += weight * (a.transpose() * velocity / radius + out * out.dot(wrist.angular_velocity));
  }
  return normal.ldlt().solve(right);
}

}  // namespace

void size_ball_by_rest(ObjectTrack& ball, std::vector<std::string>& notes) {
  const double radius = lowest(ball);
  if (!(radius >= kSmallest && radius <= kLargest)) return;
  const double mass = ball.object->mass;
  auto made = geometry::scaled(*ball.object, Vec3::Constant(radius / ball.object->shape.size.x()));
  if (!made) return;
  notes.push_back(fmt::format("{}: {:.3f} m across, by its height above the floor at rest",
                              made->name, 2.0 * radius));
  ball.object = std::make_shared<const Object>(with_mass(std::move(*made), mass));
}

void turn_ball_with_hands(std::span<const HandTrack> hands, ObjectTrack& ball, double frame_rate,
                          std::vector<std::string>& notes) {
  if (hands.empty() || ball.poses_world.size() < 2) return;
  std::vector<Palm> palms;
  for (const HandTrack& track : hands) palms.push_back(palm_of(track, frame_rate));
  const RigidCurve center = RigidCurve::through_samples(ball.poses_world, frame_rate);
  const double radius = ball.object->shape.size.x(), rest = lowest(ball);
  double turned = 0.0;
  for (std::size_t f = 1; f < ball.poses_world.size(); ++f) {
    const double time = (static_cast<double>(f) - 0.5) / frame_rate;
    const double height = center.at(time).pose.position.y() - rest;
    const Vec3 step =
        smooth_step(height / kLifted) * spin_at(time, palms, center, radius) / frame_rate;
    turned += step.norm();
    ball.poses_world[f].rotation = (exp_map(step) * ball.poses_world[f - 1].rotation).normalized();
  }
  notes.push_back(
      fmt::format("{}: its rotation was not recorded; it turns with the hands that carry it, by "
                  "{:.0f} degrees in all",
                  ball.object->name, degrees(turned)));
}

}  // namespace prehend::jobs
