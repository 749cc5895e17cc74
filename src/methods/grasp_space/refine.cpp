// Bringing the fingers to touch: damped least squares over the root's six and all joint
// coordinates, with analytic derivatives. Terms of the objective, each squared:
//   1 touch        the gap of each segment near the object, less the farther it is
//   2 penetration  overlap of a capsule with the object
//   3 overlap      of the hand with itself
//   4 joints       distance from the shape that the search found, more so out of the grasp space
//   5 root         shift and turn from where the search put it
//   6 table        what is below it, as an overlap
// Joint ranges are kept by clamping. Term 1 takes a robust weight 1 / (1 + (gap / reach)^2), so a
// finger that cannot reach the object is left as natural as it was.
//
// hands::ContactIk was tried in its place: each segment's nearest place as a target, three rounds,
// hand and object kept apart by its bounds. Four objects, `grasp --count 20`, processor time: mug
// 3.9 s instead of 3.1, bulb 3.3 instead of 2.0, bunny 4.9 instead of 3.3, hammer 39.8 instead of
// 4.9, where 1712 searches were needed instead of 480 and 20 of 23 proposals held instead of all.
// It draws a point of the skin to a point, so that sliding along the surface costs as much as a
// gap, and its preference is a weight a coordinate, which cannot say what leads out of the grasp
// space. What both need, gaps and their derivatives, is hands::HandGaps.
#include "prehend/methods/grasp_space/refine.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

namespace prehend::grasp_space {
namespace {

constexpr double kFirstDamping = 1e-3, kLeastDamping = 1e-9, kMostDamping = 1e6;
constexpr double kPriorOfClearing = 0.35;
constexpr double kTableGap = 0.0015;  // m that the hand keeps above a table
constexpr double kSlopeStep = 0.01;   // rad
constexpr double kStop = 1e-5;        // relative fall of the cost that ends the iterations
constexpr double kDrawn = 3.0;  // times RefineOptions::reach: farther, the touch weighs a tenth

// How much a segment's touch counts: pulps are what hands hold with.
double touch_weight(const Segment& segment) {
  if (segment.phalanx == 3) return 1.0;
  return segment.phalanx >= 1 ? 0.5 : 0.25;
}

}  // namespace

GraspRefiner::GraspRefiner(const Hand& hand,
                           std::shared_ptr<const geometry::SignedDistance> distance,
                           const RefineOptions& options, const std::optional<Region>& region)
    : hand_(hand),
      distance_(std::move(distance)),
      options_(options),
      region_(region),
      kinematics_(hand),
      limits_(coordinate_limits(hand)),
      gaps_(hand) {
  size_ = 6 + hand.dof();
  prior_ = Eigen::MatrixXd::Identity(hand.dof(), hand.dof()) / (options.joint * options.joint);
  row_.resize(size_);
  used_.reserve(size_);
  for (Linear* linear : {&trial_, &best_}) {
    linear->normal.resize(size_, size_);
    linear->gradient.resize(size_);
  }
}

void GraspRefiner::gather(double margin) {
  near_.clear();
  hands::HandGaps::Found found;
  for (size_t i = 0; i < gaps_.capsules().size(); ++i) {
    const int count = gaps_.near_obstacle(static_cast<int>(i), *distance_, {}, margin, found);
    near_.insert(near_.end(), found.begin(), found.begin() + count);
  }
}

void GraspRefiner::place(const Transform& root, const Eigen::VectorXd& q) {
  kinematics_.update(root, q);
  gaps_.place(kinematics_.frames_world());
}

// A row concerns the root and one or two digits: most of it is zero.
void GraspRefiner::add_residual(double residual) {
  cost_ += residual * residual;
  used_.clear();
  for (int k = 0; k < size_; ++k) {
    if (row_[k] != 0.0) used_.push_back(k);
  }
  for (const int k : used_) {
    trial_.gradient[k] += residual * row_[k];
    for (const int j : used_) trial_.normal(j, k) += row_[j] * row_[k];
  }
}

void GraspRefiner::add_object_terms() {
  for (const hands::ObstacleGap& place : near_) {
    double weight = 0.0;
    if (place.gap < margin_) {
      weight = 1.0 / options_.penetration;
    } else {
      if (margin_ > 0.0 || (region_ && !region_->contains(place.point_world))) continue;
      // Of a segment's places only the nearest is drawn to the object.
      bool nearest = true;
      for (const hands::ObstacleGap& other : near_) {
        nearest = nearest && (other.segment != place.segment || other.gap >= place.gap);
      }
      if (!nearest) continue;
      const double ratio = place.gap / options_.reach;
      weight =
          touch_weight(hand_.segments[place.segment]) / (options_.touch * (1.0 + ratio * ratio));
    }
    row_.setZero();
    hands::add_gap_row(kinematics_, place, weight, row_);
    add_residual(weight * (place.gap - margin_));
  }
}

void GraspRefiner::add_table_terms() {
  if (!table_) return;
  const double weight = 1.0 / options_.penetration;
  for (const hands::PlacedCapsule& placed : gaps_.capsules()) {
    const Capsule& capsule = placed.capsule_world;
    for (const Vec3& end : {capsule.a, capsule.b}) {
      const double gap = table_->above(end) - capsule.radius - kTableGap;
      if (gap >= 0.0) continue;
      const hands::ObstacleGap place{-1, placed.segment, end - capsule.radius * table_->up,
                                     table_->up, gap};
      row_.setZero();
      hands::add_gap_row(kinematics_, place, weight, row_);
      add_residual(weight * gap);
    }
  }
}

void GraspRefiner::add_self_terms() {
  const double weight = 1.0 / options_.overlap;
  for (const hands::HandGaps::Pair& pair : gaps_.pairs()) {
    const std::optional<hands::SelfGap> overlap = gaps_.near_self(pair, 0.0);
    if (!overlap) continue;
    row_.setZero();
    hands::add_gap_row(kinematics_, *overlap, weight, row_);
    add_residual(weight * overlap->gap);
  }
}

void GraspRefiner::add_prior_terms(const Transform& root, const Eigen::VectorXd& q) {
  const Vec3 shift = root.position - start_root_.position;
  const Vec3 turn = log_map((root.rotation * start_root_.rotation.conjugate()).normalized());
  for (int k = 0; k < 6; ++k) {
    const double scale = k < 3 ? options_.shift : options_.turn;
    const double value = k < 3 ? shift[k] : turn[k - 3];
    cost_ += value * value / (scale * scale);
    trial_.gradient[k] += value / (scale * scale);
    trial_.normal(k, k) += 1.0 / (scale * scale);
  }
  const int joints = size_ - 6;
  // A hand that makes room may do so in any way.
  const double share = margin_ > 0.0 ? kPriorOfClearing : 1.0;
  moved_ = q - start_q_;
  pull_.noalias() = share * (prior_ * moved_);
  cost_ += moved_.dot(pull_);
  trial_.gradient.tail(joints) += pull_;
  trial_.normal.bottomRightCorner(joints, joints) += share * prior_;
}

void GraspRefiner::keep_to(const GraspSpace& space) {
  const int joints = size_ - 6;
  const auto vector = [&](const Eigen::VectorXd& q) {
    return pose_vector(hand_, pose_from_coordinates(hand_, Transform::Identity(), q));
  };
  const Eigen::VectorXd middle =
      coordinates(hand_, pose_from_vector(hand_, Transform::Identity(), space.pca.mean));
  Eigen::MatrixXd slope(kPoseSize, joints);  // of the pose vector over the coordinates
  for (int k = 0; k < joints; ++k) {
    const Eigen::VectorXd step = kSlopeStep * Eigen::VectorXd::Unit(joints, k);
    slope.col(k) = (vector(middle + step) - vector(middle - step)) / (2.0 * kSlopeStep);
  }
  const Eigen::MatrixXd& axes = space.pca.components;
  const Eigen::MatrixXd out = slope - axes * (axes.transpose() * slope);
  prior_ = Eigen::MatrixXd::Identity(joints, joints) / (options_.joint * options_.joint) +
           out.transpose() * out / (options_.unnatural * options_.unnatural);
}

double GraspRefiner::linearize(const Transform& root, const Eigen::VectorXd& q) {
  cost_ = 0.0;
  trial_.normal.setZero();
  trial_.gradient.setZero();
  place(root, q);
  gather(margin_ > 0.0 ? margin_ : kDrawn * options_.reach);
  add_object_terms();
  add_table_terms();
  add_self_terms();
  add_prior_terms(root, q);
  return cost_;
}

RefinedGrasp GraspRefiner::refine(const Transform& root_object,
                                  const Eigen::VectorXd& coordinates) {
  margin_ = 0.0;
  return minimize(root_object, coordinates);
}

RefinedGrasp GraspRefiner::clear(const Transform& root_object, const Eigen::VectorXd& coordinates,
                                 double margin) {
  margin_ = margin;
  return minimize(root_object, coordinates);
}

RefinedGrasp GraspRefiner::minimize(const Transform& root_object,
                                    const Eigen::VectorXd& coordinates) {
  start_root_ = root_object;
  start_q_ = coordinates.cwiseMax(limits_.lower).cwiseMin(limits_.upper);
  Transform root = start_root_;
  Eigen::VectorXd q = start_q_;
  double damping = kFirstDamping;
  double cost = linearize(root, q);
  std::swap(trial_, best_);
  int iteration = 0;
  for (; iteration < options_.max_iterations && damping < kMostDamping; ++iteration) {
    damped_ = best_.normal;
    damped_.diagonal() *= 1.0 + damping;
    const Eigen::VectorXd step = -solver_.compute(damped_).solve(best_.gradient);
    const Transform next_root = moved_root(root, step);
    const Eigen::VectorXd next_q =
        (q + step.tail(size_ - 6)).cwiseMax(limits_.lower).cwiseMin(limits_.upper);
    const double next = linearize(next_root, next_q);
    if (!(next < cost)) {
      damping *= 8.0;
      continue;
    }
    const bool done = cost - next < kStop * cost;
    std::swap(trial_, best_);
    cost = next;
    root = next_root;
    q = next_q;
    damping = std::max(kLeastDamping, 0.3 * damping);
    if (done) break;
  }
  RefinedGrasp result = look(root, q);
  result.iterations = iteration;
  return result;
}

double GraspRefiner::self_overlap() const {
  double deepest = 0.0;
  for (const hands::HandGaps::Pair& pair : gaps_.pairs()) {
    if (const auto overlap = gaps_.near_self(pair, 0.0)) deepest = std::max(deepest, -overlap->gap);
  }
  return deepest;
}

RefinedGrasp GraspRefiner::look(const Transform& root_object, const Eigen::VectorXd& coordinates) {
  place(root_object, coordinates);
  gather(options_.contact);
  RefinedGrasp result;
  result.root_object = root_object;
  result.coordinates = coordinates;
  for (const hands::ObstacleGap& place : near_) {
    result.penetration = std::max(result.penetration, -place.gap);
    result.touches.push_back({place.segment,
                              place.point_world - 0.5 * place.gap * place.normal_world,
                              place.normal_world, place.gap});
  }
  result.self_penetration = self_overlap();
  return result;
}

}  // namespace prehend::grasp_space
