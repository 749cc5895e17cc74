// Ye and Liu 2012, section 4.3: "contact information between the object and the environment is
// a-priori". Implements: finding these contacts and telling static from sliding ones.
// Departs: what was not captured is assumed under an object that rests with no hand near.
#include "methods/contact_sampling/supports.h"

#include <algorithm>
#include <cmath>

#include "prehend/geometry/primitive.h"

namespace prehend::contact_sampling {
namespace {

// A point of the object nearer than this to a support stands on it, m. Markers are off by as much.
constexpr double kTouching = 0.005;
// What was captured up to this much below its support, m, is an error of capture; what is lower is
// beside it. Less than `kEntered` is left as it is.
constexpr double kDeepestCaptured = 0.04, kEntered = 0.0005;
constexpr double kLiftFade = 0.15;  // s, over which an object is lifted before and after
// An assumed support lies lower than a resting object by at most this part of that.
constexpr double kLowered = 0.8;
// Slower points of the object rest or stick, m/s: noise of 0.2 mm at 60 frames a second.
constexpr double kSticking = 0.02;
// An object has come to rest if it is slow for as long, s.
constexpr double kRestSeconds = 0.04;
// Two heights nearer than this are one, m.
constexpr double kSameHeight = 0.01;
// Points that carry an object: a square would do, a ring of eight carries round ones too.
constexpr int kMostPoints = 8;
constexpr int kMostVertices = 2000;
// An assumed support reaches this far beyond what stands on it, and is twice this thick, m.
constexpr double kSlabMargin = 0.005, kSlabHalf = 0.01;

std::vector<Vec3> thinned(const std::vector<Vec3>& vertices) {
  std::vector<Vec3> result;
  const size_t stride = std::max<size_t>(1, vertices.size() / kMostVertices);
  for (size_t i = 0; i < vertices.size(); i += stride) result.push_back(vertices[i]);
  return result;
}

double lowest(const std::vector<Vec3>& points, const Transform& pose) {
  double low = INFINITY;
  for (const Vec3& point : points) low = std::min(low, (pose * point).y());
  return low;
}

struct Candidate {
  SupportPoint point;
  double gap = 0.0;
};

// The nearest, then always the one farthest from those taken.
void spread(std::vector<Candidate>& found, std::vector<SupportPoint>& taken) {
  std::stable_sort(found.begin(), found.end(),
                   [](const Candidate& a, const Candidate& b) { return a.gap < b.gap; });
  std::vector<double> apart(found.size(), INFINITY);
  size_t next = 0;
  for (int k = 0; k < kMostPoints && !found.empty(); ++k) {
    taken.push_back(found[next].point);
    size_t farthest = 0;
    for (size_t i = 0; i < found.size(); ++i) {
      apart[i] =
          std::min(apart[i], (found[i].point.point_object - taken.back().point_object).norm());
      if (apart[i] > apart[farthest]) farthest = i;
    }
    if (apart[farthest] <= 0.0) return;
    next = farthest;
  }
}

void set_sliding(const Vec3& velocity, SupportPoint& point) {
  const Vec3 along = velocity - velocity.dot(point.normal_world) * point.normal_world;
  if (along.norm() > kSticking) point.slide_world = along.normalized();
}

// Whether anything that was given is within reach below.
bool given_support(const SamplingProblem& problem, const std::vector<Vec3>& points,
                   const Transform& pose) {
  if (problem.floor_height && lowest(points, pose) - *problem.floor_height < kSameHeight)
    return true;
  for (const FixedObject& fixed : problem.surroundings) {
    const Transform fixed_from_object = fixed.pose_world.inverse() * pose;
    for (const Vec3& point : points) {
      if (fixed.object->exact()->sample(fixed_from_object * point).distance < kSameHeight)
        return true;
    }
  }
  return false;
}

}  // namespace

std::vector<LevelSupport> level_supports(const SamplingProblem& problem, int object,
                                         const std::vector<Transform>& poses_world,
                                         const ObjectMotion& motion,
                                         const std::vector<bool>& hand_near) {
  std::vector<LevelSupport> levels;
  if (problem.floor_height) levels.push_back({*problem.floor_height, false});
  if (!problem.assume_supports) return levels;
  const Object& shape = problem.objects[object].object->object();
  const std::vector<Vec3> points = thinned(shape.shape.mesh->vertices);
  const double size = problem.objects[object].object->box().diagonal().norm();
  const int frames = static_cast<int>(poses_world.size());
  const int least = std::max(2, static_cast<int>(std::lround(kRestSeconds * problem.frame_rate)));
  const auto slow = [&](int f) {
    return motion.velocity_world[f].norm() + 0.5 * size * motion.spin_world[f].norm() <
           2.0 * kSticking;
  };
  for (int f = 0; f < frames;) {
    if (!slow(f)) {
      ++f;
      continue;
    }
    int end = f;
    bool alone = false;
    double low = 0.0;
    for (; end < frames && slow(end); ++end) {
      alone = alone || !hand_near[end];
      low += lowest(points, poses_world[end]);
    }
    low /= end - f;
    // The support is where the object is lowest, so that it enters nothing, but not so low that the
    // resting object would not touch it.
    const double rest = low;
    for (const Transform& pose : poses_world) {
      const double here = lowest(points, pose);
      if (std::abs(here - rest) < kLowered * kTouching) low = std::min(low, here);
    }
    const bool known = std::any_of(levels.begin(), levels.end(), [&](const LevelSupport& level) {
      return std::abs(level.height - low) < kSameHeight;
    });
    if (end - f >= least && alone && !known && !given_support(problem, points, poses_world[f]))
      levels.push_back({low, true});
    f = end;
  }
  return levels;
}

double lift_onto(const std::vector<LevelSupport>& levels, const Object& object, double frame_rate,
                 std::vector<Transform>& poses_world) {
  const std::vector<Vec3> points = thinned(object.shape.mesh->vertices);
  const int frames = static_cast<int>(poses_world.size());
  std::vector<double> entered(frames, 0.0);
  for (const LevelSupport& level : levels) {
    // Where the object stands; a floor is everywhere.
    Eigen::AlignedBox2d footprint;
    for (const Transform& pose : poses_world) {
      if (std::abs(lowest(points, pose) - level.height) > kTouching) continue;
      for (const Vec3& point : points) {
        const Vec3 world = pose * point;
        if (world.y() - level.height < kTouching)
          footprint.extend(Eigen::Vector2d(world.x(), world.z()));
      }
    }
    for (int f = 0; f < frames; ++f) {
      double deepest = 0.0;
      for (const Vec3& point : points) {
        const Vec3 world = poses_world[f] * point;
        if (level.assumed &&
            footprint.exteriorDistance(Eigen::Vector2d(world.x(), world.z())) > 2.0 * kSlabMargin)
          continue;
        deepest = std::max(deepest, level.height - world.y());
      }
      if (deepest < kDeepestCaptured) entered[f] = std::max(entered[f], deepest);
    }
  }
  const double deepest = *std::max_element(entered.begin(), entered.end());
  if (deepest < kEntered) return 0.0;
  // Around the deepest frames the object is lifted as well, and less and less away from them.
  const double fade = kLiftFade * frame_rate;
  for (int f = 0; f < frames; ++f) {
    double lift = 0.0;
    const int reach = static_cast<int>(fade);
    for (int g = std::max(0, f - reach); g <= std::min(frames - 1, f + reach); ++g)
      lift = std::max(lift, entered[g] * (1.0 - minimum_jerk(std::abs(f - g), 0.0, fade + 1.0)));
    poses_world[f].position.y() += lift;
  }
  return deepest;
}

std::vector<std::vector<SupportPoint>> find_supports(const SamplingProblem& problem, int object,
                                                     const std::vector<Transform>& poses_world,
                                                     const ObjectMotion& motion,
                                                     const std::vector<LevelSupport>& levels) {
  const Object& shape = problem.objects[object].object->object();
  const std::vector<Vec3> points = thinned(shape.shape.mesh->vertices);
  std::vector<std::vector<SupportPoint>> result(poses_world.size());
  std::vector<Candidate> found;
  for (size_t f = 0; f < poses_world.size(); ++f) {
    const Transform& pose = poses_world[f];
    const Vec3 center = pose * shape.center_of_mass;
    found.clear();
    const auto add = [&](const Vec3& point, const Vec3& normal, double gap, int surrounding) {
      Candidate candidate{{point, normal, Vec3::Zero(), surrounding}, gap};
      set_sliding(motion.velocity_world[f] + motion.spin_world[f].cross(pose * point - center),
                  candidate.point);
      found.push_back(candidate);
    };
    for (const LevelSupport& level : levels) {
      for (const Vec3& point : points) {
        const double gap = (pose * point).y() - level.height;
        if (std::abs(gap) < kTouching) add(point, -Vec3::UnitY(), gap, -1);
      }
    }
    for (size_t s = 0; s < problem.surroundings.size(); ++s) {
      const FixedObject& fixed = problem.surroundings[s];
      const Transform fixed_from_object = fixed.pose_world.inverse() * pose;
      const double reach = fixed.object->box().exteriorDistance(fixed_from_object.position) -
                           problem.objects[object].object->box().diagonal().norm();
      if (reach > kTouching) continue;
      for (const Vec3& point : points) {
        const auto sample = fixed.object->exact()->sample(fixed_from_object * point);
        if (sample.distance < kTouching)
          add(point, -fixed.pose_world.turn(sample.gradient), sample.distance, static_cast<int>(s));
      }
    }
    spread(found, result[f]);
  }
  return result;
}

std::optional<FixedObject> assumed_slab(const LevelSupport& level, int index,
                                        const std::vector<Transform>& poses_world,
                                        std::vector<std::vector<SupportPoint>>& supports) {
  geometry::Box3 box;
  for (size_t f = 0; f < supports.size(); ++f) {
    for (SupportPoint& point : supports[f]) {
      const Vec3 world = poses_world[f] * point.point_object;
      if (point.surrounding >= 0 || std::abs(world.y() - level.height) > kTouching) continue;
      point.surrounding = index;
      box.extend(Vec3(world.x(), level.height, world.z()));
    }
  }
  if (box.isEmpty()) return std::nullopt;
  const Vec3 half = 0.5 * box.sizes() + Vec3(kSlabMargin, kSlabHalf, kSlabMargin);
  auto slab = geometry::object_from_primitive("support", ShapeKind::kBox, half, 1.0);
  if (!slab) return std::nullopt;
  slab->fixed = true;
  const Vec3 middle = box.center() - Vec3(0.0, kSlabHalf, 0.0);
  return FixedObject{geometry::prepare(std::make_shared<const Object>(std::move(*slab))),
                     Transform::from_position(middle)};
}

}  // namespace prehend::contact_sampling
