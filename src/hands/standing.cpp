// An object tips over the edge of its ground that is nearest to the foot of its center of mass,
// until the next vertex touches, and again, until the foot lies within: its center falls with every
// turn, so this ends.
#include "prehend/hands/standing.h"

#include <algorithm>
#include <cmath>

namespace prehend::hands {
namespace {

using Vec2 = Eigen::Vector2d;

constexpr double kGround = 2e-4;       // m: vertices this near to the lowest are ground
constexpr int kMaxTurns = 200;         // of a finely cut curved thing
constexpr double kAlike = 0.05;        // rad between two sides that are one
constexpr double kLeastArea = 1e-9;    // m^2: corners that enclose less are in line
constexpr double kLeastLength = 1e-9;  // m: points nearer than this are one

double cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

// Counter-clockwise hull of points (Andrew's monotone chain).
std::vector<Vec2> hull(std::vector<Vec2> points) {
  std::sort(points.begin(), points.end(), [](const Vec2& a, const Vec2& b) {
    return a.x() < b.x() || (a.x() == b.x() && a.y() < b.y());
  });
  std::vector<Vec2> chain;
  const auto go_along = [&](auto first, auto last) {
    const size_t base = chain.size();
    for (auto p = first; p != last; ++p) {
      while (chain.size() > base + 1 &&
             cross(chain.back() - chain[chain.size() - 2], *p - chain.back()) <= kLeastArea) {
        chain.pop_back();
      }
      chain.push_back(*p);
    }
    if (chain.size() > base + 1) chain.pop_back();
  };
  go_along(points.begin(), points.end());
  go_along(points.rbegin(), points.rend());
  return chain;
}

// The ground as the center of mass sees it, which is the origin.
struct Ground {
  double margin = 0.0;          // of the origin in the hull, negative by the distance outside
  Vec2 nearest = Vec2::Zero();  // point of its boundary
};

Ground ground(const std::vector<Vec2>& points) {
  const std::vector<Vec2> corners = hull(points);
  Ground found{INFINITY};
  bool inside = corners.size() > 2;
  for (size_t i = 0; i < corners.size(); ++i) {
    const Vec2& a = corners[i];
    const Vec2 edge = corners[(i + 1) % corners.size()] - a;
    const double size = edge.squaredNorm();
    const double part = size > 0.0 ? std::clamp(-a.dot(edge) / size, 0.0, 1.0) : 0.0;
    const Vec2 nearest = a + part * edge;
    inside = inside && cross(edge, -a) > 0.0;
    if (nearest.norm() < found.margin) found = {nearest.norm(), nearest};
  }
  if (!inside) found.margin = -found.margin;
  return found;
}

}  // namespace

RestingPose put_down(const Object& object, const Quat& rotation) {
  const std::vector<Vec3>& vertices = object.shape.mesh->vertices;
  Vec3 down = rotation.conjugate() * -Vec3::UnitY();  // in the object's frame, as all below
  Quat turned = rotation;
  double margin = 0.0, height = 0.0;
  std::vector<Vec2> feet;
  for (int turn = 0; turn < kMaxTurns; ++turn) {
    double lowest = -INFINITY;
    for (const Vec3& v : vertices) lowest = std::max(lowest, down.dot(v));
    const Vec3 x = any_orthogonal(down), y = down.cross(x);
    feet.clear();
    for (const Vec3& v : vertices) {
      const Vec3 arm = v - object.center_of_mass;
      if (down.dot(v) > lowest - kGround) feet.emplace_back(x.dot(arm), y.dot(arm));
    }
    const Ground on = ground(feet);
    margin = on.margin;
    height = lowest - down.dot(object.center_of_mass);
    if (margin > -kLeastLength) break;
    // The pivot is under `nearest`, the center beyond it: `over` goes down.
    const Vec3 over = -(on.nearest.x() * x + on.nearest.y() * y).normalized();
    const double pivot = -on.nearest.norm();
    double angle = kPi;
    for (const Vec3& v : vertices) {
      const double above = lowest - down.dot(v);
      const double beyond = over.dot(v - object.center_of_mass) - pivot;
      if (above > kGround) angle = std::min(angle, std::atan2(above, beyond));
    }
    const Vec3 before = down;
    down = (std::cos(angle) * down + std::sin(angle) * over).normalized();
    turned = turned * Quat::FromTwoVectors(down, before);
  }
  return {turned.normalized(), margin, std::atan2(margin, height)};
}

std::vector<RestingPose> resting_poses(const Object& object, double least_tip) {
  std::vector<RestingPose> sides = {put_down(object, Quat::Identity())};
  if (object.shape.kind == ShapeKind::kSphere) return sides;
  for (int x = -1; x <= 1; ++x) {
    for (int y = -1; y <= 1; ++y) {
      for (int z = -1; z <= 1; ++z) {
        const Vec3 down(x, y, z);
        if (down.isZero()) continue;
        const RestingPose side = put_down(object, Quat::FromTwoVectors(down, -Vec3::UnitY()));
        const Vec3 up = side.rotation.conjugate() * Vec3::UnitY();
        const bool known = std::any_of(sides.begin(), sides.end(), [&](const RestingPose& other) {
          return up.dot(other.rotation.conjugate() * Vec3::UnitY()) > std::cos(kAlike);
        });
        if (!known && side.tip >= least_tip) sides.push_back(side);
      }
    }
  }
  return sides;
}

}  // namespace prehend::hands
