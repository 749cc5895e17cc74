// Forces that squeeze and leave the object alone, by a dual of six unknowns.
#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Cholesky>

#include "physics/grasp_cones.h"
#include "prehend/core/assert.h"

namespace prehend::physics {
namespace {

using Vec6 = Eigen::Matrix<double, 6, 1>;
using Mat6 = Eigen::Matrix<double, 6, 6>;
using Mat63 = Eigen::Matrix<double, 6, 3>;
using optimize::ConeContact;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kMaxSteps = 50;

// A point of a cone without torsion, (normal, tangents), normal up to a limit.
struct Projection {
  Vec3 point = Vec3::Zero();
  Mat3 jacobian = Mat3::Zero();  // one of the generalized ones where it jumps
};

Projection project(const Vec3& z, double friction, double limit) {
  const double slide = z.tail<2>().norm();
  Projection p;
  if (friction * slide <= -z[0]) return p;
  // Unit tangents along and across.
  const Eigen::Vector2d along = slide > 0.0 ? Eigen::Vector2d(z.tail<2>() / slide)
                                            : Eigen::Vector2d(Eigen::Vector2d::UnitX());
  const Vec3 across(0.0, -along.y(), along.x());
  const double normal = (z[0] + friction * slide) / (1.0 + friction * friction);
  const bool inside = slide <= friction * z[0] && friction > 0.0;
  if ((inside ? z[0] : normal) >= limit) {
    const double most = friction * limit;
    p.point << limit, std::min(slide, most) * along;
    p.jacobian = slide > most ? Mat3(most / slide * across * across.transpose())
                              : Mat3(Vec3(0.0, 1.0, 1.0).asDiagonal());
  } else if (inside) {
    p.point = z;
    p.jacobian.setIdentity();
  } else {
    const Vec3 edge(1.0, friction * along.x(), friction * along.y());
    p.point = normal * edge;
    p.jacobian = edge * edge.transpose() / edge.squaredNorm();
    if (slide > 0.0) p.jacobian += friction * normal / slide * across * across.transpose();
  }
  return p;
}

// minimize |f - f0|^2 / 2 + kBalance |G f|^2 / 2 over f in the cones. Its dual has six unknowns y
// and no constraint: with f(y) the projection of f0 + G' y,
//   minimize f . (f0 + G' y) - |f|^2 / 2 + |y|^2 / (2 kBalance),   gradient G f + y / kBalance,
// convex and once differentiable: Newton's method with the projections' generalized Jacobians ends
// in some ten steps, where projected gradients crawl.
class SqueezeProgram {
 public:
  SqueezeProgram(std::span<const ConeContact> cones, std::span<const double> preferred)
      : unit_(*std::max_element(preferred.begin(), preferred.end())), forces_(cones.size()) {
    for (size_t i = 0; i < cones.size(); ++i) {
      const ConeContact& c = cones[i];
      parts_.push_back({c.wrench_map.leftCols<3>(), preferred[i] / unit_, c.friction,
                        c.max_normal > 0.0 ? c.max_normal / unit_ : kInfinity});
    }
  }

  // Local forces, in newtons, scaled to the preferred sum as far as bounds let them.
  const std::vector<Vec3>& solve() {
    Vec6 y = Vec6::Zero();
    State state = evaluate(y);
    for (int k = 0; k < kMaxSteps && state.gradient.norm() > kAccuracy * state.normal; ++k) {
      const Vec6 step = -state.hessian.ldlt().solve(state.gradient);
      const double slope = step.dot(state.gradient);
      double length = 1.0;
      State next = evaluate(y + step);
      while (next.value > state.value + 1e-4 * length * slope + kRounding && length > 1e-6) {
        length *= 0.5;
        next = evaluate(y + length * step);
      }
      y += length * step;
      state = next;
    }
    rescale(state.normal);
    return forces_;
  }

 private:
  // Of a wrench against forces. Leaves a millionth of what pulls on the balance.
  static constexpr double kBalance = 1e6;
  static constexpr double kAccuracy = 1e-8;  // of the wrench, over the normal force
  static constexpr double kRounding = 1e-14;

  struct Part {
    Mat63 map;
    double preferred, friction, limit;
  };
  struct State {
    double value = 0.0, normal = 0.0;
    Vec6 gradient;
    Mat6 hessian;
  };

  State evaluate(const Vec6& y) {
    State s;
    s.value = 0.5 * y.squaredNorm() / kBalance;
    s.gradient = y / kBalance;
    s.hessian = Mat6::Identity() / kBalance;
    for (size_t i = 0; i < parts_.size(); ++i) {
      const Part& part = parts_[i];
      const Vec3 z = part.preferred * Vec3::UnitX() + part.map.transpose() * y;
      const Projection p = project(z, part.friction, part.limit);
      forces_[i] = p.point;
      s.normal += p.point[0];
      s.value += p.point.dot(z) - 0.5 * p.point.squaredNorm();
      s.gradient.noalias() += part.map * p.point;
      s.hessian.noalias() += part.map * (p.jacobian * part.map.transpose());
    }
    return s;
  }

  void rescale(double normal) {
    double wanted = 0.0, most = kInfinity;
    for (size_t i = 0; i < parts_.size(); ++i) {
      wanted += std::min(parts_[i].preferred, parts_[i].limit);
      if (forces_[i][0] > 0.0) most = std::min(most, parts_[i].limit / forces_[i][0]);
    }
    const double scale = normal > 0.0 ? std::min(wanted / normal, most) : 0.0;
    for (Vec3& f : forces_) f *= scale * unit_;
  }

  double unit_;
  std::vector<Part> parts_;
  std::vector<Vec3> forces_;
};

}  // namespace

Squeeze balanced_squeeze(std::span<const GraspContact> contacts, const Object& object,
                         std::span<const double> preferred, const GraspQualityOptions& options) {
  PREHEND_ASSERT(preferred.size() == contacts.size());
  Squeeze squeeze;
  squeeze.forces.assign(contacts.size(), Vec3::Zero());
  if (contacts.empty() || *std::max_element(preferred.begin(), preferred.end()) <= 0.0) {
    return squeeze;
  }
  const std::vector<ConeContact> cones = cone_contacts(contacts, object, options);
  SqueezeProgram program(cones, preferred);
  const std::vector<Vec3>& local = program.solve();
  Vec6 wrench = Vec6::Zero();
  double normal = 0.0;
  for (size_t i = 0; i < contacts.size(); ++i) {
    squeeze.forces[i] = contact_frame(contacts[i].normal) * local[i];
    wrench += cones[i].wrench_map.leftCols<3>() * local[i];
    normal += local[i][0];
  }
  if (normal > 0.0) squeeze.residual = wrench.norm() / normal;
  return squeeze;
}

}  // namespace prehend::physics
