#include "prehend/geometry/capsule_contacts.h"

#include <algorithm>
#include <cmath>

namespace prehend::geometry {
namespace {

// Samples along the axis; two neighbors bracket a minimum where the slope changes sign.
constexpr int kMaxSamples = 9;
constexpr int kRefinements = 12;

struct AxisSample {
  double t;
  DistanceSample field;
  double slope;  // of the distance along the axis
};

AxisSample sample_axis(const SignedDistance& field, const Capsule& c, const Vec3& axis, double t) {
  AxisSample s;
  s.t = t;
  s.field = field.sample(c.a + t * (c.b - c.a));
  s.slope = s.field.gradient.dot(axis);
  return s;
}

FieldContact contact_of(const Capsule& c, const AxisSample& s) {
  const Vec3 on_axis = c.a + s.t * (c.b - c.a);
  const double gap = s.field.distance - c.radius;
  // An interpolated field's gradient is unit only up to its error.
  const double size = s.field.gradient.norm();
  const Vec3 normal = size > 1e-6 ? Vec3(s.field.gradient / size) : Vec3(Vec3::UnitY());
  return {on_axis - (c.radius + 0.5 * gap) * normal, normal, gap};
}

// Falling at `low`, rising at `high`: the secant of the slopes, kept inside by bisection.
AxisSample refine(const SignedDistance& field, const Capsule& c, const Vec3& axis, AxisSample low,
                  AxisSample high) {
  AxisSample best = low.field.distance < high.field.distance ? low : high;
  for (int i = 0; i < kRefinements && high.t - low.t > 1e-4; ++i) {
    const double share = std::clamp(low.slope / (low.slope - high.slope), 0.1, 0.9);
    const AxisSample s = sample_axis(field, c, axis, low.t + share * (high.t - low.t));
    if (s.field.distance < best.field.distance) best = s;
    (s.slope < 0.0 ? low : high) = s;
    if (std::abs(s.slope) < 1e-4) break;
  }
  return best;
}

}  // namespace

int capsule_field_contacts(const SignedDistance& field, const Capsule& capsule, double margin,
                           std::array<FieldContact, kMaxFieldContacts>& contacts) {
  const Vec3 line = capsule.b - capsule.a;
  const double length = line.norm();
  // A distance changes no faster than the point moves: from the middle the whole capsule is judged.
  const DistanceSample middle = field.sample(capsule.a + 0.5 * line);
  if (middle.distance - 0.5 * length - capsule.radius >= margin) return 0;
  int count = 0;
  const auto add = [&](const AxisSample& s) {
    if (s.field.distance - capsule.radius < margin && count < kMaxFieldContacts) {
      contacts[count++] = contact_of(capsule, s);
    }
  };
  if (length < 1e-9) {
    add({0.5, middle, 0.0});
    return count;
  }
  const Vec3 axis = line / length;
  // Features of the surface smaller than the radius cannot be felt between two samples.
  const int samples =
      std::clamp(static_cast<int>(std::ceil(length / capsule.radius)) + 1, 3, kMaxSamples);
  // A little more than it is: interpolated distances may change a little faster than points move.
  const double spacing = 1.1 * length / (samples - 1.0);
  AxisSample previous = sample_axis(field, capsule, axis, 0.0);
  add(previous);
  AxisSample inner[2];
  int inner_count = 0;
  for (int i = 1; i < samples; ++i) {
    const AxisSample next = sample_axis(field, capsule, axis, i / (samples - 1.0));
    // Nowhere between them is it nearer than half of what both distances lack to their spacing.
    const double nearest = 0.5 * (previous.field.distance + next.field.distance - spacing);
    if (previous.slope < 0.0 && next.slope > 0.0 && nearest - capsule.radius < margin) {
      const AxisSample s = refine(field, capsule, axis, previous, next);
      if (inner_count < 2) {
        inner[inner_count++] = s;
      } else {
        AxisSample& shallower =
            inner[0].field.distance > inner[1].field.distance ? inner[0] : inner[1];
        if (s.field.distance < shallower.field.distance) shallower = s;
      }
    }
    previous = next;
  }
  add(previous);
  for (int i = 0; i < inner_count; ++i) {
    if (inner[i].t > 0.02 && inner[i].t < 0.98) add(inner[i]);
  }
  return count;
}

}  // namespace prehend::geometry
