#include "prehend/physics/recorder.h"

#include <algorithm>

namespace prehend::physics {

namespace {

// Contacts of the same two sides that lie nearer than this in two steps are the same one, m.
constexpr double kSamePlace = 0.008;
// Weight of a contact without force, so that its place still counts.
constexpr double kIdleWeight = 1e-9;

bool same_pair(const Contact& a, const Contact& b) { return a.between(b.by, b.on); }

}  // namespace

Recorder::Recorder(const State& state, double frame_rate) : start_(state.time()) {
  const World& world = state.world();
  clip_.frame_rate = frame_rate;
  clip_.forces_recorded = true;
  clip_.floor_height = world.options().floor_height;
  for (int h = 0; h < world.hand_count(); ++h) {
    clip_.hands.push_back({std::make_shared<const Hand>(world.hand(h)), {}});
  }
  for (int o = 0; o < world.object_count(); ++o) {
    clip_.objects.push_back({std::make_shared<const Object>(world.object(o)), {}});
  }
}

void Recorder::before_step(const State& state) {
  const double at = (state.time() - start_) * clip_.frame_rate;
  const double half_step = 0.5 * state.world().options().timestep * clip_.frame_rate;
  const int taken = clip_.frame_count();
  // The forces of frame i are those of the steps between i - 1/2 and i + 1/2.
  if (taken > frames() && at > frames() + 0.5 - half_step) close_frame();
  if (at < taken - half_step) return;
  for (size_t h = 0; h < clip_.hands.size(); ++h) {
    clip_.hands[h].poses.push_back(state.hand_pose(static_cast<int>(h)));
  }
  for (size_t o = 0; o < clip_.objects.size(); ++o) {
    clip_.objects[o].poses_world.push_back(state.object_pose(static_cast<int>(o)));
  }
}

void Recorder::after_step(const State& state) {
  ++steps_;
  state.contacts(scratch_);
  for (const Contact& contact : scratch_) {
    auto found = std::find_if(merged_.begin(), merged_.end(), [&](const Merged& m) {
      return same_pair(m.mean, contact) &&
             (m.mean.point_on / m.weight - contact.point_on).norm() < kSamePlace;
    });
    if (found == merged_.end()) {
      Contact empty = contact;
      empty.point_on = empty.normal_world = empty.force_world = Vec3::Zero();
      empty.torque_normal = 0.0;
      found = merged_.insert(merged_.end(), {empty, 0.0});
    }
    const double weight = std::max(kIdleWeight, -contact.normal_world.dot(contact.force_world));
    found->weight += weight;
    found->mean.point_on += weight * contact.point_on;
    found->mean.normal_world += weight * contact.normal_world;
    found->mean.force_world += contact.force_world;
    found->mean.torque_normal += contact.torque_normal;
    found->mean.gap = std::min(found->mean.gap, contact.gap);
  }
}

void Recorder::close_frame() {
  std::vector<Contact>& contacts = clip_.contacts.emplace_back();
  for (const Merged& m : merged_) {
    Contact contact = m.mean;
    contact.point_on /= m.weight;
    contact.normal_world.normalize();
    contact.force_world /= steps_;
    contact.torque_normal /= steps_;
    contacts.push_back(contact);
  }
  merged_.clear();
  steps_ = 0;
}

Clip Recorder::finish(std::string name) {
  clip_.name = std::move(name);
  const size_t whole = clip_.contacts.size();
  for (HandTrack& track : clip_.hands) track.poses.resize(whole);
  for (ObjectTrack& track : clip_.objects) track.poses_world.resize(whole);
  return std::move(clip_);
}

}  // namespace prehend::physics
