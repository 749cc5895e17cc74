#include "jobs/detail_capture.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "jobs/cut_range.h"
#include "jobs/detail_timing.h"
#include "prehend/core/hand_builder.h"
#include "prehend/core/text.h"
#include "prehend/hands/palm.h"

namespace prehend::jobs {
namespace {

// A mesh full of water may weigh much more than the hollow thing that was held. `simulate` weighs
// what nobody weighs in the same way.
constexpr double kLightest = 0.05, kHeaviest = 0.3;  // kg
// A finger that turns by less over a whole recording was not recorded.
constexpr double kMoves = radians(2.0);
// What one hand can carry at most, N: five fingers of 40 N each, straight from below.
constexpr double kStrongest = 200.0;

bool fingers_move(const HandTrack& track) {
  const Hand& hand = *track.hand;
  for (int s = 0; s < hand.segment_count(); ++s) {
    if (hand.segments[s].digit == Digit::kNone) continue;
    for (const HandPose& pose : track.poses)
      if (angle_between(pose.rotations[s], track.poses[0].rotations[s]) > kMoves) return true;
  }
  return false;
}

// Recordings often begin with a frame or two in which the object is not yet where it then rests. If
// it rests from the third frame on at the latest, it does so from the first.
constexpr int kUnsettled = 3;        // frames
constexpr double kRestSpeed = 0.02;  // m/s, of something that rests: what markers tremble
constexpr double kRestSeconds = 0.1;
constexpr double kJump = 0.002;  // m, beyond what markers tremble
void settle_start(double frame_rate, ObjectTrack& track, std::vector<std::string>& notes) {
  auto& poses = track.poses_world;
  const int still = std::max(3, static_cast<int>(std::lround(kRestSeconds * frame_rate)));
  for (int k = 1; k <= kUnsettled && k + still < static_cast<int>(poses.size()); ++k) {
    bool rests = true;
    for (int f = k; f < k + still; ++f)
      rests &= (poses[f + 1].position - poses[f].position).norm() * frame_rate < kRestSpeed;
    if (!rests) continue;
    const double jump = (poses[0].position - poses[k].position).norm();
    if (jump < kJump) return;
    std::fill(poses.begin(), poses.begin() + k, poses[k]);
    notes.push_back(
        fmt::format("{}: jumps by {:.0f} mm before it rests in frame {}; taken to rest from the "
                    "first frame on",
                    track.object->name, 1e3 * jump, k));
    return;
  }
}

// Of the two quaternions of a rotation the nearer to the frame before, for whoever smooths them.
void keep_signs(ObjectTrack& track) {
  for (std::size_t f = 1; f < track.poses_world.size(); ++f)
    if (track.poses_world[f].rotation.dot(track.poses_world[f - 1].rotation) < 0.0)
      track.poses_world[f].rotation.coeffs() *= -1.0;
}

bool moves(const ObjectTrack& track) {
  return std::any_of(track.poses_world.begin(), track.poses_world.end(), [&](const Transform& t) {
    return (t.position - track.poses_world[0].position).norm() > 1e-4 ||
           angle_between(t.rotation, track.poses_world[0].rotation) > 1e-3;
  });
}

// What never moves is part of the surroundings, unless nothing does.
void part_fixed(Capture& capture) {
  std::vector<ObjectTrack> moving;
  for (ObjectTrack& track : capture.clip.objects) {
    if (track.object->fixed || !moves(track))
      capture.fixed.push_back({track.object, track.poses_world[0]});
    else
      moving.push_back(std::move(track));
  }
  capture.clip.objects = std::move(moving);
}

Result<Capture> capture_files(const DetailJob& job) {
  auto loaded = load_clips(job.inputs, job.load);
  if (!loaded) return loaded.error();
  Capture capture;
  capture.notes = std::move(loaded->notes);
  capture.recording = true;
  capture.clip = std::move(loaded->clip);
  capture.title = capture.clip.name;
  capture.floor_height = capture.clip.floor_height;
  if (!job.cut.empty()) {
    const auto kept = cut_range(capture.clip, job.cut);
    if (!kept) return kept.error();
    capture.clip = cut(capture.clip, kept->first, kept->last);
    capture.first_frame = kept->first;
  }
  const std::string& file = job.inputs[0];
  if (capture.clip.hands.empty()) return Error{file + ": no hand moves in it"};
  if (capture.clip.objects.empty())
    return Error{file + ": no object moves in it; --object MOTION=OBJECT adds one"};
  for (ObjectTrack& track : capture.clip.objects) {
    if (job.mass || track.object->fixed) continue;
    const double mass = std::clamp(track.object->mass, kLightest, kHeaviest);
    if (mass == track.object->mass) continue;
    capture.notes.push_back(
        fmt::format("{}: {:.2f} kg if it were full of water; taken as {:g} kg (--mass)",
                    track.object->name, track.object->mass, mass));
    track.object = std::make_shared<const Object>(with_mass(*track.object, mass));
  }
  for (ObjectTrack& track : capture.clip.objects) {
    settle_start(capture.clip.frame_rate, track, capture.notes);
    keep_signs(track);
  }
  part_fixed(capture);
  if (job.time_offset) {
    for (ObjectTrack& track : capture.clip.objects)
      delay_object(capture.clip.frame_rate, *job.time_offset, track);
  } else {
    align_objects(capture.clip, capture.notes);
  }
  if (capture.clip.objects.empty()) return Error{file + ": its objects never move"};
  return capture;
}

// Fingers are compared with later, and refused unless they are to be replaced.
Status set_recorded(const DetailJob& job, Capture& capture) {
  const auto moving =
      std::find_if(capture.clip.hands.begin(), capture.clip.hands.end(), fingers_move);
  if (moving == capture.clip.hands.end()) return {};
  if (!job.strip_fingers)
    return Error{
        fmt::format("{}: the {} hand's fingers move already; --strip-fingers replaces them",
                    printable(job.inputs[0], 200), to_string(moving->hand->side))};
  capture.recorded = capture.clip;
  return {};
}

// Where the palm's middle is over the frames in which this hand is the nearest, and the object's
// shift toward it, in the object's frame so that it is rigid.
void move_toward_palm(double distance, Capture& capture) {
  for (ObjectTrack& track : capture.clip.objects) {
    Vec3 sum = Vec3::Zero();
    double nearest = 1e9;
    const Vec3 middle = track.object->center_of_mass;
    const auto palm_from = [&](const HandTrack& hand, std::size_t f) -> Vec3 {
      const Transform wrist = segment_frames(*hand.hand, hand.poses[f])[hand.hand->wrist()];
      const Transform palm = wrist * hands::palm_in_wrist(*hand.hand);
      return track.poses_world[f].inverse() * palm.position - middle;
    };
    for (const HandTrack& hand : capture.clip.hands)
      for (std::size_t f = 0; f < hand.poses.size(); ++f)
        nearest = std::min(nearest, palm_from(hand, f).norm());
    for (const HandTrack& hand : capture.clip.hands) {
      for (std::size_t f = 0; f < hand.poses.size(); ++f) {
        const Vec3 way = palm_from(hand, f);
        if (way.norm() < nearest + 0.02) sum += way;
      }
    }
    if (sum.norm() < 1e-9) continue;
    const Transform shift = Transform::from_position(distance * sum.normalized());
    for (Transform& pose : track.poses_world) pose = pose * shift;
  }
}

Status edit(const DetailJob& job, Capture& capture) {
  if (job.mass && !(*job.mass > 0.0 && *job.mass <= 100.0))
    return Error{fmt::format("--mass: {:g} should be above 0 and up to 100 kg", *job.mass)};
  if (job.friction && !(*job.friction > 0.0 && *job.friction <= 5.0))
    return Error{fmt::format("--friction: {:g} should be above 0 and up to 5", *job.friction)};
  if (job.time_offset && !(std::abs(*job.time_offset) <= 1.0))
    return Error{fmt::format("--time-offset: {:g} should be from -1 to 1 s", *job.time_offset)};
  if (job.toward_palm && !(std::abs(*job.toward_palm) <= 0.2))
    return Error{fmt::format("--toward-palm: {:g} should be from -0.2 to 0.2 m", *job.toward_palm)};
  for (ObjectTrack& track : capture.clip.objects) {
    Object object = job.mass ? with_mass(*track.object, *job.mass) : *track.object;
    object.friction = job.friction.value_or(object.friction);
    track.object = std::make_shared<const Object>(std::move(object));
  }
  for (const ObjectTrack& track : capture.clip.objects) {
    const double most = kStrongest * static_cast<double>(capture.clip.hands.size());
    if (track.object->mass * kStandardGravity > most)
      return Error{fmt::format("{}: {:g} kg is more than {} can carry, {:.0f} kg at most",
                               track.object->name, track.object->mass,
                               capture.clip.hands.size() > 1 ? "two hands" : "one hand",
                               most / kStandardGravity)};
  }
  if (job.toward_palm) move_toward_palm(*job.toward_palm, capture);
  if (job.floor_height) capture.floor_height = job.floor_height;
  return {};
}

}  // namespace

Result<Capture> detail_capture(const DetailJob& job, const std::optional<io::Scene>& scene) {
  Result<Capture> capture = [&]() -> Result<Capture> {
    if (!scene) return capture_files(job);
    const auto options = io::scene_options(*scene, "detail", detail_keys());
    if (!options) return options.error();
    auto moved = scene_motion_clip(*scene, job.load.objects, scene_frame_rate(*scene));
    if (!moved) return moved.error();
    Capture made;
    made.title = moved->clip.name;
    made.clip = std::move(moved->clip);
    made.fixed = std::move(moved->fixed);
    made.floor_height = moved->floor_height;
    made.notes = std::move(moved->notes);
    return made;
  }();
  if (!capture) return capture;
  if (const Status s = edit(job, *capture); !s) return s.error();
  if (!scene)
    if (const Status s = set_recorded(job, *capture); !s) return s.error();
  for (HandTrack& track : capture->clip.hands) track.hand = with_finger_joints(track.hand);
  return capture;
}

HandPtr with_finger_joints(const HandPtr& hand) {
  if (hand->profile != "ball") return hand;
  const auto like = build_hand({.profile = HandProfile::kAnatomical, .side = hand->side});
  Hand made = *hand;
  made.profile = like->profile;
  for (Segment& segment : made.segments) {
    const int same = like->find(segment.name);
    if (same >= 0) segment.joints = like->segments[same].joints;
  }
  return std::make_shared<const Hand>(std::move(made));
}

Result<contact_sampling::SamplingProblem> sampling_problem(const Capture& capture) {
  contact_sampling::SamplingProblem problem;
  problem.frame_rate = capture.clip.frame_rate;
  for (const HandTrack& track : capture.clip.hands)
    problem.hands.push_back({.hand = track.hand, .poses = track.poses, .rest = {}});
  for (const ObjectTrack& track : capture.clip.objects)
    problem.objects.push_back({geometry::prepare(track.object), track.poses_world});
  for (const FixedThing& thing : capture.fixed)
    problem.surroundings.push_back({geometry::prepare(thing.object), thing.pose_world});
  problem.floor_height = capture.floor_height;
  return problem;
}

}  // namespace prehend::jobs
