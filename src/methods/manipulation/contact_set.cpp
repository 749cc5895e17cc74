// Liu 2008, section 4.2 and figure 4: see the header.
#include "methods/manipulation/contact_set.h"

#include <algorithm>
#include <cmath>

namespace prehend::manipulation {
namespace {

constexpr double kTouch = 6e-4;        // m; skin nearer than this touches
constexpr double kBreak = 2e-3;        // m; skin farther than this touches no more
constexpr double kApart = 0.010;       // m between two contacts of one segment
constexpr double kRest = 5e-4;         // m; things nearer than this rest on each other
constexpr double kSlipSpeed = 0.01;    // m/s; slower contacts rest. Holding ones are below 0.001
constexpr double kCollideSpeed = 0.1;  // m/s of a new contact; slower ones rest at once
constexpr size_t kStands = 3;          // corners on which a thing can stand
constexpr double kStill = 1e-3;        // m/s
constexpr int kMostOfPair = 8;         // corners of two things that touch
constexpr double kTogether = 1e-3;     // m between corners that meet at once
constexpr int kMostMeeting = 4;        // and that are about to

// Keeps the deepest and then whichever lies farthest from those kept.
void spread_out(std::vector<ContactPoint>& contacts, size_t most) {
  if (contacts.size() <= most) return;
  std::stable_sort(contacts.begin(), contacts.end(),
                   [](const ContactPoint& a, const ContactPoint& b) { return a.gap < b.gap; });
  std::vector<double> apart(contacts.size(), INFINITY);
  std::vector<ContactPoint> kept = {contacts[0]};
  while (kept.size() < most) {
    size_t farthest = 0;
    for (size_t i = 0; i < contacts.size(); ++i) {
      apart[i] = std::min(apart[i], (contacts[i].point_world - kept.back().point_world).norm());
      if (apart[i] > apart[farthest]) farthest = i;
    }
    if (apart[farthest] < 1e-3) break;
    kept.push_back(contacts[farthest]);
  }
  contacts = std::move(kept);
}

// Two free things meet where they are nearest; what lies behind meets in a later step.
void keep_first(const std::vector<ContactPoint>& found, std::vector<ContactPoint>& meeting) {
  double nearest = found.empty() ? INFINITY : 0.0;
  for (const ContactPoint& c : meeting) nearest = std::min(nearest, c.gap);
  std::erase_if(meeting, [&](const ContactPoint& c) { return c.gap > nearest + kTogether; });
}

// The places of a capsule's and a thing's skins that face each other at a point of the axis.
void face(const System& system, const Vec3& axis_world, double radius, ContactPoint& contact) {
  const Transform& pose = system.thing_pose(contact.thing);
  const auto sample = system.distance(contact.thing).sample(pose.inverse() * axis_world);
  contact.normal = pose.turn(sample.gradient.normalized());
  contact.gap = sample.distance - radius;
  const Vec3 on_thing = axis_world - sample.distance * contact.normal;
  const Vec3 on_skin = axis_world - radius * contact.normal;
  contact.point_world = on_thing;
  contact.point_thing = pose.inverse() * on_thing;
  contact.point_other =
      system.kinematics(contact.arm).frames_world()[contact.segment].inverse() * on_skin;
}

Vec3 axis_point(const Capsule& capsule, const Vec3& near) {
  const Vec3 line = capsule.b - capsule.a;
  const double square = line.squaredNorm();
  const double t = square > 0.0 ? std::clamp(line.dot(near - capsule.a) / square, 0.0, 1.0) : 0.0;
  return capsule.a + t * line;
}

}  // namespace

void set_edges(ContactPoint& contact) {
  contact.columns = contact.kind == ContactKind::kResting ? 4
                    : contact.kind == ContactKind::kIdle  ? 0
                                                          : 1;
  const Vec3 push = -contact.normal;
  if (contact.kind == ContactKind::kColliding) {
    contact.edges.col(0) = push;
  } else if (contact.kind == ContactKind::kSlipping) {
    const Vec3 along = contact.velocity - contact.velocity.dot(push) * push;
    contact.edges.col(0) = push + contact.friction * along.normalized();
  } else {
    // One edge points as steeply up as the surface allows, since weight is what friction carries.
    Vec3 up = Vec3::UnitY() - push.y() * push;
    up = up.norm() > 0.1 ? up.normalized() : any_orthogonal(push);
    const Vec3 aside = push.cross(up);
    contact.edges.col(0) = push + contact.friction * up;
    contact.edges.col(1) = push - contact.friction * up;
    contact.edges.col(2) = push + contact.friction * aside;
    contact.edges.col(3) = push - contact.friction * aside;
  }
}

void ContactSet::follow_hand(const System& system, bool rolling) {
  std::erase_if(points, [](const ContactPoint& c) { return !c.of_hand(); });
  for (ContactPoint& contact : points) {
    const Transform& frame = system.kinematics(contact.arm).frames_world()[contact.segment];
    const Capsule& capsule = system.gaps(contact.arm).capsules()[contact.capsule].capsule_world;
    const Vec3 near = 0.5 * (system.thing_pose(contact.thing) * contact.point_thing +
                             frame * contact.point_other);
    const Vec3 kept_thing = contact.point_thing, kept_other = contact.point_other;
    face(system, axis_point(capsule, near), capsule.radius, contact);
    if (!rolling && contact.gap < kBreak) {
      contact.point_thing = kept_thing;
      contact.point_other = kept_other;
      contact.point_world = system.thing_pose(contact.thing) * kept_thing;
    }
    ++contact.age;
    const bool slips = contact.velocity.norm() > kSlipSpeed;
    contact.kind = slips ? ContactKind::kSlipping : ContactKind::kResting;
    if (slips) contact.drift.setZero();
  }
  broken +=
      static_cast<int>(std::erase_if(points, [](const ContactPoint& c) { return c.gap > kBreak; }));
}

void ContactSet::find_hand(const System& system) {
  hands::HandGaps::Found found;
  for (int a = 0; a < system.arms(); ++a) {
    const hands::HandGaps& gaps = system.gaps(a);
    for (int c = 0; c < static_cast<int>(gaps.capsules().size()); ++c) {
      for (int t = 0; t < system.things(); ++t) {
        if (system.fixed(t)) continue;
        const int count =
            gaps.near_obstacle(c, system.distance(t), system.thing_pose(t), kTouch, found);
        for (int i = 0; i < count; ++i) {
          const bool known = std::any_of(points.begin(), points.end(), [&](const ContactPoint& p) {
            return p.arm == a && p.segment == found[i].segment && p.thing == t &&
                   (p.point_world - found[i].point_world).norm() < kApart;
          });
          if (known) continue;
          ContactPoint contact;
          contact.thing = t;
          contact.arm = a;
          contact.segment = found[i].segment;
          contact.capsule = c;
          contact.friction = system.object(t).friction;
          contact.kind = ContactKind::kColliding;
          const Capsule& capsule = gaps.capsules()[c].capsule_world;
          face(system, axis_point(capsule, found[i].point_world), capsule.radius, contact);
          points.push_back(contact);
        }
      }
    }
  }
}

// Things with things and with the surroundings: corners of either in the other.
void ContactSet::find_things(const System& system, const std::vector<Vec3>& velocities,
                             const std::vector<Vec3>& spins, double seconds) {
  std::vector<ContactPoint> found, meeting;
  const auto velocity_at = [&](int t, const Vec3& p) -> Vec3 {
    if (system.fixed(t)) return Vec3::Zero();
    return velocities[t] + spins[t].cross(p - system.thing_center(t));
  };
  // Corners of `of` in the field of `in`. Contacts belong to the free thing, or the first of two.
  const auto search = [&](int of, int in, int thing, int other) {
    const Transform in_from_of = system.thing_pose(in).inverse() * system.thing_pose(of);
    for (const Vec3& corner : system.corners(of)) {
      const Vec3 at = in_from_of * corner;
      const Vec3 world = system.thing_pose(of) * corner;
      const auto sample = system.distance(in).sample(at);
      const double fall = 0.5 * kStandardGravity * seconds * seconds;
      const Vec3 out = system.thing_pose(in).turn(sample.gradient.normalized());
      const double speed = out.dot(velocity_at(of, world) - velocity_at(in, world));
      const bool meets = sample.distance + seconds * speed - fall < 0.0;
      if (sample.distance > kRest && !(meets && sample.distance < 0.05)) continue;
      ContactPoint contact;
      contact.thing = thing;
      contact.other = other;
      contact.gap = sample.distance;
      contact.normal = of == thing ? Vec3(-out) : out;
      contact.point_world = world - (of == thing ? 0.0 : sample.distance) * out;
      contact.point_thing = system.thing_pose(thing).inverse() * contact.point_world;
      contact.point_other = system.thing_pose(other).inverse() *
                            (world - (of == thing ? sample.distance : 0.0) * out);
      contact.friction = std::min(system.object(thing).friction, system.object(other).friction);
      const bool collides = sample.distance > kRest || speed < -kCollideSpeed;
      contact.kind = collides ? ContactKind::kColliding : ContactKind::kResting;
      (sample.distance > kRest ? meeting : found).push_back(contact);
    }
  };
  for (int a = 0; a < system.things(); ++a) {
    if (system.fixed(a)) continue;
    for (int b = 0; b < system.things(); ++b) {
      if (a == b || (!system.fixed(b) && b < a)) continue;
      const double reach = system.radius(a) + system.radius(b) + 0.1;
      if ((system.thing_center(a) - system.thing_center(b)).norm() > reach) continue;
      found.clear();
      meeting.clear();
      search(a, b, a, b);
      search(b, a, a, b);
      // Those that touch, and a few that a fall would bring to touch; what stands still on its
      // support does not fall.
      const double speed =
          (velocities[a] - (system.fixed(b) ? Vec3::Zero() : velocities[b])).norm() +
          system.radius(a) * spins[a].norm();
      if (found.size() >= kStands && speed < kStill) meeting.clear();
      if (!system.fixed(b)) keep_first(found, meeting);
      // What hands can bring to touch gently is not pushed before it touches.
      for (ContactPoint& c : meeting)
        if (!system.fixed(b)) c.kind = ContactKind::kIdle;
      spread_out(found, kMostOfPair);
      spread_out(meeting, kMostMeeting);
      points.insert(points.end(), found.begin(), found.end());
      points.insert(points.end(), meeting.begin(), meeting.end());
    }
  }
}

void ContactSet::update(const System& system, const std::vector<Vec3>& velocities,
                        const std::vector<Vec3>& spins, double seconds, bool rolling) {
  follow_hand(system, rolling);
  find_hand(system);
  find_things(system, velocities, spins, seconds);
  for (ContactPoint& contact : points) set_edges(contact);
}

}  // namespace prehend::manipulation
