#include "jobs/detail_judge.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "jobs/detail_contacts.h"
#include "prehend/hands/palm.h"

namespace prehend::jobs {
namespace {

using contact_sampling::HandContact;
using contact_sampling::SamplingReport;
using contact_sampling::Solution;

// A recorded digit nearer than this touches, m. Optical capture leaves gaps of up to two cm
// at the fingertips of small things; half of that keeps digits that hover beside an object out.
constexpr double kRecordedTouch = 0.01;
// A digit whose contacts push with less, N, does not count as holding.
constexpr double kPush = 0.02;

// What a contact that pushes may be away from the object's surface or from the hand's skin, m.
constexpr double kFarthestPlace = 0.002;

// By frame, the digits that touch: hand * kDigitCount + digit.
using DigitSets = std::vector<std::set<int>>;

DigitSets recorded_digits(const Capture& capture) {
  const Clip& clip = *capture.recorded;
  std::vector<geometry::PreparedObjectPtr> objects;
  for (const ObjectTrack& track : clip.objects) objects.push_back(geometry::prepare(track.object));
  DigitSets sets(clip.frame_count());
  for (std::size_t h = 0; h < clip.hands.size(); ++h) {
    const Hand& hand = *clip.hands[h].hand;
    for (int f = 0; f < clip.frame_count(); ++f) {
      const auto frames = segment_frames(hand, clip.hands[h].poses[f]);
      for (const Digit digit : kDigits) {
        std::vector<int> segments;
        for (int s = 0; s < hand.segment_count(); ++s)
          if (hand.segments[s].digit == digit && hand.segments[s].phalanx > 0)
            segments.push_back(s);
        for (std::size_t o = 0; o < objects.size() && !segments.empty(); ++o) {
          const double gap = hands::gap_to_object(
              hand, segments, frames, clip.objects[o].poses_world[f], *objects[o]->contact());
          if (gap < kRecordedTouch)
            sets[f].insert(static_cast<int>(h) * kDigitCount + static_cast<int>(digit));
        }
      }
    }
  }
  return sets;
}

// Whether they push or not, as with recorded ones: the search keeps digits that touch within a
// millimeter, and finds the least forces, which many of them do not need.
DigitSets solution_digits(const Solution& solution) {
  DigitSets sets(solution.contacts.size());
  for (std::size_t f = 0; f < sets.size(); ++f)
    for (const HandContact& contact : solution.contacts[f])
      if (contact.digit != Digit::kNone)
        sets[f].insert(contact.hand * kDigitCount + static_cast<int>(contact.digit));
  return sets;
}

int first_touch(const DigitSets& sets) {
  for (std::size_t f = 0; f < sets.size(); ++f)
    if (!sets[f].empty()) return static_cast<int>(f);
  return -1;
}

double mean_jaccard(const DigitSets& a, const DigitSets& b) {
  double sum = 0.0;
  int frames = 0;
  for (std::size_t f = 0; f < std::min(a.size(), b.size()); ++f) {
    std::vector<int> both, either;
    std::set_intersection(a[f].begin(), a[f].end(), b[f].begin(), b[f].end(),
                          std::back_inserter(both));
    std::set_union(a[f].begin(), a[f].end(), b[f].begin(), b[f].end(), std::back_inserter(either));
    if (either.empty()) continue;
    sum += double(both.size()) / double(either.size());
    ++frames;
  }
  return frames > 0 ? sum / frames : 0.0;
}

bool needs_hand(const SamplingReport& found, int frame) {
  return std::any_of(found.needs_hand.begin(), found.needs_hand.end(), [&](const auto& frames) {
    return frame < static_cast<int>(frames.size()) && frames[frame];
  });
}

double fingertip_distance(const Capture& capture, const SamplingReport& found,
                          const Solution& solution) {
  const Clip& recorded = *capture.recorded;
  double sum = 0.0;
  int count = 0;
  for (std::size_t h = 0; h < recorded.hands.size() && h < solution.clip.hands.size(); ++h) {
    const HandTrack &theirs = recorded.hands[h], &ours = solution.clip.hands[h];
    for (int f = 0; f < recorded.frame_count(); ++f) {
      if (!needs_hand(found, f)) continue;
      const auto a = xr_frames(*theirs.hand, theirs.poses[f]);
      const auto b = xr_frames(*ours.hand, ours.poses[f]);
      for (const Digit digit : kDigits) {
        const int tip = xr_tip_of(digit);
        if (ours.hand->xr_segments[tip] < 0) continue;
        sum += (a[tip].position - b[tip].position).norm();
        ++count;
      }
    }
  }
  return count > 0 ? sum / count : 0.0;
}

// Of something that rests, how high the bottom of the object is that stands the lowest.
std::optional<double> support_height(const Capture& capture) {
  if (capture.floor_height) return capture.floor_height;
  std::optional<double> lowest;
  for (const ObjectTrack& track : capture.clip.objects)
    for (const Transform& pose : track.poses_world)
      for (const Vec3& v : track.object->shape.mesh->vertices) {
        const double y = (pose * v).y();
        if (!lowest || y < *lowest) lowest = y;
      }
  return lowest;
}

}  // namespace

audit::AuditOptions solution_limits(const Capture& capture) {
  audit::AuditOptions options;
  options.floor_height = capture.floor_height;
  options.max_penetration = capture.recording ? 0.002 : 0.001;
  options.min_explained = 0.99;
  return options;
}

Result<std::vector<JudgedSolution>> judge_solutions(std::vector<Solution> solutions,
                                                    const Capture& capture,
                                                    const Monitor& monitor) {
  const audit::AuditOptions options = solution_limits(capture);
  std::vector<JudgedSolution> judged;
  for (std::size_t i = 0; i < solutions.size(); ++i) {
    if (monitor.stop.stop_requested()) break;
    monitor.report(double(i) / double(solutions.size()), "auditing");
    auto report = audit::audit(solutions[i].clip, options);
    if (!report) return report.error();
    JudgedSolution one{
        .solution = std::move(solutions[i]), .audit = std::move(*report), .why_not = ""};
    const ContactPlaces places = contact_places(one.solution.clip, kPush);
    one.contact_off_m = places.worst_m();
    const bool in_place = one.contact_off_m <= kFarthestPlace;
    if (!in_place)
      one.audit.reasons.push_back(fmt::format(
          "in frame {} a contact is {:.1f} mm away from the {} (limit {:.1f} mm)",
          places.worst_frame, 1e3 * one.contact_off_m,
          places.off_object_m > places.off_skin_m ? "object" : "skin", 1e3 * kFarthestPlace));
    one.passed = one.audit.verdict == audit::Verdict::kPass && in_place;
    one.why_not = fmt::format("{}", fmt::join(one.audit.reasons, "; "));
    judged.push_back(std::move(one));
  }
  std::stable_partition(judged.begin(), judged.end(),
                        [](const JudgedSolution& one) { return one.passed; });
  return judged;
}

double solved_fraction(const SamplingReport& found, const JudgedSolution& best) {
  int needed = 0, solved = 0;
  for (std::size_t f = 0; f < best.audit.frames.size(); ++f) {
    if (!needs_hand(found, static_cast<int>(f))) continue;
    ++needed;
    solved += best.audit.frames[f].explained;
  }
  return needed > 0 ? double(solved) / needed : 1.0;
}

Result<RecordedComparison> compare_with_recorded(const Capture& capture,
                                                 const SamplingReport& found,
                                                 const std::vector<JudgedSolution>& solutions) {
  RecordedComparison out;
  Clip recorded = *capture.recorded;
  for (const FixedThing& thing : capture.fixed)
    recorded.objects.push_back(
        {thing.object, std::vector<Transform>(recorded.frame_count(), thing.pose_world)});
  audit::AuditOptions options = solution_limits(capture);
  options.use_recorded_forces = false;
  options.floor_height = support_height(capture);
  auto judged = audit::audit(recorded, options);
  if (!judged) return judged.error();
  out.audit = std::move(*judged);
  if (solutions.empty()) return out;
  double nearest = 1e9;
  for (std::size_t i = 0; i < solutions.size(); ++i) {
    if (!solutions[i].passed && i > 0) break;
    const double distance = fingertip_distance(capture, found, solutions[i].solution);
    if (distance >= nearest) continue;
    nearest = distance;
    out.solution = static_cast<int>(i);
  }
  out.fingertip_m = nearest;
  const DigitSets theirs = recorded_digits(capture);
  const DigitSets ours = solution_digits(solutions[out.solution].solution);
  out.digits_jaccard = mean_jaccard(theirs, ours);
  out.first_contact_s = (first_touch(ours) - first_touch(theirs)) / capture.clip.frame_rate;
  return out;
}

}  // namespace prehend::jobs
