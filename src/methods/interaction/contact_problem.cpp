// Kry and Pai, "Interaction Capture and Synthesis", SIGGRAPH 2006, section 7.1.
// Implements: friction pyramids and breaking contact (eq. 8, 9), coupled compliance G = J C J^T
//             (eq. 5), implicit motion of the bodies (U_phi, u_phi), the problem of 7.1.3, the
//             error of eq. 7 carried over.
// Departs:    - The unknown is the new force and the hand's free step is theta_r(k+1) - theta(k),
//               not theta_r(k+1) - theta_r(k) with -G f(k): by eq. 7 the two are the same problem
//               with theta_err already in it, which is what the paper's last paragraph asks for.
//             - U_phi enters with its sign as printed, negative, so the matrix is G - U_phi.
//             - Joint limits are rows of the problem (section 8.3 suggests it).
//             - Every contact gives by kNormalGive and kTangentGive, since contacts of two objects
//               have no joints between them whose compliance would make the matrix definite.
// Symbols:    J Jacobian; C compliance; D normal and edges; beta force along them; lambda slip;
//             s distance; rows_ is (J sqrt(C), h M^-1/2 of the bodies), so that G - U = rows
//             rows^T.
#include "methods/interaction/contact_problem.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

namespace prehend::interaction {
namespace {

// m/N. A micrometer for a newton, a thousandth of what a finger gives.
constexpr double kNormalGive = 1e-6;
// m/N a step: sticking contacts creep by it. 0.005 mm a second for a newton at 500 Hz.
constexpr double kTangentGive = 1e-8;
// rad: joints nearer to a limit than this have a row for it.
constexpr double kLimitNear = 0.1;
// m: a contact of now and one of the step before that are nearer than this are the same.
constexpr double kSamePlace = 0.006;

}  // namespace

ContactProblem::ContactProblem(const Hand& hand, int pyramid_edges)
    : edges_(pyramid_edges), hand_columns_(6 + hand.dof()) {
  directions_.setZero(3, 1 + edges_);
  directions_(0, 0) = 1.0;
  for (int e = 0; e < edges_ / 2; ++e) {
    const double angle = 2.0 * kPi * e / edges_;
    directions_.col(1 + e) = Vec3(0.0, std::cos(angle), std::sin(angle));
    directions_.col(1 + e + edges_ / 2) = -directions_.col(1 + e);
  }
  jacobian_.resize(3, hand_columns_);
  yielding_.setZero(hand_columns_);
  scaled_.resize(hand_columns_);
  roots_.resize(hand_columns_);
}

void ContactProblem::collect_limits(const HandStep& hand) {
  limits_.clear();
  for (int c = 0; c < hand.coordinates.size(); ++c) {
    if (hand.compliance.joints[c] <= 0.0) continue;
    const double now = hand.coordinates[c], next = now + hand.free_step[6 + c];
    const double low = hand.limits.lower[c], high = hand.limits.upper[c];
    if (std::min(now, next) < low + kLimitNear) limits_.push_back({c, 1.0, now - low});
    if (std::max(now, next) > high - kLimitNear) limits_.push_back({c, -1.0, high - now});
  }
}

// Columns of one movable body in a contact's three rows, and its free motion.
void ContactProblem::add_body_columns(const ReplayBody& body, int column, double sign,
                                      double timestep, const Vec3& gravity,
                                      const LiveContact& contact, int row) {
  const Vec3 arm = contact.report.point_world - body.center_world();
  const Mat3 inverse = body.inverse_inertia_world();
  const Mat3 root = inverse.llt().matrixL();
  const Mat3 frame_t = contact.frame.transpose();
  rows_.block<3, 3>(row, column) = sign * timestep / std::sqrt(body.mass) * frame_t;
  // A turning impulse t moves the point by I^-1 t x arm.
  rows_.block<3, 3>(row, column + 3) = sign * timestep * frame_t * -cross_matrix(arm) * root;
  const Vec3 velocity =
      (body.linear + timestep * (body.mass * gravity + body.applied)) / body.mass +
      (inverse * body.angular).cross(arm);
  free_motion_.segment<3>(row) += sign * timestep * frame_t * velocity;  // u_phi
}

void ContactProblem::build_rows(const HandStep& hand, const std::vector<ReplayBody>& bodies,
                                const StepSettings& settings,
                                const std::vector<LiveContact>& contacts) {
  body_column_.assign(bodies.size(), -1);
  column_count_ = hand_columns_;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    if (!bodies[b].movable) continue;
    body_column_[b] = column_count_;
    column_count_ += 6;
  }
  row_count_ = static_cast<int>(3 * contacts.size() + limits_.size());
  rows_.setZero(row_count_, column_count_);
  free_motion_.setZero(row_count_);
  roots_ << hand.compliance.root.cwiseSqrt(), hand.compliance.joints.cwiseSqrt();
  const Mat3 turn = hand.root_world.rotation.toRotationMatrix();
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const LiveContact& contact = contacts[i];
    const int row = static_cast<int>(3 * i);
    const Mat3 frame_t = contact.frame.transpose();
    if (contact.report.segment >= 0) {
      hand.kinematics.point_jacobian(contact.report.segment, contact.report.point_world, jacobian_);
      product_.noalias() = frame_t * jacobian_;
      free_motion_.segment<3>(row).noalias() += product_ * hand.free_step;  // J delta theta_r
      rows_.block<3, 3>(row, 0).noalias() = product_.leftCols<3>() * turn;
      rows_.block<3, 3>(row, 3).noalias() = product_.middleCols<3>(3) * turn;
      rows_.block(row, 6, 3, hand_columns_ - 6) = product_.rightCols(hand_columns_ - 6);
      for (int c = 0; c < hand_columns_; ++c) rows_.block<3, 1>(row, c) *= roots_[c];
    } else if (const int first = contact.report.first; body_column_[first] >= 0) {
      add_body_columns(bodies[first], body_column_[first], 1.0, settings.timestep, settings.gravity,
                       contact, row);
    }
    if (const int second = contact.report.second; body_column_[second] >= 0)
      add_body_columns(bodies[second], body_column_[second], -1.0, settings.timestep,
                       settings.gravity, contact, row);
    free_motion_[row] += std::max(contact.report.gap, -settings.overlap_per_step);  // s
  }
  for (std::size_t l = 0; l < limits_.size(); ++l) {
    const int row = static_cast<int>(3 * contacts.size() + l), column = 6 + limits_[l].coordinate;
    rows_(row, column) = limits_[l].sign * roots_[column];
    free_motion_[row] = limits_[l].room + limits_[l].sign * hand.free_step[column];
  }
}

void ContactProblem::build_matrix(const std::vector<LiveContact>& contacts) {
  coupling_.resize(row_count_, row_count_);
  coupling_.noalias() = rows_ * rows_.transpose();  // G - U_phi
  const int count = static_cast<int>(contacts.size()), limits = static_cast<int>(limits_.size());
  for (int i = 0; i < count; ++i) {
    coupling_(3 * i, 3 * i) += kNormalGive;
    coupling_(3 * i + 1, 3 * i + 1) += kTangentGive;
    coupling_(3 * i + 2, 3 * i + 2) += kTangentGive;
  }
  const int size = count * block() + limits, width = 1 + edges_;
  matrix_.setZero(size, size);
  vector_.setZero(size);
  for (int j = 0; j < count; ++j) {
    for (int i = 0; i <= j; ++i) {
      edge_product_.noalias() = coupling_.block<3, 3>(3 * i, 3 * j) * directions_;
      matrix_.block(block() * i, block() * j, width, width).noalias() =
          directions_.transpose() * edge_product_;
      if (i < j)
        matrix_.block(block() * j, block() * i, width, width) =
            matrix_.block(block() * i, block() * j, width, width).transpose();
    }
    for (int l = 0; l < limits; ++l) {
      const int row = block() * count + l;
      matrix_.block(block() * j, row, width, 1).noalias() =
          directions_.transpose() * coupling_.block<3, 1>(3 * j, 3 * count + l);
      matrix_.block(row, block() * j, 1, width) =
          matrix_.block(block() * j, row, width, 1).transpose();
    }
    const int slip = block() * j + width;
    matrix_.block(block() * j + 1, slip, edges_, 1).setOnes();  // -E^T
    matrix_(slip, block() * j) = contacts[j].report.friction;   // F
    matrix_.block(slip, block() * j + 1, 1, edges_).setConstant(-1.0);
    vector_.segment(block() * j, width).noalias() =
        directions_.transpose() * free_motion_.segment<3>(3 * j);
  }
  matrix_.bottomRightCorner(limits, limits) = coupling_.bottomRightCorner(limits, limits);
  vector_.tail(limits) = free_motion_.tail(limits);
}

// The last step's active set in the order of now, and eq. 7's error of its forces.
void ContactProblem::recall(const std::vector<LiveContact>& contacts) {
  guess_.assign(vector_.size(), 0);
  scaled_.setZero();
  bool touched = false;
  for (Remembered& last : remembered_) last.used = false;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const LiveContact& contact = contacts[i];
    int best = -1;
    double nearest = kSamePlace;
    for (std::size_t k = 0; k < remembered_.size(); ++k) {
      const Remembered& last = remembered_[k];
      if (last.used || last.capsule != contact.capsule || last.first != contact.report.first ||
          last.second != contact.report.second)
        continue;
      const double apart = (last.point_world - contact.report.point_world).norm();
      if (apart < nearest) {
        nearest = apart;
        best = static_cast<int>(k);
      }
    }
    if (best < 0) continue;
    remembered_[best].used = true;
    std::copy_n(last_active_.begin() + best * block(), block(), guess_.begin() + i * block());
    if (contact.report.segment < 0) continue;
    const Vec3 local = contact.frame.transpose() * remembered_[best].force_world;
    scaled_.noalias() +=
        rows_.block(static_cast<int>(3 * i), 0, 3, hand_columns_).transpose() * local;
    touched |= local.x() > 0.0;
  }
  const std::size_t first = remembered_.size() * block();
  for (std::size_t l = 0; l < limits_.size(); ++l) {
    for (std::size_t k = 0; k < last_limits_.size(); ++k) {
      if (last_limits_[k].coordinate != limits_[l].coordinate ||
          last_limits_[k].sign != limits_[l].sign)
        continue;
      guess_[contacts.size() * block() + l] = last_active_[first + k];
      // A torque of the limit itself counts as no error.
      if (last_active_[first + k]) {
        const int column = 6 + limits_[l].coordinate;
        scaled_[column] = roots_[column] > 0.0 ? yielding_[column] / roots_[column] : 0.0;
      }
    }
  }
  equilibrium_error_ = 0.0;
  if (!touched) return;
  for (int c = 6; c < hand_columns_; ++c)
    equilibrium_error_ =
        std::max(equilibrium_error_, std::abs(roots_[c] * scaled_[c] - yielding_[c]));
}

void ContactProblem::take_forces(const HandStep& hand, std::vector<LiveContact>& contacts) {
  const int count = static_cast<int>(contacts.size());
  row_forces_.setZero(row_count_);
  remembered_.clear();
  for (int i = 0; i < count; ++i) {
    LiveContact& contact = contacts[i];
    contact.local_force = directions_ * result_.z.segment(block() * i, 1 + edges_);
    row_forces_.segment<3>(3 * i) = contact.local_force;
    contact.report.force_world = contact.frame * contact.local_force;
    remembered_.push_back({contact.capsule, contact.report.first, contact.report.second,
                           contact.report.point_world, contact.report.force_world, false});
  }
  row_forces_.tail(limits_.size()) = result_.z.tail(limits_.size());
  for (int i = 0; i < count; ++i) {
    if (contacts[i].local_force.x() <= 0.0) continue;
    const Vec3 motion =
        coupling_.middleRows<3>(3 * i) * row_forces_ + free_motion_.segment<3>(3 * i);
    contacts[i].report.slip = motion.tail<2>().norm();
  }
  scaled_.noalias() = rows_.leftCols(hand_columns_).transpose() * row_forces_;
  yielding_ = roots_.cwiseProduct(scaled_);
  const Mat3 turn = hand.root_world.rotation.toRotationMatrix();
  yielding_.head<3>() = (turn * yielding_.head<3>()).eval();
  yielding_.segment<3>(3) = (turn * yielding_.segment<3>(3)).eval();
  last_active_ = result_.active;
  last_limits_ = limits_;
}

void ContactProblem::solve(const HandStep& hand, const std::vector<ReplayBody>& bodies,
                           const StepSettings& settings, std::vector<LiveContact>& contacts) {
  collect_limits(hand);
  build_rows(hand, bodies, settings, contacts);
  build_matrix(contacts);
  recall(contacts);
  solver_.solve(matrix_, vector_, guess_, result_);
  take_forces(hand, contacts);
}

}  // namespace prehend::interaction
