// Beyond the paper: see the header.
#include "methods/manipulation/clip_writer.h"

#include <algorithm>
#include <cmath>

#include "prehend/geometry/primitive.h"

namespace prehend::manipulation {
namespace {

// The one place where a solved contact becomes a clip's.
Contact clip_contact(const ContactPoint& point, bool of_other, double share) {
  const ContactSide thing = ContactSide::object(point.thing);
  const ContactSide other = point.of_hand() ? ContactSide::hand(point.arm, point.segment)
                                            : ContactSide::object(point.other);
  Contact contact;
  contact.on = of_other ? other : thing;
  contact.by = of_other ? thing : other;
  contact.point_on = of_other ? point.point_other : point.point_thing;
  contact.normal_world = of_other ? Vec3(-point.normal) : point.normal;
  contact.force_world = (of_other ? -share : share) * point.force();
  contact.gap = point.gap;
  return contact;
}

// What pushes from outside is shown: a ball, part of the surroundings, that touches the thing where
// the push through its center of mass meets the surface, and is away before and after.
constexpr double kPusherRadius = 0.01, kPusherSpeed = 1.0;  // m; m/s

struct Pusher {
  int thing = -1;
  int object = -1;         // of the clip
  std::vector<int> steps;  // in which it pushes
};

std::vector<Pusher> find_pushers(const System& system, const std::vector<Done>& steps, Clip& clip) {
  std::vector<Pusher> pushers;
  for (int t = 0; t < system.things(); ++t) {
    Pusher pusher;
    pusher.thing = t;
    for (size_t k = 0; k < steps.size(); ++k)
      if (!steps[k].pushes.empty() && !steps[k].pushes[t].isZero())
        pusher.steps.push_back(static_cast<int>(k));
    if (pusher.steps.empty()) continue;
    auto ball = geometry::object_from_primitive(
        "push on " + system.object(t).name, ShapeKind::kSphere, Vec3(kPusherRadius, 0.0, 0.0), 1.0);
    PREHEND_ASSERT(ball.ok());
    ball->fixed = true;
    pusher.object = static_cast<int>(clip.objects.size());
    clip.objects.push_back({std::make_shared<const Object>(std::move(*ball)), {}});
    pushers.push_back(std::move(pusher));
  }
  return pushers;
}

// Where the line through the center of mass against `into` leaves the thing, world.
Vec3 push_point(const System& system, int thing, const Transform& pose, const Vec3& into) {
  const Vec3 center = pose * system.object(thing).center_of_mass;
  const auto& distance = *system.problem().things[thing].object->exact();
  double low = 0.0, high = 2.0 * system.radius(thing);
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    const bool inside = distance.sample(pose.inverse() * (center - middle * into)).distance < 0.0;
    (inside ? low : high) = middle;
  }
  return center - high * into;
}

// The ball's place at a time in steps, and its contact if it pushes then.
void place_pusher(const System& system, const std::vector<Done>& steps, const Pusher& pusher,
                  double at, double timestep, Clip& clip, std::vector<Contact>& contacts) {
  int nearest = pusher.steps[0];
  for (const int k : pusher.steps)
    if (std::abs(k - at) < std::abs(nearest - at)) nearest = k;
  const Vec3 into = steps[nearest].pushes[pusher.thing].normalized();
  const Transform& pose = clip.objects[pusher.thing].poses_world.back();
  const Vec3 point = push_point(system, pusher.thing, pose, into);
  const double away = std::max(0.0, std::abs(nearest - at) - 1.0) * timestep * kPusherSpeed;
  clip.objects[pusher.object].poses_world.push_back(
      Transform::from_position(point - (kPusherRadius + away) * into));
  // The mean over the frame's time, as of all forces.
  const double half = 0.5 / (kClipRate * timestep);
  double share = 0.0;
  for (const int k : pusher.steps)
    share += std::max(0.0, std::min(at + half, k + 0.5) - std::max(at - half, k - 0.5));
  if (share <= 0.0) return;
  Contact contact;
  contact.on = ContactSide::object(pusher.thing);
  contact.by = ContactSide::object(pusher.object);
  contact.point_on = pose.inverse() * point;
  contact.normal_world = -into;
  contact.force_world = share / (2.0 * half) * steps[nearest].pushes[pusher.thing];
  contacts.push_back(contact);
}

void add_forces(const System& system, const Done& step, double share,
                std::vector<Contact>& contacts) {
  if (share <= 0.0) return;
  for (const ContactPoint& point : step.contacts) {
    if (point.columns == 0 || point.lambda.head(point.columns).maxCoeff() <= 0.0) continue;
    contacts.push_back(clip_contact(point, false, share));
    if (!point.of_hand() && !system.fixed(point.other))
      contacts.push_back(clip_contact(point, true, share));
  }
}

}  // namespace

SplineWeights spline_weights(double u) {
  return {0.5 * (0.5 - u) * (0.5 - u), 0.75 - u * u, 0.5 * (0.5 + u) * (0.5 + u)};
}

SplineWeights spline_slopes(double u) { return {u - 0.5, -2.0 * u, u + 0.5}; }

Quat spline_rotation(const Quat& before, const Quat& middle, const Quat& after, double u) {
  const SplineWeights w = spline_weights(u);
  const Vec3 first = log_map(middle * before.conjugate());
  const Vec3 second = log_map(after * middle.conjugate());
  return (exp_map(w.after * second) * exp_map((1.0 - w.before) * first) * before).normalized();
}

Clip write_clip(const System& system, const std::vector<Done>& steps, double timestep) {
  Clip clip;
  clip.frame_rate = kClipRate;
  clip.forces_recorded = true;
  const Problem& problem = system.problem();
  for (const Arm& arm : problem.arms) clip.hands.push_back({arm.hand, {}});
  for (const Thing& thing : problem.things)
    clip.objects.push_back({thing.object->shared_object(), {}});
  const std::vector<Pusher> pushers = find_pushers(system, steps, clip);
  const int last = static_cast<int>(steps.size()) - 1;
  const int frames =
      last < 1 ? 1 : static_cast<int>(std::floor((last - 0.5) * timestep * kClipRate)) + 1;
  for (int f = 0; f < frames; ++f) {
    const double at = f / (kClipRate * timestep);  // in steps
    const int k = std::min(static_cast<int>(std::floor(at + 0.5)), std::max(0, last - 1));
    const double u = std::clamp(at - k, -0.5, 0.5);
    const Moment& before = steps[std::max(0, k - 1)].moment;
    const Moment& middle = steps[k].moment;
    const Moment& after = steps[std::min(last, k + 1)].moment;
    const SplineWeights w = spline_weights(u);
    for (int a = 0; a < system.arms(); ++a) {
      const Eigen::VectorXd q = w.before * before.coordinates[a] +
                                w.middle * middle.coordinates[a] + w.after * after.coordinates[a];
      clip.hands[a].poses.push_back(
          pose_from_coordinates(*problem.arms[a].hand, problem.arms[a].shoulder_world, q));
    }
    Moment now = middle;
    for (int t = 0; t < system.things(); ++t) {
      now.centers[t] =
          w.before * before.centers[t] + w.middle * middle.centers[t] + w.after * after.centers[t];
      now.rotations[t] =
          spline_rotation(before.rotations[t], middle.rotations[t], after.rotations[t], u);
      clip.objects[t].poses_world.push_back(system.pose(now, t));
    }
    // A frame's time reaches half a frame to either side, and may end in a neighbor's.
    const double half = 0.5 / (kClipRate * timestep);
    const double earlier = std::clamp(-0.5 - (u - half), 0.0, 2.0 * half) / (2.0 * half);
    const double later = std::clamp(u + half - 0.5, 0.0, 2.0 * half) / (2.0 * half);
    std::vector<Contact> contacts;
    add_forces(system, steps[k], 1.0 - earlier - later, contacts);
    if (k > 0) add_forces(system, steps[k - 1], earlier, contacts);
    if (k + 1 < last) add_forces(system, steps[k + 1], later, contacts);
    for (const Pusher& pusher : pushers)
      place_pusher(system, steps, pusher, at, timestep, clip, contacts);
    clip.contacts.push_back(std::move(contacts));
  }
  return clip;
}

}  // namespace prehend::manipulation
