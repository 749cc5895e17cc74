#include "physics/distance_collision.h"

#include <bit>
#include <cstdint>

#include "physics/engine.h"
#include "prehend/geometry/capsule_contacts.h"

namespace prehend::physics {
namespace {

using geometry::FieldContact;
using geometry::kMaxFieldContacts;
using geometry::SignedDistance;

constexpr double kTag = -7.25e+201;  // no one's mass or color

mjfCollision native_capsule_mesh = nullptr;
mjfCollision native_sphere_mesh = nullptr;
mjfCollision native_capsule_cylinder = nullptr;
mjfCollision native_sphere_cylinder = nullptr;

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
  const int count = geometry::capsule_field_contacts(*field, capsule, margin, found);
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
