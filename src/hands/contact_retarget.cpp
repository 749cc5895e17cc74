// See the header. What is near the object in the pose given becomes targets of contact IK
// (contact_ik.h): the same fraction of the same segment, on the side that faced the object, on the
// same place of the surface. The angles of the pose given are the preference.
#include "prehend/hands/contact_retarget.h"

#include <algorithm>
#include <cmath>

namespace prehend::hands {
namespace {

// Where a capsule comes nearest to an object: the fraction along its axis is found on this many
// places, a few millimeters apart on a phalanx.
constexpr int kPlaces = 8;

// A wrist that is shifted or turned by this costs as much as a contact a millimeter off.
constexpr double kShiftScale = 0.004;        // m
constexpr double kTurnScale = radians(3.0);  // rad

ContactIkOptions ik_options(const ContactRetargetOptions& options) {
  ContactIkOptions made;
  made.preference = options.preference;
  made.tries = 1;
  made.root_shift_scale = kShiftScale;
  made.root_turn_scale = kTurnScale;
  return made;
}

}  // namespace

ContactRetargeter::ContactRetargeter(const Hand& from, const Hand& to,
                                     const ContactRetargetOptions& options)
    : from_(from), to_(to), options_(options), ik_(to, ik_options(options)) {
  for (const Segment& segment : from.segments) {
    int match = -1;
    for (int s = 0; s < to.segment_count(); ++s) {
      const Segment& other = to.segments[s];
      if (!other.capsules.empty() && other.digit == segment.digit &&
          other.phalanx == segment.phalanx && (segment.phalanx >= 0 || other.name == segment.name))
        match = s;
    }
    segments_.push_back(match);
  }
}

void ContactRetargeter::find_targets(const HandPose& pose, const geometry::SignedDistance& distance,
                                     const Transform& object_world) {
  targets_.clear();
  touches_.clear();
  const auto frames = segment_frames(from_, pose);
  const Transform object_from_world = object_world.inverse();
  for (int s = 0; s < from_.segment_count(); ++s) {
    if (segments_[s] < 0) continue;
    double nearest = options_.fade, fraction = 0.0;
    int capsule = -1;
    Vec3 surface = Vec3::Zero(), normal = Vec3::UnitY();
    for (int c = 0; c < std::ssize(from_.segments[s].capsules); ++c) {
      const Capsule placed = object_from_world * (frames[s] * from_.segments[s].capsules[c]);
      for (int i = 0; i <= kPlaces; ++i) {
        const Vec3 point = placed.a + double(i) / kPlaces * (placed.b - placed.a);
        const auto sample = distance.sample(point);
        const double gap = sample.distance - placed.radius;
        if (gap >= nearest) continue;
        nearest = gap;
        fraction = double(i) / kPlaces;
        capsule = c;
        normal = sample.gradient.stableNormalized();
        surface = point - sample.distance * normal;
      }
    }
    if (capsule < 0) continue;
    const bool touches = nearest < options_.touch;
    const Vec3 normal_world = object_world.turn(normal);
    const Vec3 direction = frames[s].rotation.conjugate() * -normal_world;
    const int target = segments_[s];
    const int count = static_cast<int>(to_.segments[target].capsules.size());
    ContactTarget made;
    made.skin = skin_point(to_, target, std::min(capsule, count - 1), fraction, direction);
    made.point_world =
        object_world * surface + std::max(0.0, nearest - options_.touch) * normal_world;
    made.normal_world = normal_world;
    const double part = (options_.fade - nearest) / (options_.fade - options_.touch);
    made.weight = touches ? 1.0 : part * part;
    targets_.push_back(made);
    touches_.push_back(touches);
  }
}

ContactRetarget ContactRetargeter::solve(const HandPose& pose,
                                         const geometry::SignedDistance& distance,
                                         const Transform& object_world) {
  ContactRetarget made;
  made.pose = retarget(from_, pose, to_);
  find_targets(pose, distance, object_world);
  made.contacts = static_cast<int>(std::count(touches_.begin(), touches_.end(), 1));
  if (targets_.empty()) return made;
  const Obstacle obstacle{&distance, object_world};
  ContactIkProblem problem;
  problem.root_world = made.pose.root_world;
  problem.root_shift = options_.root_shift;
  problem.root_turn = options_.root_turn;
  problem.targets = targets_;
  problem.preferred = coordinates(to_, made.pose);
  if (options_.greatest_change) {
    problem.previous = problem.preferred;
    problem.greatest_change.setConstant(problem.preferred.size(), *options_.greatest_change);
  }
  problem.obstacles = {&obstacle, 1};
  const ContactIkResult& solved = ik_.solve(problem);
  for (std::size_t i = 0; i < targets_.size(); ++i)
    if (touches_[i]) made.worst_error = std::max(made.worst_error, solved.errors[i]);
  made.penetration = solved.penetration.depth;
  const HandPose found = pose_from_coordinates(to_, solved.root_world, solved.coordinates);
  for (std::size_t s = 1; s < found.rotations.size(); ++s)
    made.greatest_turn =
        std::max(made.greatest_turn, angle_between(found.rotations[s], made.pose.rotations[s]));
  made.pose = found;
  return made;
}

}  // namespace prehend::hands
