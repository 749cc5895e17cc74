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
  // Gaps beyond `reach` and a step need not be known.
  AxisSearch(const Capsule& capsule_object, const geometry::ExactDistance& distance, double reach)
      : capsule_(capsule_object), distance_(distance) {
    const double length = (capsule_.b - capsule_.a).norm();
    if (length > 1e-9) {
      steps_ = static_cast<int>(std::min<double>(kMaxSteps, std::ceil(length / kCapsuleStep)));
      step_ = std::max(kCapsuleStep, length / steps_);
    }
    far_ = reach + step_;
  }

  double gap(double fraction) { return at(fraction).distance - capsule_.radius; }

  // m between samples.
  double step() const { return step_; }
  // m beyond which a gap is too wide to have one within reach beside it.
  double far() const { return far_; }

  // Samples at even steps, those that lie in the ball: nothing outside of it can touch. Those that
  // must be far are infinite: distance changes by at most one meter a meter.
  std::vector<Along> samples(const Vec3& center, double radius) {
    const Vec3 line = capsule_.b - capsule_.a;
    const double length = line.norm();
    if (steps_ == 0) return {{0.0, gap(0.0)}};
    const double middle = line.dot(center - capsule_.a) / length;  // m along the axis
    const double aside = (capsule_.a + middle / length * line - center).norm();
    const double half = std::sqrt(std::max(0.0, radius * radius - aside * aside));
    const int first = std::max(0, step_index(middle - half, length) - 1);
    const int last = std::min(steps_, step_index(middle + half, length) + 2);
    std::vector<Along> result;
    for (int i = first; i <= last; ++i) result.push_back({static_cast<double>(i) / steps_});
    const int end = static_cast<int>(result.size()) - 1;
    Along& central = result[end / 2];
    central.gap = gap(central.fraction);
    if (central.gap - step_ * (end - end / 2) > far_) return result;
    for (Along* along : {&result.front(), &result.back()}) along->gap = gap(along->fraction);
    fill(0, end / 2, result);
    fill(end / 2, end, result);
    return result;
  }

  Along refine(double low, double high) {
    constexpr double kGolden = 0.6180339887498949;
    // From two steps of 3 mm to 19 um: the gap of a smooth surface is then known to nanometers.
    constexpr int kIterations = 12;
    double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
    double gap_a = gap(a), gap_b = gap(b);
    for (int i = 0; i < kIterations; ++i) {
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

  Contact contact(double fraction, const Transform& object_world) {
    const geometry::DistanceSample sample = at(fraction);
    return contact_of(known_point_, sample, capsule_.radius, object_world);
  }

  static Contact contact_of(const Vec3& point_object, const geometry::DistanceSample& sample,
                            double extra_radius, const Transform& object_world) {
    Contact contact;
    contact.point_on = point_object - sample.distance * sample.gradient;
    contact.normal_world = object_world.turn(sample.gradient);
    contact.gap = sample.distance - extra_radius;
    return contact;
  }

 private:
  int step_index(double along, double length) const {
    return static_cast<int>(std::clamp(along / length, 0.0, 1.0) * steps_);
  }

  // The samples between two known ones.
  void fill(int first, int last, std::vector<Along>& samples) {
    if (last - first < 2) return;
    const double nearest = 0.5 * (samples[first].gap + samples[last].gap - step_ * (last - first));
    if (nearest > far_) return;
    const int middle = (first + last) / 2;
    samples[middle].gap = gap(samples[middle].fraction);
    fill(first, middle, samples);
    fill(middle, last, samples);
  }

  // The answer at one point bounds the search at the next.
  const geometry::DistanceSample& at(double fraction) {
    const Vec3 point = capsule_.a + fraction * (capsule_.b - capsule_.a);
    known_ = any_ ? distance_.sample_beside(point, known_point_, known_) : distance_.sample(point);
    known_point_ = point;
    any_ = true;
    return known_;
  }

  const Capsule& capsule_;
  const geometry::ExactDistance& distance_;
  int steps_ = 0;
  double step_ = kCapsuleStep;
  double far_ = 0.0;
  bool any_ = false;
  Vec3 known_point_ = Vec3::Zero();
  geometry::DistanceSample known_;
};

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
  AxisSearch search(capsule, *probe.distance, reach);
  // Wide enough for every sample that the comparisons below look at.
  const std::vector<Along> samples =
      search.samples(probe.center, probe.radius + capsule.radius + reach + search.step());
  const auto best = std::min_element(samples.begin(), samples.end(),
                                     [](const Along& a, const Along& b) { return a.gap < b.gap; });
  if (best->gap > search.far()) return;
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
  for (double fraction : fractions) contacts.push_back(search.contact(fraction, object_world));
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
    const geometry::DistanceSample sample = probe.distance->sample(corner_object);
    if (sample.distance > reach) continue;
    found.push_back(AxisSearch::contact_of(corner_object, sample, 0.0, pose));
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
