#include "prehend/audit/audit.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include "audit/belief.h"
#include "audit/explain.h"
#include "audit/hand_touch.h"
#include "audit/motion.h"
#include "audit/slip.h"
#include "audit/touch.h"

namespace prehend::audit {

namespace {

class Auditor {
 public:
  Auditor(const Clip& clip, const AuditOptions& options) : clip_(clip), options_(options) {
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

  bool recorded() const { return recorded_; }
  const std::vector<std::vector<Contact>>& touching() const { return touching_; }
  int floating() const { return floating_; }
  int unseen() const { return unseen_; }

  std::vector<FrameAudit> run(const Monitor& monitor) {
    const int frames = clip_.frame_count();
    std::vector<FrameAudit> result(frames);
    touching_.resize(frames);
    std::atomic<int> done = 0;
    tbb::parallel_for(0, frames, [&](int frame) {
      if (monitor.stop.stop_requested()) return;
      result[frame] = judge(frame);
      const int count = ++done;
      if (count % 32 == 0) monitor.report(static_cast<double>(count) / frames, "frames");
    });
    if (recorded_) judge_forces(result);
    for (FrameAudit& frame : result) {
      frame.explained = frame.residual <= options_.max_residual &&
                        frame.friction_excess <= options_.max_friction_excess;
    }
    return result;
  }

 private:
  FrameAudit judge(int frame);
  void find_hand_contacts(const ClipMoment& moment, double reach,
                          std::vector<Contact>& found) const;
  void find_contacts(const ClipMoment& moment, std::vector<Contact>& found) const;
  void judge_hands(int frame, FrameAudit& audit) const;
  void judge_objects(int frame, const std::vector<Contact>& contacts, FrameAudit& audit);
  void judge_forces(std::vector<FrameAudit>& frames) const;
  std::vector<Contact> believed_contacts(int frame, const ClipMoment& moment);

  const Clip& clip_;
  const AuditOptions& options_;
  std::vector<Probe> probes_;
  int half_ = 0;                             // window of the differentiation, frames
  std::vector<std::vector<Wrench>> needed_;  // object by frame
  std::vector<std::vector<Wrench>> given_;   // by the recorded forces
  std::vector<CoordinateLimits> limits_;
  std::vector<std::vector<Contact>> touching_;
  std::atomic<int> floating_ = 0, unseen_ = 0;  // recorded forces that were not believed
  std::optional<double> floor_height_;
  bool recorded_ = false;
};

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
std::vector<Contact> Auditor::believed_contacts(int frame, const ClipMoment& moment) {
  const Presence presence{clip_, probes_, floor_height_, options_.floating_distance};
  std::vector<Contact> real;
  for (const Contact& contact : clip_.contacts[frame]) {
    const Belief belief = judge_contact(presence, moment, contact);
    if (belief == Belief::kBelieved) {
      real.push_back(contact);
    } else if (contact.force_world.norm() > 0.0) {
      ++(belief == Belief::kUnseen ? unseen_ : floating_);
    }
  }
  add_reactions(moment, real);
  return real;
}

void Auditor::judge_hands(int frame, FrameAudit& audit) const {
  for (size_t h = 0; h < clip_.hands.size(); ++h) {
    const HandTrack& track = clip_.hands[h];
    audit.self_penetration =
        std::max(audit.self_penetration, self_penetration(*track.hand, track.poses[frame]).depth);
    audit.limit_violation =
        std::max(audit.limit_violation,
                 limit_violation(limits_[h], coordinates(*track.hand, track.poses[frame])));
  }
}

void Auditor::judge_objects(int frame, const std::vector<Contact>& contacts, FrameAudit& audit) {
  for (size_t o = 0; o < probes_.size(); ++o) {
    const ObjectTrack& track = clip_.objects[o];
    if (track.object->fixed) continue;
    std::vector<Contact> own;
    for (const Contact& contact : contacts) {
      if (contact.on.is_object(static_cast<int>(o))) own.push_back(contact);
    }
    if (recorded_) {
      const Given given = recorded_wrench(*track.object, track.poses_world[frame], own);
      given_[o][frame] = given.wrench;
      audit.friction_excess = std::max(audit.friction_excess, given.friction_excess);
      audit.grip_force += given.hand_force;
    } else {
      const Explanation explanation =
          judge_possible(*track.object, track.poses_world[frame], needed_[o][frame], own);
      audit.residual = std::max(audit.residual, explanation.residual);
      audit.grip_force += explanation.hand_force;
    }
  }
}

void Auditor::judge_forces(std::vector<FrameAudit>& frames) const {
  for (size_t o = 0; o < probes_.size(); ++o) {
    const Object& object = *clip_.objects[o].object;
    if (object.fixed) continue;
    const std::vector<Wrench> given = smoothed(given_[o], half_);
    for (size_t f = 0; f < frames.size(); ++f) {
      frames[f].residual =
          std::max(frames[f].residual, unexplained(object, needed_[o][f], given[f]));
    }
  }
}

FrameAudit Auditor::judge(int frame) {
  FrameAudit audit;
  const ClipMoment moment = moment_of(clip_, frame);
  find_contacts(moment, touching_[frame]);
  for (const Contact& contact : touching_[frame])
    audit.penetration = std::max(audit.penetration, -contact.gap);
  audit.contacts = static_cast<int>(touching_[frame].size());
  judge_hands(frame, audit);
  if (!recorded_) {
    judge_objects(frame, touching_[frame], audit);
    return audit;
  }
  const std::vector<Contact> believed = believed_contacts(frame, moment);
  judge_objects(frame, believed, audit);
  audit.third_law_violation = third_law_violation(clip_, believed);
  audit.friction_excess = std::max(audit.friction_excess,
                                   skin_friction_excess(clip_, options_.skin_friction, believed));
  return audit;
}

void summarize(const std::vector<std::vector<Contact>>& touching, AuditReport& report) {
  double penetration_sum = 0.0;
  int touched = 0, explained = 0;
  for (size_t f = 0; f < report.frames.size(); ++f) {
    const FrameAudit& frame = report.frames[f];
    report.max_penetration_m = std::max(report.max_penetration_m, frame.penetration);
    report.dynamics_residual = std::max(report.dynamics_residual, frame.residual);
    report.friction_excess = std::max(report.friction_excess, frame.friction_excess);
    report.max_limit_violation_rad =
        std::max(report.max_limit_violation_rad, frame.limit_violation);
    report.third_law_violation = std::max(report.third_law_violation, frame.third_law_violation);
    report.max_self_penetration_m = std::max(report.max_self_penetration_m, frame.self_penetration);
    explained += frame.explained;
    const bool hand_touches = std::any_of(touching[f].begin(), touching[f].end(),
                                          [](const Contact& c) { return c.involves_hand(); });
    if (hand_touches) {
      double deepest = 0.0;
      for (const Contact& c : touching[f]) {
        if (c.involves_hand()) deepest = std::max(deepest, -c.gap);
      }
      penetration_sum += deepest;
      ++touched;
    }
  }
  report.mean_penetration_m = touched ? penetration_sum / touched : 0.0;
  report.explained_fraction =
      report.frames.empty() ? 1.0 : static_cast<double>(explained) / report.frames.size();
}

void decide(const AuditOptions& options, AuditReport& report) {
  const auto over = [&](double value, double limit, const char* sentence, double scale) {
    if (value > limit) {
      report.reasons.push_back(fmt::format(fmt::runtime(sentence), scale * value, scale * limit));
    }
  };
  over(report.max_penetration_m, options.max_penetration,
       "surfaces overlap by {:.1f} mm (limit {:.1f} mm)", 1e3);
  over(report.friction_excess, options.max_friction_excess,
       "a contact pulls or drags beyond its friction cone by {:.2f} of the weight (limit {:.2f})",
       1.0);
  over(report.third_law_violation, options.max_third_law_violation,
       "two things push each other with forces that differ by {:.2f} of the weight (limit {:.2f})",
       1.0);
  over(report.max_limit_violation_rad, options.max_limit_violation,
       "a joint is {:.0f} degrees beyond its range (limit {:.0f})", degrees(1.0));
  over(report.max_self_penetration_m, options.max_self_penetration,
       "the hand passes {:.1f} mm through itself (limit {:.1f} mm)", 1e3);
  if (report.explained_fraction < options.min_explained) {
    report.reasons.push_back(fmt::format(
        "{} explain {:.0f} % of the frames (limit {:.0f} %)",
        report.forces_checked ? "the recorded forces" : "forces within the friction cones could",
        100.0 * report.explained_fraction, 100.0 * options.min_explained));
  }
  report.verdict = report.reasons.empty() ? Verdict::kPass : Verdict::kFail;
}

}  // namespace

const char* to_string(Verdict verdict) { return verdict == Verdict::kPass ? "pass" : "fail"; }

Result<AuditReport> audit(const Clip& clip, const AuditOptions& options, const Monitor& monitor) {
  if (Status status = validate(clip); !status) return status.error();
  for (const ObjectTrack& track : clip.objects) {
    if (!track.object->fixed && !(track.object->mass > 0.0)) {
      return Error{fmt::format("object {} has no mass", track.object->name)};
    }
  }
  Auditor auditor(clip, options);
  AuditReport report;
  report.forces_checked = auditor.recorded();
  report.frames = auditor.run(monitor);
  if (monitor.stop.stop_requested()) report.summary.termination = Termination::kInterrupted;
  summarize(auditor.touching(), report);
  report.slip_m = largest_slip(clip, auditor.touching());
  if (auditor.floating() > 0) {
    report.notes.push_back(fmt::format(
        "{} recorded forces act where nothing touches and were left out", auditor.floating()));
  }
  if (auditor.unseen() > 0) {
    report.notes.push_back(fmt::format(
        "{} recorded forces come from surroundings that the clip does not show and were left out: "
        "a fixed object or a floor there would give them",
        auditor.unseen()));
  }
  if (clip.frame_count() < 5) {
    report.notes.push_back("fewer than five frames: the clip is judged as standing still");
  }
  decide(options, report);
  report.summary.iterations = clip.frame_count();
  report.summary.residual = report.dynamics_residual;
  report.summary.message = to_string(report.verdict);
  return report;
}

}  // namespace prehend::audit
