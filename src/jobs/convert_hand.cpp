#include "jobs/convert_hand.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include "prehend/core/hand_builder.h"
#include "prehend/core/text.h"
#include "prehend/geometry/prepared_object.h"
#include "prehend/hands/contact_retarget.h"
#include "prehend/hands/palm.h"

namespace prehend::jobs {
namespace {

// A joint leaves its recorded angle by at most this, rad: hands differ by less, and a frame whose
// contacts ask for more was recorded through a wall.
constexpr double kGreatestChange = radians(30.0);
constexpr int kFramesAtOnce = 16;  // of a task: threads need not ask for work too often

struct Near {
  int object = -1;
  std::vector<double> gaps;  // m, of each segment of the recorded hand
};

std::vector<double> gaps_of(const Hand& hand, const HandPose& pose, const Transform& object_world,
                            const geometry::SignedDistance& distance) {
  const auto frames = segment_frames(hand, pose);
  std::vector<double> gaps;
  for (int s = 0; s < hand.segment_count(); ++s)
    gaps.push_back(hands::gap_to_object(hand, {&s, 1}, frames, object_world, distance));
  return gaps;
}

// The segment of `to` that is the same part of the same digit; -1: none.
std::vector<int> counterparts(const Hand& from, const Hand& to) {
  std::vector<int> found;
  for (const Segment& segment : from.segments) {
    int match = -1;
    for (int s = 0; s < to.segment_count(); ++s) {
      const Segment& other = to.segments[s];
      if (!other.capsules.empty() && segment.phalanx >= 0 && other.digit == segment.digit &&
          other.phalanx == segment.phalanx)
        match = s;
    }
    found.push_back(match);
  }
  return found;
}

void add(const ContactsKept& part, ContactsKept& all) {
  all.contacts += part.contacts;
  all.mean += part.mean;
  all.worst = std::max(all.worst, part.worst);
  all.deepest = std::max(all.deepest, part.deepest);
}

void add(const Rehanded& part, Rehanded& all) {
  add(part.recorded, all.recorded);
  add(part.by_angles, all.by_angles);
  add(part.kept, all.kept);
  all.greatest_turn = std::max(all.greatest_turn, part.greatest_turn);
  all.by_angles_frames += part.by_angles_frames;
}

// One hand of the clip.
class Bringer {
 public:
  Bringer(const HandTrack& track, HandPtr to, const Clip& clip,
          std::span<const geometry::PreparedObjectPtr> objects)
      : track_(track),
        from_(*track.hand),
        to_(std::move(to)),
        clip_(clip),
        objects_(objects),
        counterparts_(counterparts(from_, *to_)),
        poses(track.poses.size()) {}

  void frames(int first, int last, Rehanded& made) {
    hands::ContactRetargeter retargeter(from_, *to_, options_);
    for (int f = first; f < last; ++f) frame(f, retargeter, made);
  }

 private:
  void frame(int f, hands::ContactRetargeter& retargeter, Rehanded& made) {
    const HandPose& pose = track_.poses[f];
    const HandPose by_angles = possible(retarget(from_, pose, *to_));
    const Near near = nearest(pose, f);
    if (near.object < 0) {
      poses[f] = by_angles;
      return;
    }
    const Transform& object_world = clip_.objects[near.object].poses_world[f];
    const geometry::SignedDistance& distance = *objects_[near.object]->contact();
    const auto solved = retargeter.solve(pose, distance, object_world);
    const HandPose touching = possible(solved.pose);
    Rehanded now;
    count(near, near.gaps, false, now.recorded);
    count(near, gaps_of(*to_, by_angles, object_world, distance), true, now.by_angles);
    count(near, gaps_of(*to_, touching, object_world, distance), true, now.kept);
    // Through a thin wall the other side may be nearer: such a frame keeps its angles.
    const bool better = now.kept.mean <= now.by_angles.mean;
    if (!better) now.kept = now.by_angles;
    poses[f] = better ? touching : by_angles;
    now.greatest_turn = better ? turned(by_angles, touching) : 0.0;
    now.by_angles_frames = better ? 0 : 1;
    add(now, made);
  }

  static double turned(const HandPose& a, const HandPose& b) {
    double most = 0.0;
    for (std::size_t s = 1; s < a.rotations.size(); ++s)
      most = std::max(most, angle_between(a.rotations[s], b.rotations[s]));
    return most;
  }

  // What the hand's own joints can do of a pose.
  HandPose possible(const HandPose& pose) const {
    return pose_from_coordinates(*to_, pose.root_world, coordinates(*to_, pose));
  }

  Near nearest(const HandPose& pose, int f) const {
    Near near;
    double least = options_.fade;
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      auto gaps = gaps_of(from_, pose, clip_.objects[i].poses_world[f], *objects_[i]->contact());
      const double gap = *std::min_element(gaps.begin(), gaps.end());
      if (gap >= least) continue;
      least = gap;
      near = {static_cast<int>(i), std::move(gaps)};
    }
    return near;
  }

  void count(const Near& near, const std::vector<double>& gaps, bool other,
             ContactsKept& kept) const {
    for (const double gap : gaps) kept.deepest = std::max(kept.deepest, -gap);
    for (std::size_t s = 0; s < near.gaps.size(); ++s) {
      if (counterparts_[s] < 0 || near.gaps[s] >= options_.touch) continue;
      const double apart = std::abs(gaps[other ? counterparts_[s] : static_cast<int>(s)]);
      ++kept.contacts;
      kept.mean += apart;  // the sum, for now
      kept.worst = std::max(kept.worst, apart);
    }
  }

  const HandTrack& track_;
  const Hand& from_;
  const HandPtr to_;
  const Clip& clip_;
  std::span<const geometry::PreparedObjectPtr> objects_;
  const std::vector<int> counterparts_;
  const hands::ContactRetargetOptions options_ = {.greatest_change = kGreatestChange};

 public:
  std::vector<HandPose> poses;
};

io::Value kept_value(const ContactsKept& kept) {
  io::Value value = io::Value::table();
  value["mean_m"] = kept.mean;
  value["worst_m"] = kept.worst;
  value["deepest_m"] = kept.deepest;
  return value;
}

}  // namespace

Result<HandPtr> target_hand(const std::string& name, std::vector<std::string>& notes,
                            const LoadOptions& load) {
  for (const HandProfile profile :
       {HandProfile::kAnatomical, HandProfile::kBall, HandProfile::kArm}) {
    if (name != to_string(profile)) continue;
    auto hand = build_hand({.profile = profile});
    if (!hand) return hand.error();
    return std::make_shared<const Hand>(std::move(*hand));
  }
  if (file_ending(name).empty())
    return Error{
        fmt::format("--onto: '{}' should be a file of a hand (.xml .glb .bvh), or one of "
                    "anatomical, ball, arm",
                    printable(name))};
  LoadOptions alone = load;
  alone.objects.clear();
  return load_hand(name, notes, alone);
}

Rehanded bring_onto(const HandPtr& hand, Clip& clip, const Monitor& monitor) {
  std::vector<geometry::PreparedObjectPtr> objects;
  for (const ObjectTrack& track : clip.objects) objects.push_back(geometry::prepare(track.object));
  Rehanded made;
  for (HandTrack& track : clip.hands) {
    const HandPtr to =
        hand->side == track.hand->side ? hand : std::make_shared<const Hand>(mirrored(*hand));
    Bringer bringer(track, to, clip, objects);
    const int frames = static_cast<int>(track.poses.size());
    const int parts = (frames + kFramesAtOnce - 1) / kFramesAtOnce;
    std::vector<Rehanded> of_part(parts);
    tbb::parallel_for(0, parts, [&](int part) {
      if (monitor.stop.stop_requested()) return;
      bringer.frames(part * kFramesAtOnce, std::min(frames, (part + 1) * kFramesAtOnce),
                     of_part[part]);
    });
    if (monitor.stop.stop_requested()) {
      made.interrupted = true;
      return made;
    }
    // In order, so that sums do not depend on the number of threads.
    for (const Rehanded& part : of_part) add(part, made);
    track = {to, std::move(bringer.poses)};
  }
  for (ContactsKept* kept : {&made.recorded, &made.by_angles, &made.kept})
    kept->mean /= std::max(1, kept->contacts);
  clip.contacts.clear();
  clip.forces_recorded = false;
  return made;
}

io::Value rehanded_value(const Rehanded& made) {
  io::Value value = io::Value::table();
  value["contacts"] = made.kept.contacts;
  value["recorded"] = kept_value(made.recorded);
  value["before"] = kept_value(made.by_angles);
  value["after"] = kept_value(made.kept);
  value["frames_by_angles"] = made.by_angles_frames;
  value["greatest_turn_deg"] = degrees(made.greatest_turn);
  return value;
}

std::string rehanded_text(const Rehanded& made) {
  if (made.kept.contacts == 0) return "brought onto the hand by joint angles: it touches nothing";
  const auto row = [](const char* name, const ContactsKept& kept) {
    return fmt::format("\n{:<22}{:>8.1f}{:>8.1f}{:>10.1f} mm", name, 1e3 * kept.mean,
                       1e3 * kept.worst, 1e3 * kept.deepest);
  };
  return fmt::format("brought onto the hand; {} contacts of segments, their distance from contact:",
                     made.kept.contacts) +
         fmt::format("\n{:<22}{:>8}{:>8}{:>10}", "", "mean", "worst", "deepest") +
         row("as recorded", made.recorded) + row("by joint angles", made.by_angles) +
         row("contacts kept", made.kept) +
         fmt::format("\njoints turned by up to {:.0f} degrees for it", degrees(made.greatest_turn));
}

}  // namespace prehend::jobs
