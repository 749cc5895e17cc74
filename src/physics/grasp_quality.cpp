// Ferrari and Canny, "Planning Optimal Grasps", ICRA 1992.
// Implements: their measure for a bounded sum of normal forces, a ball about the origin.
// Departs:    cones are exact, not faceted, and have torsion; no convex hull is built.
// Symbols:    W wrenches that one newton in total can give; h(u) its support, max of u . w on W;
//             N(w) least normal force that gives w, the gauge of W; p(w) its price (gradient).
//
// epsilon = min of h over unit u = 1 / max of N over unit w. A support is known at sight: of the
// wrench sets of the contacts, whose hull W is, the largest. N takes a cone program, but shows the
// way: w <- p(w) / |p(w)| never falls, since N is convex, so that for any unit v
//   N(v) >= N(w) + p . (v - w),   and v = p / |p| makes p . v = |p| >= p . w.
// N has degree one, so p . w = N(w), hence N(v) >= |p| >= N(w), and it ends only where p is along
// w, as at every local maximum. p is in the polar of W (p . w <= 1 on it), so h(p / |p|) <= 1 /
// |p|: every step is an upper bound of epsilon, exact however roughly the program was solved.
#include "prehend/physics/grasp_quality.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "physics/grasp_cones.h"
#include "prehend/core/random.h"

namespace prehend::physics {
namespace {

using Vec4 = Eigen::Vector4d;
using Vec6 = Eigen::Matrix<double, 6, 1>;
using optimize::ConeContact;
using optimize::ConeProgram;
using optimize::ConeProgramResult;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Searches that come this near (radians) to where one has been would follow it.
constexpr double kSamePath = 0.1;
// Of the wrench: whether a direction can be given at all, and how the best find is finished.
constexpr double kFineTolerance = 1e-4;
// Interior-point steps keep their prices in the polar of W, so rough ones lead as well: with a
// tenth a solve takes 5 steps in place of 8.
constexpr double kRoughTolerance = 0.1;
// Relative gains at which a search ends.
constexpr double kRoughGain = 1e-2, kFineGain = 1e-5;
constexpr int kMaxSteps = 50;

double support(std::span<const ConeContact> cones, const Vec6& u) {
  double largest = -kInfinity;
  for (const ConeContact& c : cones) {
    const Vec4 a = c.wrench_map.transpose() * u;
    const double tangent = c.friction * c.friction * a.segment<2>(1).squaredNorm();
    const double torsion = c.torsional_friction * a[3];
    largest = std::max(largest, a[0] + std::sqrt(tangent + torsion * torsion));
  }
  return largest;
}

// Even over the sphere and always the same: points of a ball, by rejection from the cube.
std::array<Vec6, 200> scattered_directions() {
  Random random(1);
  std::array<Vec6, 200> directions;
  for (Vec6& d : directions) {
    do {
      for (double& x : d) x = random.uniform(-1.0, 1.0);
    } while (d.squaredNorm() > 1.0 || d.squaredNorm() < 1e-4);
    d.normalize();
  }
  return directions;
}

struct Direction {
  double support;
  Vec6 u;
};

class WeakestSearch {
 public:
  explicit WeakestSearch(std::span<const ConeContact> cones) : cones_(cones) {}

  ForceClosure run(int starts) {
    if (!look()) return {0.0, found_.front().u};
    const size_t kept = std::min(found_.size(), static_cast<size_t>(std::max(starts, 1)));
    const auto weaker = [](const Direction& a, const Direction& b) {
      return a.support < b.support;
    };
    std::partial_sort(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(kept),
                      found_.end(), weaker);
    found_.resize(kept);
    Direction best = found_.front();
    for (const Direction& start : found_) best = std::min(best, descend(start), weaker);
    best = finish(best);
    return {std::max(0.0, best.support), best.u};
  }

 private:
  // Fills `found_`; false: no force closure, found_[0] the proof. Wrenches that forces can give are
  // a convex cone, so all can be given if those of the axes can.
  bool look() {
    static const std::array<Vec6, 200> scattered = scattered_directions();
    const auto add = [this](const Vec6& u) {
      found_.push_back({support(cones_, u), u});
      if (!(found_.back().support <= 0.0)) return true;
      std::swap(found_.front(), found_.back());
      return false;
    };
    for (const Vec6& u : scattered) {
      if (!add(u)) return false;
    }
    for (int k = 0; k < 12; ++k) {
      const Vec6 axis = (k % 2 ? -1.0 : 1.0) * Vec6::Unit(k / 2);
      const Vec6 next = step(axis, kFineTolerance);
      if (!result_.feasible) {
        found_.front() = {0.0, result_.residual.normalized()};
        return false;
      }
      if (!add(next)) return false;
    }
    return true;
  }

  Vec6 step(const Vec6& u, double tolerance) {
    program_.solve(cones_, u, result_, {.tolerance = tolerance});
    return result_.feasible ? Vec6(result_.price.normalized()) : u;
  }

  Direction descend(Direction at) {
    for (int k = 0; k < kMaxSteps; ++k) {
      for (const Vec6& u : been_) {
        if ((u - at.u).squaredNorm() < kSamePath * kSamePath) return at;
      }
      been_.push_back(at.u);
      const Vec6 u = step(at.u, kRoughTolerance);
      const Direction next{support(cones_, u), u};
      if (!(next.support < at.support)) return at;
      const bool slow = next.support > (1.0 - kRoughGain) * at.support;
      at = next;
      if (slow) return at;
    }
    return at;
  }

  Direction finish(Direction at) {
    for (int k = 0; k < kMaxSteps; ++k) {
      const Vec6 u = step(at.u, kFineTolerance);
      const Direction next{support(cones_, u), u};
      if (!(next.support < (1.0 - kFineGain) * at.support)) return at;
      at = next;
    }
    return at;
  }

  std::span<const ConeContact> cones_;
  ConeProgram program_;
  ConeProgramResult result_;
  std::vector<Direction> found_;
  std::vector<Vec6> been_;
};

double total_or_infinite(const ConeProgramResult& result) {
  return result.feasible ? result.total_normal : kInfinity;
}

}  // namespace

ForceClosure force_closure(std::span<const GraspContact> contacts, const Object& object,
                           const GraspQualityOptions& options) {
  std::vector<ConeContact> cones = cone_contacts(contacts, object, options);
  for (ConeContact& c : cones) c.max_normal = 0.0;
  return WeakestSearch(cones).run(options.starts);
}

double least_grip_force(std::span<const GraspContact> contacts, const Object& object,
                        const Vec3& gravity_object, const GraspQualityOptions& options) {
  Vec6 wrench = Vec6::Zero();
  wrench.head<3>() = -object.mass * gravity_object;
  return total_or_infinite(
      optimize::solve_cone_program(cone_contacts(contacts, object, options), wrench));
}

// The steps of epsilon's search within the forces without torque, on the sphere of the weight. With
// bounds N has no degree one, but convexity alone keeps it from falling.
double least_grip_force_any_way(std::span<const GraspContact> contacts, const Object& object,
                                double gravity, const GraspQualityOptions& options) {
  const std::vector<ConeContact> cones = cone_contacts(contacts, object, options);
  const double weight = object.mass * gravity;
  if (weight == 0.0) return 0.0;
  ConeProgram program;
  ConeProgramResult result;
  const auto wrench = [weight](const Vec3& up) {
    return Vec6((Vec6() << weight * up, Vec3::Zero()).finished());
  };
  std::vector<Vec3> been;
  Vec3 best = Vec3::UnitY();
  double worst = 0.0;
  for (int start = 0; start < 27; ++start) {
    Vec3 up(start % 3 - 1, start / 3 % 3 - 1, start / 9 - 1);
    if (up.isZero()) continue;
    up.normalize();
    const auto near = [&up](const Vec3& u) { return (u - up).norm() < kSamePath; };
    while (std::none_of(been.begin(), been.end(), near)) {
      been.push_back(up);
      program.solve(cones, wrench(up), result, {.tolerance = kFineTolerance});
      if (!result.feasible) return kInfinity;
      up = result.price.head<3>().normalized();
      if (result.total_normal <= worst) continue;
      worst = result.total_normal;
      best = up;
    }
  }
  for (int k = 0; k < kMaxSteps; ++k) {
    program.solve(cones, wrench(best), result);
    if (!result.feasible) return kInfinity;
    const bool gained = result.total_normal > (1.0 + kFineGain) * worst;
    worst = std::max(worst, result.total_normal);
    best = result.price.head<3>().normalized();
    if (!gained) break;
  }
  return worst;
}

}  // namespace prehend::physics
