#include "methods/manipulation/clip_writer.h"

#include <algorithm>
#include <cmath>

namespace prehend::manipulation {
namespace {

// The one place where a solved contact becomes a clip's.
Contact clip_contact(const ContactPoint& point, bool of_other, double share) {
  Contact contact;
  contact.object = of_other ? point.other : point.thing;
  contact.hand = of_other ? -1 : point.arm;
  contact.segment = of_other ? point.thing : point.of_hand() ? point.segment : point.other;
  contact.point_object = of_other ? point.point_other : point.point_thing;
  contact.normal_world = of_other ? Vec3(-point.normal) : point.normal;
  contact.force_world = (of_other ? -share : share) * point.force();
  contact.gap = point.gap;
  return contact;
}

// A push through the center of mass, where it meets the surface.
Contact push_contact(const System& system, const Moment& moment, int thing, const Vec3& force) {
  const Transform pose = system.pose(moment, thing);
  const Vec3 into = force.normalized();
  Vec3 point = moment.centers[thing];
  // The surface is where the distance from inside, along -into, becomes zero.
  double low = 0.0, high = 2.0 * system.radius(thing);
  const auto& distance = *system.problem().things[thing].object->exact();
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    const bool inside = distance.sample(pose.inverse() * (point - middle * into)).distance < 0.0;
    (inside ? low : high) = middle;
  }
  Contact contact;
  contact.object = thing;
  contact.point_object = pose.inverse() * (point - high * into);
  contact.normal_world = -into;
  contact.force_world = force;
  return contact;
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
  for (int t = 0; t < system.things(); ++t) {
    if (step.pushes.empty() || step.pushes[t].isZero()) continue;
    contacts.push_back(push_contact(system, step.moment, t, share * step.pushes[t]));
  }
}

}  // namespace

SplineWeights spline_weights(double u) {
  return {0.5 * (0.5 - u) * (0.5 - u), 0.75 - u * u, 0.5 * (0.5 + u) * (0.5 + u)};
}

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
    clip.contacts.push_back(std::move(contacts));
  }
  return clip;
}

}  // namespace prehend::manipulation
