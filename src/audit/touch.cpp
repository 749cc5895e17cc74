#include "audit/touch.h"

#include <algorithm>
#include <cmath>

namespace prehend::audit {

namespace {

constexpr int kMaxCorners = 4000;
constexpr int kMaxObjectContacts = 12;
constexpr double kCapsuleStep = 0.003;  // m between samples along a capsule's axis
// Longer steps on a capsule beyond 30 m, which is no finger: the work has a bound.
constexpr int kMaxSteps = 10000;

struct Along {
  double fraction = 0.0;
  double gap = INFINITY;
};

// Least distance along the axis: samples, then golden section between the neighbors of the best.
class AxisSearch {
 public:
  AxisSearch(const Capsule& capsule_object, const geometry::ExactDistance& distance)
      : capsule_(capsule_object), distance_(distance) {
    const double length = (capsule_.b - capsule_.a).norm();
    if (!(length > 1e-9)) return;
    steps_ = static_cast<int>(std::min<double>(kMaxSteps, std::ceil(length / kCapsuleStep)));
    step_ = std::max(kCapsuleStep, length / steps_);
  }

  double gap(double fraction) const {
    return distance_.closest(capsule_.a + fraction * (capsule_.b - capsule_.a)).distance -
           capsule_.radius;
  }

  // m between samples.
  double step() const { return step_; }

  // Samples at even steps, those that lie in the ball: nothing outside of it can touch.
  std::vector<Along> samples(const Vec3& center, double radius) const {
    const Vec3 line = capsule_.b - capsule_.a;
    const double length = line.norm();
    if (steps_ == 0) return {{0.0, gap(0.0)}};
    const double middle = line.dot(center - capsule_.a) / length;  // m along the axis
    const double aside = (capsule_.a + middle / length * line - center).norm();
    const double half = std::sqrt(std::max(0.0, radius * radius - aside * aside));
    const int first = step_index(middle - half, length) - 1;
    const int last = step_index(middle + half, length) + 2;
    std::vector<Along> result;
    for (int i = std::max(0, first); i <= std::min(steps_, last); ++i) {
      const double fraction = static_cast<double>(i) / steps_;
      result.push_back({fraction, gap(fraction)});
    }
    return result;
  }

  Along refine(double low, double high) const {
    constexpr double kGolden = 0.6180339887498949;
    double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
    double gap_a = gap(a), gap_b = gap(b);
    for (int i = 0; i < 20; ++i) {
      if (gap_a < gap_b) {
        high = b, b = a, gap_b = gap_a;
        gap_a = gap(a = high - kGolden * (high - low));
      } else {
        low = a, a = b, gap_a = gap_b;
        gap_b = gap(b = low + kGolden * (high - low));
      }
    }
    return gap_a < gap_b ? Along{a, gap_a} : Along{b, gap_b};
  }

 private:
  int step_index(double along, double length) const {
    return static_cast<int>(std::clamp(along / length, 0.0, 1.0) * steps_);
  }

  const Capsule& capsule_;
  const geometry::ExactDistance& distance_;
  int steps_ = 0;
  double step_ = kCapsuleStep;
};

Contact contact_at(const Vec3& point_object, double extra_radius,
                   const geometry::ExactDistance& distance, const Transform& object_world) {
  const geometry::ClosestPoint closest = distance.closest(point_object);
  Contact contact;
  contact.point_on = closest.point;
  contact.normal_world = object_world.turn(distance.sample(point_object).gradient);
  contact.gap = closest.distance - extra_radius;
  return contact;
}

// Keeps the deepest and then whichever lies farthest from those kept.
void spread_out(std::vector<Contact>& contacts, int most) {
  if (static_cast<int>(contacts.size()) <= most) return;
  std::stable_sort(contacts.begin(), contacts.end(),
                   [](const Contact& a, const Contact& b) { return a.gap < b.gap; });
  std::vector<double> apart(contacts.size(), INFINITY);
  std::vector<Contact> kept = {contacts[0]};
  while (static_cast<int>(kept.size()) < most) {
    size_t farthest = 0;
    for (size_t i = 0; i < contacts.size(); ++i) {
      const double d = (contacts[i].point_on - kept.back().point_on).norm();
      apart[i] = std::min(apart[i], d);
      if (apart[i] > apart[farthest]) farthest = i;
    }
    if (apart[farthest] <= 0.0) break;
    kept.push_back(contacts[farthest]);
  }
  contacts = std::move(kept);
}

bool balls_apart(const Probe& a, const Transform& pose_a, const Probe& b, const Transform& pose_b,
                 double reach) {
  return (pose_a * a.center - pose_b * b.center).norm() > a.radius + b.radius + reach;
}

}  // namespace

Probe make_probe(const Object& object) {
  Probe probe;
  probe.distance = geometry::exact_distance(object.shape);
  const auto& vertices = object.shape.mesh->vertices;
  Vec3 lower = vertices.empty() ? Vec3::Zero() : vertices[0], upper = lower;
  for (const Vec3& v : vertices) {
    lower = lower.cwiseMin(v);
    upper = upper.cwiseMax(v);
  }
  probe.center = 0.5 * (lower + upper);
  for (const Vec3& v : vertices) probe.radius = std::max(probe.radius, (v - probe.center).norm());
  const size_t stride = std::max<size_t>(1, vertices.size() / kMaxCorners);
  for (size_t i = 0; i < vertices.size(); i += stride) probe.corners.push_back(vertices[i]);
  return probe;
}

void capsule_contacts(const Capsule& capsule_world, const Probe& probe,
                      const Transform& object_world, double reach, std::vector<Contact>& contacts) {
  const Capsule capsule = object_world.inverse() * capsule_world;
  const Capsule ball{probe.center, probe.center, probe.radius};
  if (distance(capsule, ball) > reach) return;
  const AxisSearch search(capsule, *probe.distance);
  // Wide enough for every sample that the comparisons below look at.
  const std::vector<Along> samples =
      search.samples(probe.center, probe.radius + capsule.radius + reach + search.step());
  const auto best = std::min_element(samples.begin(), samples.end(),
                                     [](const Along& a, const Along& b) { return a.gap < b.gap; });
  // Distance falls by at most one meter a meter, so nothing between far samples can be near.
  if (best->gap > reach + search.step()) return;
  Along deepest = *best;
  if (samples.size() > 1) {
    const double low = best == samples.begin() ? 0.0 : (best - 1)->fraction;
    const double high = best + 1 == samples.end() ? 1.0 : (best + 1)->fraction;
    const Along refined = search.refine(low, high);
    if (refined.gap < deepest.gap) deepest = refined;
  }
  if (deepest.gap > reach) return;
  std::vector<double> fractions = {deepest.fraction};
  // Both ends of the touching stretch, where it is long enough to resist being tilted.
  auto first = best, last = best;
  while (first != samples.begin() && (first - 1)->gap <= reach) --first;
  while (last + 1 != samples.end() && (last + 1)->gap <= reach) ++last;
  if (first < best) fractions.push_back(first->fraction);
  if (last > best) fractions.push_back(last->fraction);
  for (double fraction : fractions) {
    contacts.push_back(contact_at(capsule.a + fraction * (capsule.b - capsule.a), capsule.radius,
                                  *probe.distance, object_world));
  }
}

void object_contacts(const Probe& probe, const Transform& pose, const Probe& other,
                     const Transform& other_pose, double reach, std::vector<Contact>& contacts) {
  if (balls_apart(probe, pose, other, other_pose, reach)) return;
  std::vector<Contact> found;
  const Transform other_from_object = other_pose.inverse() * pose;
  for (const Vec3& corner : probe.corners) {
    const Vec3 corner_other = other_from_object * corner;
    if ((corner_other - other.center).norm() > other.radius + reach) continue;
    const geometry::DistanceSample sample = other.distance->sample(corner_other);
    if (sample.distance > reach) continue;
    Contact contact;
    contact.point_on = corner;
    contact.normal_world = -other_pose.turn(sample.gradient);
    contact.gap = sample.distance;
    found.push_back(contact);
  }
  const Transform object_from_other = other_from_object.inverse();
  for (const Vec3& corner : other.corners) {
    const Vec3 corner_object = object_from_other * corner;
    if ((corner_object - probe.center).norm() > probe.radius + reach) continue;
    if (probe.distance->sample(corner_object).distance > reach) continue;
    found.push_back(contact_at(corner_object, 0.0, *probe.distance, pose));
  }
  spread_out(found, kMaxObjectContacts);
  contacts.insert(contacts.end(), found.begin(), found.end());
}

void floor_contacts(const Probe& probe, const Transform& pose, double height, double reach,
                    std::vector<Contact>& contacts) {
  std::vector<Contact> found;
  for (const Vec3& corner : probe.corners) {
    const double gap = (pose * corner).y() - height;
    if (gap > reach) continue;
    Contact contact;
    contact.point_on = corner;
    contact.normal_world = -Vec3::UnitY();
    contact.gap = gap;
    found.push_back(contact);
  }
  spread_out(found, kMaxObjectContacts);
  contacts.insert(contacts.end(), found.begin(), found.end());
}

}  // namespace prehend::audit
