// Bringing the fingers to touch: damped least squares over the root's six and all joint
// coordinates, with analytic derivatives. Terms of the objective, each squared:
//   1 touch        the gap of each segment near the object, less the farther it is
//   2 penetration  overlap of a capsule with the object
//   3 overlap      of the hand with itself
//   4 joints       distance from the shape that the search found
//   5 root         shift and turn from where the search put it
// Joint ranges are kept by clamping. Term 1 takes a robust weight 1 / (1 + (gap / reach)^2), so a
// finger that cannot reach the object is left as natural as it was.
#include "prehend/methods/grasp_space/refine.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

namespace prehend::grasp_space {
namespace {

constexpr double kFirstDamping = 1e-3, kLeastDamping = 1e-9, kMostDamping = 1e6;
constexpr double kStop = 1e-5;  // relative fall of the cost that ends the iterations

// How much a segment's touch counts: pulps are what hands hold with.
double touch_weight(const Segment& segment) {
  if (segment.phalanx == 3) return 1.0;
  return segment.phalanx >= 1 ? 0.5 : 0.25;
}

}  // namespace

GraspRefiner::GraspRefiner(const Hand& hand,
                           std::shared_ptr<const geometry::SignedDistance> distance,
                           const RefineOptions& options)
    : hand_(hand),
      distance_(std::move(distance)),
      options_(options),
      kinematics_(hand),
      limits_(coordinate_limits(hand)) {
  const int size = 6 + hand.dof();
  row_.resize(size);
  normal_.resize(size, size);
  gradient_.resize(size);
  for (int a = 0; a < hand.segment_count(); ++a) {
    for (int b = a + 1; b < hand.segment_count(); ++b) {
      if (hand.may_overlap(a, b)) continue;
      for (int i = 0; i < static_cast<int>(hand.segments[a].capsules.size()); ++i) {
        for (int j = 0; j < static_cast<int>(hand.segments[b].capsules.size()); ++j) {
          pairs_.push_back({a, i, b, j});
        }
      }
    }
  }
}

void GraspRefiner::gather(double margin) {
  fields_.clear();
  std::array<geometry::FieldContact, geometry::kMaxFieldContacts> found;
  for (int s = 0; s < hand_.segment_count(); ++s) {
    for (const Capsule& capsule : hand_.segments[s].capsules) {
      const Capsule placed = kinematics_.frames_world()[s] * capsule;
      const int count = geometry::capsule_field_contacts(*distance_, placed, margin, found);
      for (int i = 0; i < count; ++i) fields_.push_back({s, found[i]});
    }
  }
}

void GraspRefiner::add_residual(double residual) {
  cost_ += residual * residual;
  if (!derivatives_) return;
  gradient_.noalias() += residual * row_.transpose();
  normal_.selfadjointView<Eigen::Lower>().rankUpdate(row_.transpose());
}

void GraspRefiner::add_object_terms() {
  for (size_t i = 0; i < fields_.size(); ++i) {
    const auto& [segment, contact] = fields_[i];
    double weight = 0.0;
    if (contact.gap < margin_) {
      weight = 1.0 / options_.penetration;
    } else {
      if (margin_ > 0.0) continue;
      // Of a segment's places only the nearest is drawn to the object.
      bool nearest = true;
      for (const Field& other : fields_) {
        nearest = nearest && (other.segment != segment || other.contact.gap >= contact.gap);
      }
      if (!nearest) continue;
      const double ratio = contact.gap / options_.reach;
      weight = touch_weight(hand_.segments[segment]) / (options_.touch * (1.0 + ratio * ratio));
    }
    if (derivatives_) {
      row_.setZero();
      kinematics_.add_row(segment, contact.point, contact.normal, weight, row_);
    }
    add_residual(weight * (contact.gap - margin_));
  }
}

void GraspRefiner::add_self_terms() {
  const auto& frames = kinematics_.frames_world();
  for (const Pair& pair : pairs_) {
    const Capsule a =
        frames[pair.segment_a] * hand_.segments[pair.segment_a].capsules[pair.capsule_a];
    const Capsule b =
        frames[pair.segment_b] * hand_.segments[pair.segment_b].capsules[pair.capsule_b];
    const LinePair lines = closest_on_lines(a.a, a.b, b.a, b.b);
    const double gap = lines.distance - a.radius - b.radius;
    if (gap >= 0.0 || lines.distance < 1e-9) continue;
    const double weight = 1.0 / options_.overlap;
    if (derivatives_) {
      const Vec3 on_a = a.a + lines.first * (a.b - a.a), on_b = b.a + lines.second * (b.b - b.a);
      const Vec3 apart = (on_b - on_a) / lines.distance;
      row_.setZero();
      kinematics_.add_row(pair.segment_b, on_b, apart, weight, row_);
      kinematics_.add_row(pair.segment_a, on_a, apart, -weight, row_);
    }
    add_residual(weight * gap);
  }
}

void GraspRefiner::add_prior_terms(const Transform& root, const Eigen::VectorXd& q) {
  const Vec3 shift = root.position - start_root_.position;
  const Vec3 turn = log_map((root.rotation * start_root_.rotation.conjugate()).normalized());
  for (int k = 0; k < 6 + hand_.dof(); ++k) {
    const double scale = k < 3 ? options_.shift : k < 6 ? options_.turn : options_.joint;
    const double value = k < 3 ? shift[k] : k < 6 ? turn[k - 3] : q[k - 6] - start_q_[k - 6];
    cost_ += value * value / (scale * scale);
    if (!derivatives_) continue;
    gradient_[k] += value / (scale * scale);
    normal_(k, k) += 1.0 / (scale * scale);
  }
}

double GraspRefiner::linearise(const Transform& root, const Eigen::VectorXd& q, bool derivatives) {
  derivatives_ = derivatives;
  cost_ = 0.0;
  if (derivatives) {
    normal_.setZero();
    gradient_.setZero();
  }
  kinematics_.update(root, q);
  gather(3.0 * options_.reach);
  add_object_terms();
  add_self_terms();
  add_prior_terms(root, q);
  return cost_;
}

RefinedGrasp GraspRefiner::refine(const Transform& root_object,
                                  const Eigen::VectorXd& coordinates) {
  margin_ = 0.0;
  return minimise(root_object, coordinates);
}

RefinedGrasp GraspRefiner::clear(const Transform& root_object, const Eigen::VectorXd& coordinates,
                                 double margin) {
  margin_ = margin;
  return minimise(root_object, coordinates);
}

RefinedGrasp GraspRefiner::minimise(const Transform& root_object,
                                    const Eigen::VectorXd& coordinates) {
  start_root_ = root_object;
  start_q_ = coordinates.cwiseMax(limits_.lower).cwiseMin(limits_.upper);
  Transform root = start_root_;
  Eigen::VectorXd q = start_q_;
  double damping = kFirstDamping;
  double cost = linearise(root, q, true);
  int iteration = 0;
  for (; iteration < options_.max_iterations && damping < kMostDamping; ++iteration) {
    Eigen::MatrixXd damped = normal_;
    damped.diagonal() *= 1.0 + damping;
    const Eigen::VectorXd step = -damped.selfadjointView<Eigen::Lower>().ldlt().solve(gradient_);
    const Transform next_root = moved_root(root, step);
    const Eigen::VectorXd next_q =
        (q + step.tail(hand_.dof())).cwiseMax(limits_.lower).cwiseMin(limits_.upper);
    const double next = linearise(next_root, next_q, false);
    if (!(next < cost)) {
      damping *= 8.0;
      linearise(root, q, true);
      continue;
    }
    const bool done = cost - next < kStop * cost;
    root = next_root;
    q = next_q;
    damping = std::max(kLeastDamping, 0.3 * damping);
    cost = linearise(root, q, true);
    if (done) break;
  }
  RefinedGrasp result = look(root, q);
  result.iterations = iteration;
  return result;
}

double GraspRefiner::self_overlap() const {
  const auto& frames = kinematics_.frames_world();
  double deepest = 0.0;
  for (const Pair& pair : pairs_) {
    const double gap =
        distance(frames[pair.segment_a] * hand_.segments[pair.segment_a].capsules[pair.capsule_a],
                 frames[pair.segment_b] * hand_.segments[pair.segment_b].capsules[pair.capsule_b]);
    deepest = std::max(deepest, -gap);
  }
  return deepest;
}

RefinedGrasp GraspRefiner::look(const Transform& root_object, const Eigen::VectorXd& coordinates) {
  kinematics_.update(root_object, coordinates);
  gather(options_.contact);
  RefinedGrasp result;
  result.root_object = root_object;
  result.coordinates = coordinates;
  for (const auto& [segment, contact] : fields_) {
    result.penetration = std::max(result.penetration, -contact.gap);
    result.touches.push_back(
        {segment, contact.point - 0.5 * contact.gap * contact.normal, contact.normal, contact.gap});
  }
  result.self_penetration = self_overlap();
  return result;
}

}  // namespace prehend::grasp_space
