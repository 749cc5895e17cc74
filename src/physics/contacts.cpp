// Reading contacts out of the engine.
#include <algorithm>
#include <array>

#include "physics/world_impl.h"

namespace prehend::physics {
namespace {

// In the contact's frame, whose first axis points from geom 1 to geom 2, on geom 2: force, torque.
// In the middle of a step nothing is known of it yet.
std::array<mjtNum, 6> local_force(const State::Impl& s, int index) {
  std::array<mjtNum, 6> local{};
  if (!s.begun && s.data->contact[index].efc_address >= 0)
    mj_contactForce(s.model, s.data.get(), index, local.data());
  return local;
}

Mat3 contact_axes(const mjContact& contact) {
  Mat3 axes;
  for (int k = 0; k < 3; ++k) axes.col(k) = to_vec3(contact.frame + 3 * k);
  return axes;
}

// The contact as felt by the object whose geom is the second (`second`) or first of the pair.
Contact contact_on(const State::Impl& s, int index, int object, const BodyOwner& other,
                   bool second) {
  const mjContact& con = s.data->contact[index];
  const std::array<mjtNum, 6> local = local_force(s, index);
  const Mat3 frame = contact_axes(con);
  const double sign = second ? 1.0 : -1.0;
  Contact out;
  out.hand = other.hand;
  out.segment = other.hand >= 0 ? other.segment : other.object;
  out.object = object;
  out.normal_world = -sign * frame.col(0);
  out.force_world = sign * (frame * Vec3(local[0], local[1], local[2]));
  // Torque on geom 2 about its inward normal; on geom 1 both turn round.
  out.torque_normal = con.dim > 3 ? local[3] : 0.0;
  out.gap = con.dist;
  const Vec3 point_world = to_vec3(con.pos) - 0.5 * con.dist * out.normal_world;
  out.point_object = s.contact_frames[static_cast<size_t>(object)].inverse() * point_world;
  return out;
}

}  // namespace

void State::contacts(std::vector<Contact>& contacts) const {
  contacts.clear();
  const World::Impl& w = impl_->world->impl();
  const mjData* d = impl_->data.get();
  for (int i = 0; i < d->ncon; ++i) {
    const mjContact& con = d->contact[i];
    const int body1 = impl_->model->geom_bodyid[con.geom1];
    const int body2 = impl_->model->geom_bodyid[con.geom2];
    const BodyOwner& first = w.owners[static_cast<size_t>(body1)];
    const BodyOwner& second = w.owners[static_cast<size_t>(body2)];
    if (second.object >= 0) contacts.push_back(contact_on(*impl_, i, second.object, first, true));
    if (first.object >= 0) contacts.push_back(contact_on(*impl_, i, first.object, second, false));
  }
}

std::vector<Contact> State::contacts() const {
  std::vector<Contact> list;
  contacts(list);
  return list;
}

void State::hand_contacts(std::vector<HandContact>& contacts) const {
  contacts.clear();
  const World::Impl& w = impl_->world->impl();
  const mjData* d = impl_->data.get();
  for (int i = 0; i < d->ncon; ++i) {
    const mjContact& con = d->contact[i];
    BodyOwner one = w.owners[static_cast<size_t>(impl_->model->geom_bodyid[con.geom1])];
    BodyOwner two = w.owners[static_cast<size_t>(impl_->model->geom_bodyid[con.geom2])];
    if (one.hand < 0 || two.hand < 0 || one.hand == two.hand) continue;
    // The engine's normal points from its first geom to its second, its force acts on the second.
    const double sign = one.hand < two.hand ? -1.0 : 1.0;
    if (sign < 0.0) std::swap(one, two);
    const std::array<mjtNum, 6> local = local_force(*impl_, i);
    contacts.push_back({two.hand, two.segment, one.hand, one.segment, to_vec3(con.pos),
                        sign * to_vec3(con.frame),
                        sign * (contact_axes(con) * to_vec3(local.data())), con.dist});
  }
}

double State::max_penetration(int object) const {
  const World::Impl& w = impl_->world->impl();
  const mjData* d = impl_->data.get();
  double depth = 0.0;
  for (int i = 0; i < d->ncon; ++i) {
    const mjContact& con = d->contact[i];
    const BodyOwner& a = w.owners[static_cast<size_t>(impl_->model->geom_bodyid[con.geom1])];
    const BodyOwner& b = w.owners[static_cast<size_t>(impl_->model->geom_bodyid[con.geom2])];
    const bool concerned =
        (a.object == object && b.hand >= 0) || (b.object == object && a.hand >= 0);
    if (concerned) depth = std::max(depth, -con.dist);
  }
  return depth;
}

}  // namespace prehend::physics
