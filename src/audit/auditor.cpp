#include "audit/auditor.h"

#include <algorithm>

#include <tbb/parallel_for.h>

#include "audit/explain.h"
#include "audit/hand_touch.h"
#include "audit/motion.h"
#include "audit/slip.h"
#include "prehend/audit/tissue.h"

namespace prehend::audit {

Auditor::Auditor(const Clip& clip, const AuditOptions& options) : clip_(clip), options_(options) {
  half_ = half_window(options.window, clip.frame_rate, clip.frame_count());
  for (const ObjectTrack& track : clip.objects) {
    probes_.push_back(make_probe(*track.object));
    needed_.push_back(needed_wrenches(track, clip.frame_rate, half_));
    given_.emplace_back(clip.frame_count());
  }
  for (const HandTrack& track : clip.hands) limits_.push_back(coordinate_limits(*track.hand));
  recorded_ = options.use_recorded_forces && clip.forces_recorded && clip.has_contacts();
  floor_height_ = options.floor_height ? options.floor_height : clip.floor_height;
}

void Auditor::run(const Monitor& monitor) {
  const int frames = clip_.frame_count();
  frames_.resize(frames);
  findings_.resize(frames);
  touching_.resize(frames);
  std::atomic<int> done = 0;
  tbb::parallel_for(0, frames, [&](int frame) {
    if (monitor.stop.stop_requested()) return;
    judge(frame);
    const int count = ++done;
    if (count % 32 == 0) monitor.report(static_cast<double>(count) / frames, "frames");
  });
  if (recorded_) judge_forces();
  add_slips(clip_, touching_, findings_);
  fill_frames();
}

void Auditor::find_hand_contacts(const ClipMoment& moment, double reach,
                                 std::vector<Contact>& found) const {
  std::vector<PlacedHand> placed;
  for (size_t h = 0; h < clip_.hands.size(); ++h) {
    const int index = static_cast<int>(h);
    placed.push_back(place_hand(*clip_.hands[h].hand, moment.segments_world[h]));
    if (floor_height_) hand_floor_contacts(placed[h], index, moment, *floor_height_, reach, found);
    for (int other = 0; other < index; ++other)
      hand_contacts(placed[other], other, placed[h], index, moment, reach, found);
    for (const PlacedHand::Part& part : placed[h].parts) {
      for (size_t o = 0; o < probes_.size(); ++o) {
        const size_t from = found.size();
        capsule_contacts(part.capsule_world, probes_[o], moment.objects_world[o], reach, found);
        for (size_t i = from; i < found.size(); ++i) {
          found[i].by = ContactSide::hand(index, part.segment);
          found[i].on = ContactSide::object(static_cast<int>(o));
        }
      }
    }
  }
}

void Auditor::find_contacts(const ClipMoment& moment, std::vector<Contact>& found) const {
  find_hand_contacts(moment, options_.contact_distance, found);
  const auto label = [&](size_t from, const ContactSide& by, size_t object) {
    for (size_t i = from; i < found.size(); ++i) {
      found[i].by = by;
      found[i].on = ContactSide::object(static_cast<int>(object));
    }
  };
  const double reach = options_.contact_distance;
  for (size_t o = 0; o < probes_.size(); ++o) {
    if (clip_.objects[o].object->fixed) continue;
    const Transform& pose = moment.objects_world[o];
    for (size_t other = 0; other < probes_.size(); ++other) {
      if (other == o) continue;
      const size_t from = found.size();
      object_contacts(probes_[o], pose, probes_[other], moment.objects_world[other], reach, found);
      label(from, ContactSide::object(static_cast<int>(other)), o);
    }
    if (floor_height_) {
      const size_t from = found.size();
      floor_contacts(probes_[o], pose, *floor_height_, reach, found);
      label(from, ContactSide::surroundings(), o);
    }
  }
}

// The recorded contacts that stand where something really touches, on both their sides.
Auditor::Believed Auditor::believed_contacts(int frame, const ClipMoment& moment) const {
  const Presence presence{clip_, probes_, floor_height_, options_.floating_distance};
  Believed believed;
  for (const Contact& contact : clip_.contacts[frame]) {
    const Belief belief = judge_contact(presence, moment, contact);
    if (belief == Belief::kBelieved) {
      believed.contacts.push_back(contact);
    } else if (contact.force_world.norm() > 0.0) {
      ++(belief == Belief::kUnseen ? believed.unseen : believed.floating);
    }
  }
  add_reactions(moment, believed.contacts);
  return believed;
}

void Auditor::judge_hands(int frame, FrameFindings& found) const {
  for (size_t h = 0; h < clip_.hands.size(); ++h) {
    const HandTrack& track = clip_.hands[h];
    const int index = static_cast<int>(h);
    const SelfPenetration self = self_penetration(*track.hand, track.poses[frame]);
    found[Measure::kSelfPenetration].keep_worse({self.depth,
                                                 ContactSide::hand(index, self.segment_a),
                                                 ContactSide::hand(index, self.segment_b), -1});
    const Eigen::VectorXd q = coordinates(*track.hand, track.poses[frame]);
    for (int c = 0; c < q.size(); ++c) {
      const double beyond = std::max(limits_[h].lower[c] - q[c], q[c] - limits_[h].upper[c]);
      found[Measure::kLimits].keep_worse({beyond, ContactSide::hand(index, -1), {}, c});
    }
  }
}

void Auditor::judge_objects(int frame, const std::vector<Contact>& contacts, FrameFindings& found) {
  for (size_t o = 0; o < probes_.size(); ++o) {
    const ObjectTrack& track = clip_.objects[o];
    if (track.object->fixed) continue;
    const ContactSide side = ContactSide::object(static_cast<int>(o));
    std::vector<Contact> own;
    std::vector<int> indices;
    for (size_t i = 0; i < contacts.size(); ++i) {
      if (contacts[i].on != side) continue;
      own.push_back(contacts[i]);
      indices.push_back(static_cast<int>(i));
    }
    const Transform& pose = track.poses_world[frame];
    if (recorded_) {
      const Given given = recorded_wrench(*track.object, pose, own);
      given_[o][frame] = given.wrench;
      frames_[frame].grip_force += given.hand_force;
      if (given.worst < 0) continue;
      found[Measure::kFriction].keep_worse(
          {given.friction_excess, own[given.worst].by, side, indices[given.worst]});
    } else {
      const Explanation explanation = judge_possible(*track.object, pose, needed_[o][frame], own);
      found[Measure::kDynamics].keep_worse({explanation.residual, side, {}, -1});
      frames_[frame].grip_force += explanation.hand_force;
    }
  }
}

void Auditor::judge_forces() {
  for (size_t o = 0; o < probes_.size(); ++o) {
    const Object& object = *clip_.objects[o].object;
    if (object.fixed) continue;
    const ContactSide side = ContactSide::object(static_cast<int>(o));
    const std::vector<Wrench> given = smoothed(given_[o], half_);
    for (size_t f = 0; f < findings_.size(); ++f) {
      findings_[f][Measure::kDynamics].keep_worse(
          {unexplained(object, needed_[o][f], given[f]), side, {}, -1});
    }
  }
}

void Auditor::judge(int frame) {
  FrameFindings& found = findings_[frame];
  const ClipMoment moment = moment_of(clip_, frame);
  std::vector<Contact>& touching = touching_[frame];
  find_contacts(moment, touching);
  for (size_t i = 0; i < touching.size(); ++i) {
    found[Measure::kPenetration].keep_worse(
        {-touching[i].gap, touching[i].by, touching[i].on, static_cast<int>(i)});
    if (touching[i].gap >= 0.0) continue;
    const double beyond = -touching[i].gap - tissue_give(clip_, moment, touching[i]);
    found[Measure::kBeyondTissue].keep_worse(
        {beyond, touching[i].by, touching[i].on, static_cast<int>(i)});
  }
  judge_hands(frame, found);
  if (!recorded_) return judge_objects(frame, touching, found);
  const Believed believed = believed_contacts(frame, moment);
  floating_ += believed.floating;
  unseen_ += believed.unseen;
  judge_objects(frame, believed.contacts, found);
  found[Measure::kThirdLaw].keep_worse(third_law_violation(clip_, believed.contacts));
  found[Measure::kFriction].keep_worse(
      skin_friction_excess(clip_, options_.skin_friction, believed.contacts));
}

void Auditor::fill_frames() {
  for (size_t f = 0; f < frames_.size(); ++f) {
    const FrameFindings& found = findings_[f];
    FrameAudit& frame = frames_[f];
    frame.penetration = found[Measure::kPenetration].value;
    frame.beyond_tissue = found[Measure::kBeyondTissue].value;
    frame.contacts = static_cast<int>(touching_[f].size());
    frame.residual = found[Measure::kDynamics].value;
    frame.friction_excess = found[Measure::kFriction].value;
    frame.third_law_violation = found[Measure::kThirdLaw].value;
    frame.limit_violation = found[Measure::kLimits].value;
    frame.self_penetration = found[Measure::kSelfPenetration].value;
    frame.slip = found[Measure::kSlip].value;
    frame.explained = frame.residual <= options_.max_residual &&
                      frame.friction_excess <= options_.max_friction_excess;
  }
}

}  // namespace prehend::audit
