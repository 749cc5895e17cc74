#include "physics/distance_collision.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "physics/engine.h"

namespace prehend::physics {
namespace {

using geometry::DistanceSample;
using geometry::SignedDistance;

constexpr double kTag = -7.25e+201;  // no one's mass or colour

mjfCollision native_capsule_mesh = nullptr;
mjfCollision native_sphere_mesh = nullptr;
mjfCollision native_capsule_cylinder = nullptr;
mjfCollision native_sphere_cylinder = nullptr;

// Samples along the axis; two neighbours bracket a minimum where the slope changes sign.
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

Capsule in_body_frame(const mjModel* m, const mjData* d, int geom, int body) {
  const Transform body_world{to_quat(d->xquat + 4 * body), to_vec3(d->xpos + 3 * body)};
  const mjtNum* frame = d->geom_xmat + 9 * geom;
  const double half = m->geom_type[geom] == mjGEOM_CAPSULE ? m->geom_size[3 * geom + 1] : 0.0;
  const Vec3 half_axis = half * Vec3(frame[2], frame[5], frame[8]);
  const Vec3 center = to_vec3(d->geom_xpos + 3 * geom);
  const Transform back = body_world.inverse();
  return {back * (center - half_axis), back * (center + half_axis), m->geom_size[3 * geom]};
}

// Geom 1 is the hand's: MuJoCo sorts by type, and the normal points from geom 1 to geom 2.
int collide(mjfCollision native, const mjModel* m, const mjData* d, mjContact* con, int g1, int g2,
            mjtNum margin) {
  const SignedDistance* field = attached_distance(m, g2);
  if (!field) return native(m, d, con, g1, g2, margin);
  const int body = m->geom_bodyid[g2];
  const Capsule capsule = in_body_frame(m, d, g1, body);
  std::array<FieldContact, kMaxFieldContacts> found;
  const int count = capsule_field_contacts(*field, capsule, margin, found);
  const Transform body_world{to_quat(d->xquat + 4 * body), to_vec3(d->xpos + 3 * body)};
  for (int i = 0; i < count; ++i) {
    con[i].dist = found[i].gap;
    from_vec3(body_world * found[i].point, con[i].pos);
    from_vec3(-body_world.turn(found[i].normal), con[i].frame);
    from_vec3(Vec3::Zero(), con[i].frame + 3);
  }
  return count;
}

int capsule_mesh(const mjModel* m, const mjData* d, mjContact* c, int g1, int g2, mjtNum margin) {
  return collide(native_capsule_mesh, m, d, c, g1, g2, margin);
}
int sphere_mesh(const mjModel* m, const mjData* d, mjContact* c, int g1, int g2, mjtNum margin) {
  return collide(native_sphere_mesh, m, d, c, g1, g2, margin);
}
int capsule_cylinder(const mjModel* m, const mjData* d, mjContact* c, int g1, int g2,
                     mjtNum margin) {
  return collide(native_capsule_cylinder, m, d, c, g1, g2, margin);
}
int sphere_cylinder(const mjModel* m, const mjData* d, mjContact* c, int g1, int g2,
                    mjtNum margin) {
  return collide(native_sphere_cylinder, m, d, c, g1, g2, margin);
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
  AxisSample previous = sample_axis(field, capsule, axis, 0.0);
  add(previous);
  AxisSample inner[2];
  int inner_count = 0;
  for (int i = 1; i < samples; ++i) {
    const AxisSample next = sample_axis(field, capsule, axis, i / (samples - 1.0));
    if (previous.slope < 0.0 && next.slope > 0.0) {
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

void attach_distance(mjModel* model, int geom, const SignedDistance* distance) {
  PREHEND_ASSERT(model->nuser_geom == kGeomUserSize);
  mjtNum* user = model->geom_user + kGeomUserSize * geom;
  user[0] = user[2] = kTag;
  user[1] = std::bit_cast<double>(reinterpret_cast<std::uintptr_t>(distance));
}

const SignedDistance* attached_distance(const mjModel* model, int geom) {
  if (model->nuser_geom != kGeomUserSize) return nullptr;
  const mjtNum* user = model->geom_user + kGeomUserSize * geom;
  if (user[0] != kTag || user[2] != kTag) return nullptr;
  return reinterpret_cast<const SignedDistance*>(std::bit_cast<std::uintptr_t>(user[1]));
}

void install_distance_collision() {
  const auto take = [](int first, int second, mjfCollision& native, mjfCollision ours) {
    native = mjCOLLISIONFUNC[first][second];
    mjCOLLISIONFUNC[first][second] = ours;
  };
  take(mjGEOM_CAPSULE, mjGEOM_MESH, native_capsule_mesh, capsule_mesh);
  take(mjGEOM_SPHERE, mjGEOM_MESH, native_sphere_mesh, sphere_mesh);
  take(mjGEOM_CAPSULE, mjGEOM_CYLINDER, native_capsule_cylinder, capsule_cylinder);
  take(mjGEOM_SPHERE, mjGEOM_CYLINDER, native_sphere_cylinder, sphere_cylinder);
}

}  // namespace prehend::physics
