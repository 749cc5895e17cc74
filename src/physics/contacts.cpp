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

ContactSide side_of(const BodyOwner& owner) {
  if (owner.hand >= 0) return ContactSide::hand(owner.hand, owner.segment);
  return owner.object >= 0 ? ContactSide::object(owner.object) : ContactSide::surroundings();
}

// Contact number `index` as felt by its second geom (`second`) or its first.
Contact contact_on(const State::Impl& s, int index, bool second) {
  const mjContact& con = s.data->contact[index];
  const int pushed = s.model->geom_bodyid[second ? con.geom2 : con.geom1];
  const int pushing = s.model->geom_bodyid[second ? con.geom1 : con.geom2];
  const std::array<mjtNum, 6> local = local_force(s, index);
  const Mat3 frame = contact_axes(con);
  const double sign = second ? 1.0 : -1.0;
  Contact out;
  out.by = side_of(s.world->impl().owners[static_cast<size_t>(pushing)]);
  out.on = side_of(s.world->impl().owners[static_cast<size_t>(pushed)]);
  out.normal_world = -sign * frame.col(0);
  out.force_world = sign * (frame * Vec3(local[0], local[1], local[2]));
  // Torque on geom 2 about its inward normal; on geom 1 both turn round.
  out.torque_normal = con.dim > 3 ? local[3] : 0.0;
  out.gap = con.dist;
  const Vec3 point_world = to_vec3(con.pos) - 0.5 * con.dist * out.normal_world;
  out.point_on = s.contact_frames[static_cast<size_t>(pushed)].inverse() * point_world;
  return out;
}

}  // namespace

void State::contacts(std::vector<Contact>& contacts) const {
  contacts.clear();
  const World::Impl& w = impl_->world->impl();
  const mjData* d = impl_->data.get();
  for (int i = 0; i < d->ncon; ++i) {
    const mjContact& con = d->contact[i];
    const BodyOwner& first = w.owners[static_cast<size_t>(impl_->model->geom_bodyid[con.geom1])];
    const BodyOwner& second = w.owners[static_cast<size_t>(impl_->model->geom_bodyid[con.geom2])];
    if (second.object >= 0) contacts.push_back(contact_on(*impl_, i, true));
    if (first.object >= 0) contacts.push_back(contact_on(*impl_, i, false));
    if (first.object >= 0 || second.object >= 0 || first.hand == second.hand) continue;
    // Two hands, or a hand and the floor: on the hand with the smaller index, or on the hand.
    const bool on_second = first.hand < 0 || (second.hand >= 0 && second.hand < first.hand);
    contacts.push_back(contact_on(*impl_, i, on_second));
  }
}

std::vector<Contact> State::contacts() const {
  std::vector<Contact> list;
  contacts(list);
  return list;
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
