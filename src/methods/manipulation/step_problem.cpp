// Liu 2008, section 4, eq. 1 to 8: see the header, whose numbers of terms are used here.
#include "methods/manipulation/step_problem.h"

#include <algorithm>
#include <cmath>

#include <Eigen/LU>

namespace prehend::manipulation {
namespace {

// 1/m^2: contacts that hold are kept to micrometers; what slips is hardly followed.
constexpr double kHoldWeight = 1e8, kSlipWeight = 1e2;
// The same of things on their supports: at rest, where a hand that reaches gives way and not the
// thing, and on their way.
constexpr double kRestWeight = 1e10, kSlideWeight = 1e3;
// 1/N^2 of the difference from the grip that is wanted, and of forces of things on things.
constexpr double kGripWeight = 0.05, kForceWeight = 1e-4;
constexpr double kPushGap = 1e-4;  // m from a corner that doubles the latter
// 1/rad^2 of a pose to reach for, and of joints that move for nothing. An arm's own change of
// torque weighs about 4e4.
constexpr double kPoseWeight = 1e6, kStillArm = 3e3, kStillFinger = 30.0;
constexpr double kShortStep = 1.0 / 60.0;  // s: shorter steps weigh a pose more
constexpr double kIntentWeight = 1e6;      // 1/m^2
constexpr double kCoupledWeight = 1e3;     // 1/rad^2
constexpr double kOverlapWeight = 1e10;    // 1/m^2, besides its price a meter
// m; skin nearer than this is kept apart: of hands that hold, and of those that reach, which go up
// to 4 cm in a step.
constexpr double kNearHand = 0.012, kNearReach = 0.04;
constexpr double kNearSelf = 0.004, kNearSelfReach = 0.015;  // m, the same of two digits
constexpr double kSelfOverlap = 5e-4;  // m that digits may press into each other
constexpr double kFastest = 10.0;      // rad/s of any joint; a flick of a finger reaches 20
constexpr double kTorquePerMeter =
    1e-3;                            // m of overlap that weigh as 1 N m beyond a joint's strength
constexpr double kStrained = 0.5;    // of its strength: joints beyond it are watched
constexpr int kMostCapsules = 1000;  // of one arm: so far are their numbers apart in names

using Kind = InequalityName::Kind;

}  // namespace

StepProblem::StepProblem(System& system, const Options& options)
    : system_(system), options_(options) {
  for (int a = 0; a < system.arms(); ++a) {
    const Hand& hand = *system.problem().arms[a].hand;
    const auto& offsets = system.kinematics(a).offsets();
    for (const Digit digit : {Digit::kIndex, Digit::kMiddle, Digit::kRing, Digit::kLittle}) {
      const int first = system.layout().arm_first[a];
      const int before = hands::segment_of(hand, digit, 2),
                last = hands::segment_of(hand, digit, 3);
      if (before >= 0 && last >= 0 && offsets[before + 1] > offsets[before])
        coupled_.emplace_back(first + offsets[before], first + offsets[last]);
    }
  }
}

void StepProblem::prepare(const StepInput& input) {
  input_ = &input;
  const Layout& layout = system_.layout();
  size_ = layout.poses;
  force_first_.clear();
  for (const ContactPoint& contact : input.contacts) {
    force_first_.push_back(size_);
    size_ += contact.columns;
  }
  size_ += kSlacks;
  busy_.assign(system_.things(), 0);
  for (size_t g = 0; g < input.goals.size(); ++g)
    if (input.goal_active[g]) busy_[input.goals[g].goal().object] = 1;
  row_.setZero(size_);
  goal_rows_.resize(3, size_);
  velocity_.resize(layout.joints);
  for (int a = 0; a < system_.arms(); ++a)
    velocity_.segment(layout.arm_first[a], layout.arm_count[a]) =
        (input.now->coordinates[a] - input.before->coordinates[a]) / options_.timestep;
  system_.place(*input.now);
  wrist_now_.clear();
  for (int a = 0; a < system_.arms(); ++a)
    wrist_now_.push_back(
        system_.kinematics(a).frames_world()[system_.problem().arms[a].hand->wrist()].position);
  system_.dynamics(*input.now, velocity_, mass_, bias_);
  prepare_torques();
  prepare_bounds();
}

// eq. 3: Q = M (q after - 2 q + q before) / h^2 + bias - J' of the forces on the hand, which are
// the opposites of those on the things.
void StepProblem::prepare_torques() {
  const int joints = system_.layout().joints;
  const double square = options_.timestep * options_.timestep;
  torque_rows_.setZero(joints, size_);
  torque_rows_.leftCols(joints) = mass_ / square;
  torque_constant_ = bias_ - mass_ * velocity_ / options_.timestep;
  for (size_t k = 0; k < input_->contacts.size(); ++k) {
    const ContactPoint& contact = input_->contacts[k];
    if (!contact.of_hand()) continue;
    for (int c = 0; c < contact.columns; ++c) {
      row_.setZero();
      system_.add_row(contact.arm, contact.segment, contact.point_world, contact.edges.col(c),
                      row_);
      torque_rows_.col(force_first_[k] + c) = row_.head(joints).transpose();
    }
  }
  for (int a = 0; a < system_.arms(); ++a) {
    if (input_->wrist_pushes.empty() || input_->wrist_pushes[a].isZero()) continue;
    row_.setZero();
    const int wrist = system_.problem().arms[a].hand->wrist();
    system_.add_row(a, wrist, system_.kinematics(a).frames_world()[wrist].position,
                    input_->wrist_pushes[a], row_);
    torque_constant_ -= row_.head(joints).transpose();
  }
}

void StepProblem::prepare_bounds() {
  const Layout& layout = system_.layout();
  const double fastest = kFastest * options_.timestep;
  lower_.setConstant(size_, -INFINITY);
  upper_.setConstant(size_, INFINITY);
  for (int a = 0; a < system_.arms(); ++a) {
    for (int c = 0; c < layout.arm_count[a]; ++c) {
      const int i = layout.arm_first[a] + c;
      const double q = input_->now->coordinates[a][c];
      // A joint that begins outside its range comes back as fast as joints go.
      lower_[i] = std::clamp(system_.limits().lower[i] - q, -fastest, fastest);
      upper_[i] = std::clamp(system_.limits().upper[i] - q, -fastest, fastest);
      if (lower_[i] > upper_[i]) lower_[i] = upper_[i];
    }
  }
  for (int i = layout.poses; i < size_; ++i) lower_[i] = 0.0;
}

Eigen::VectorXd StepProblem::start() const {
  const Layout& layout = system_.layout();
  Eigen::VectorXd y = Eigen::VectorXd::Zero(size_);
  y.head(layout.joints) = options_.timestep * velocity_;
  for (int t = 0; t < system_.things(); ++t) {
    if (system_.fixed(t)) continue;
    const int first = layout.thing_first[t];
    y.segment<3>(first) = input_->now->centers[t] - input_->before->centers[t];
    y.segment<3>(first + 3) =
        log_map(input_->now->rotations[t] * input_->before->rotations[t].conjugate());
  }
  for (size_t k = 0; k < input_->contacts.size(); ++k) {
    const ContactPoint& contact = input_->contacts[k];
    y.segment(force_first_[k], contact.columns) = contact.lambda.head(contact.columns);
    // Things that are about to meet would be deep in each other after another step like the last,
    // where the way out is not the way in.
    if (!contact.of_hand() && contact.kind == ContactKind::kColliding &&
        !system_.fixed(contact.other))
      y.head(layout.poses).setZero();
  }
  return y.cwiseMax(lower_).cwiseMin(upper_);
}

// Takes over row_, and leaves it empty.
void StepProblem::push_row(Linearized& out, double weight, double residual) {
  const int i = out.row_count++;
  const double root = std::sqrt(weight);
  if (out.rows.rows() < out.row_count || out.rows.cols() != size_) {
    out.rows.conservativeResize(std::max<Eigen::Index>(2 * out.row_count, 64), size_);
    out.residuals.conservativeResize(out.rows.rows());
  }
  out.rows.row(i) = root * row_;
  out.residuals[i] = root * residual;
  row_.setZero();
}

void StepProblem::push_inequality(Linearized& out, const InequalityName& name, double value) {
  const int i = out.inequality_count++;
  if (out.inequality.rows() < out.inequality_count || out.inequality.cols() != size_) {
    out.inequality.conservativeResize(std::max<Eigen::Index>(2 * out.inequality_count, 64), size_);
    out.inequality_value.conservativeResize(out.inequality.rows());
  }
  out.inequality.row(i) = row_;
  out.inequality_value[i] = value;
  out.inequality_names.resize(static_cast<size_t>(i));
  out.inequality_names.push_back(name);
  row_.setZero();
}

// Terms 4 and 5.
void StepProblem::add_forces(Linearized& out, const Eigen::VectorXd& y) {
  const auto& contacts = input_->contacts;
  for (const LiftTerm& lift : input_->lifts) {
    if (lift.weight <= 0.0) continue;
    for (int axis = 0; axis < 3; ++axis) {
      for (size_t k = 0; k < contacts.size(); ++k) {
        if (!contacts[k].of_hand() || contacts[k].thing != lift.thing) continue;
        for (int c = 0; c < contacts[k].columns; ++c)
          row_[force_first_[k] + c] = contacts[k].edges(axis, c);
      }
      push_row(out, lift.weight, row_.dot(y) - lift.force[axis]);
    }
  }
  for (size_t k = 0; k < contacts.size(); ++k) {
    if (contacts[k].of_hand()) {
      row_.segment(force_first_[k], contacts[k].columns).setOnes();
      push_row(out, kGripWeight, row_.dot(y) - input_->grip_wanted[contacts[k].thing]);
    }
    // Corners that do not touch yet push only where those that do are not enough.
    const double away = std::max(0.0, contacts[k].gap) / kPushGap;
    const double contact_weight = kForceWeight * (contacts[k].of_hand() ? 1.0 : 1.0 + away * away);
    for (int c = 0; c < contacts[k].columns; ++c) {
      row_[force_first_[k] + c] = 1.0;
      push_row(out, contact_weight, y[force_first_[k] + c]);
    }
  }
}

// Term 2: the two points of each contact, and what they slid apart before.
void StepProblem::add_contacts(Linearized& out) {
  for (const ContactPoint& contact : input_->contacts) {
    if (!contact.of_hand()) {
      if (contact.kind == ContactKind::kResting) add_support(out, contact);
      continue;
    }
    if (input_->poses[contact.arm].size() > 0) continue;  // a hand that reaches holds nothing yet
    const Vec3 on_thing = system_.thing_pose(contact.thing) * contact.point_thing;
    const Vec3 on_hand =
        system_.kinematics(contact.arm).frames_world()[contact.segment] * contact.point_other;
    const Vec3 apart = on_hand - on_thing + contact.drift;
    const double weight = contact.kind == ContactKind::kSlipping ? kSlipWeight : kHoldWeight;
    for (int axis = 0; axis < 3; ++axis) {
      system_.add_row(contact.arm, contact.segment, on_hand, Vec3::Unit(axis), row_);
      system_.add_thing_row(contact.thing, on_thing, -Vec3::Unit(axis), row_);
      push_row(out, weight, apart[axis]);
    }
  }
}

// What nobody means to move stays where it rests; a thing that is to be moved slides only where it
// must.
void StepProblem::add_support(Linearized& out, const ContactPoint& contact) {
  const bool moved = busy_[contact.thing] || (contact.other >= 0 && busy_[contact.other]);
  const Vec3 on_thing = system_.thing_pose(contact.thing) * contact.point_thing;
  const Vec3 on_other = system_.thing_pose(contact.other) * contact.point_other;
  // Corners are a little above their support, and stay so.
  const Vec3 apart = on_other - on_thing - contact.gap * contact.normal;
  for (int axis = 0; axis < 3; ++axis) {
    Vec3 direction = Vec3::Unit(axis);
    if (moved) direction -= direction.dot(contact.normal) * contact.normal;
    system_.add_thing_row(contact.thing, on_thing, -direction, row_);
    system_.add_thing_row(contact.other, on_other, direction, row_);
    push_row(out, moved ? kSlideWeight : kRestWeight, apart.dot(direction));
  }
}

void StepProblem::add_goals(Linearized& out) {
  for (size_t g = 0; g < input_->goals.size(); ++g) {
    if (!input_->goal_active[g]) continue;
    const GoalTracker& goal = input_->goals[g];
    const Vec3 miss = goal.residual(system_) - goal.wanted();
    const Vec3 weights = goal.weights(options_.timestep);
    goal.rows(system_, goal_rows_);
    for (int axis = 0; axis < 3; ++axis) {
      if (weights[axis] <= 0.0) continue;
      row_ = goal_rows_.row(axis);
      push_row(out, weights[axis], miss[axis]);
    }
  }
}

// Term 6. Joints that nothing asks for keep still, and those of a reach follow it.
void StepProblem::add_poses(Linearized& out, const Eigen::VectorXd& y) {
  const Layout& layout = system_.layout();
  // Displacements of short steps take so much torque that the reach would lag behind.
  const double pose_weight =
      kPoseWeight * std::max(1.0, std::pow(kShortStep / options_.timestep, 4));
  for (int a = 0; a < system_.arms(); ++a) {
    const Eigen::VectorXd& pose = input_->poses[a];
    const int arm_joints =
        system_.kinematics(a).offsets()[system_.problem().arms[a].hand->wrist() + 1];
    for (int c = 0; c < layout.arm_count[a]; ++c) {
      const int i = layout.arm_first[a] + c;
      row_[i] = 1.0;
      if (pose.size() > 0)
        push_row(out, pose_weight, input_->now->coordinates[a][c] + y[i] - pose[c]);
      else
        push_row(out, c < arm_joints ? kStillArm : kStillFinger, y[i]);
    }
  }
  for (const WristIntent& intent : input_->intents) {
    const int wrist = system_.problem().arms[intent.arm].hand->wrist();
    const Vec3 now = wrist_now_[intent.arm];
    const Vec3 after = system_.kinematics(intent.arm).frames_world()[wrist].position;
    for (int axis = 0; axis < 3; ++axis) {
      if (intent.weights[axis] <= 0.0) continue;
      system_.add_row(intent.arm, wrist, after, Vec3::Unit(axis), row_);
      push_row(out, kIntentWeight, after[axis] - now[axis] - intent.shift[axis]);
    }
  }
  if (!options_.coupled) return;
  for (const auto& [before, last] : coupled_) {
    const int a = static_cast<int>(
        std::upper_bound(layout.arm_first.begin(), layout.arm_first.end(), before) -
        layout.arm_first.begin() - 1);
    const Eigen::VectorXd& q = input_->now->coordinates[a];
    const double first = q[before - layout.arm_first[a]] + y[before];
    const double second = q[last - layout.arm_first[a]] + y[last];
    row_[last] = 1.0;
    row_[before] = -2.0 / 3.0;
    push_row(out, kCoupledWeight, second - 2.0 / 3.0 * first);
  }
}

// eq. 1 and 2 over m g and m g times a length. Angular momentum between two poses is that of the
// turn between them about the inertia half way: L = exp(v/2) I v / h, whose derivative over the
// turn v is (exp(v/2) I - 1/2 [exp(v/2) I v]x J_l(v/2)) / h.
void StepProblem::add_equations(Linearized& out, const Eigen::VectorXd& y) {
  const double h = options_.timestep;
  int free = 0;
  for (int t = 0; t < system_.things(); ++t) free += !system_.fixed(t);
  out.equality.setZero(6 * free, size_);
  out.equality_value.setZero(6 * free);
  int at = 0;
  for (int t = 0; t < system_.things(); ++t) {
    if (system_.fixed(t)) continue;
    const Object& object = system_.object(t);
    const int first = system_.layout().thing_first[t];
    const double force = 1.0 / system_.weight(t), torque = force / lever(object);
    const Vec3 shift = y.segment<3>(first);
    const Vec3 shift_before = input_->now->centers[t] - input_->before->centers[t];
    const Vec3 push = input_->pushes.empty() ? Vec3::Zero() : input_->pushes[t];
    const double inertia = object.mass / (h * h);
    auto newton = out.equality.middleRows(at, 3);
    auto euler = out.equality.middleRows(at + 3, 3);
    newton.middleCols(first, 3) = force * inertia * Mat3::Identity();
    Vec3 linear = inertia * (shift - shift_before) - object.mass * gravity_world() - push;

    const auto world_inertia = [&](const Quat& rotation) -> Mat3 {
      const Mat3 r = rotation.toRotationMatrix();
      return r * object.inertia * r.transpose();
    };
    const Vec3 turn = y.segment<3>(first + 3);
    const Mat3 half = exp_map(0.5 * turn).toRotationMatrix();
    const Mat3 now_inertia = world_inertia(input_->now->rotations[t]);
    const Vec3 momentum = half * (now_inertia * turn) / h;
    const Vec3 turn_before =
        log_map(input_->now->rotations[t] * input_->before->rotations[t].conjugate());
    const Vec3 momentum_before = exp_map(0.5 * turn_before).toRotationMatrix() *
                                 (world_inertia(input_->before->rotations[t]) * turn_before) / h;
    euler.middleCols(first + 3, 3) =
        torque / h *
        (half * now_inertia / h -
         0.5 * cross_matrix(momentum) * exp_map_jacobian(0.5 * turn).transpose());
    Vec3 angular = (momentum - momentum_before) / h;

    for (size_t k = 0; k < input_->contacts.size(); ++k) {
      const ContactPoint& contact = input_->contacts[k];
      const double side = contact.thing == t ? 1.0 : contact.other == t ? -1.0 : 0.0;
      if (side == 0.0) continue;
      const Vec3 arm = contact.point_world - input_->now->centers[t];
      for (int c = 0; c < contact.columns; ++c) {
        const Vec3 edge = side * contact.edges.col(c);
        const int column = force_first_[k] + c;
        newton.col(column) -= force * edge;
        euler.col(column) -= torque * arm.cross(edge);
        linear -= y[column] * edge;
        angular -= y[column] * arm.cross(edge);
      }
    }
    out.equality_value.segment<3>(at) = force * linear;
    out.equality_value.segment<3>(at + 3) = torque * angular;
    at += 6;
  }
}

// The poses of the things that these forces give, exactly: what linearization left is taken out.
void StepProblem::integrate(Eigen::VectorXd& x) {
  constexpr int kNewton = 6;
  for (int i = 0; i < kNewton; ++i) {
    add_equations(exact_, x);
    if (exact_.equality_value.lpNorm<Eigen::Infinity>() < 1e-13) return;
    int at = 0;
    for (int t = 0; t < system_.things(); ++t) {
      if (system_.fixed(t)) continue;
      const int first = system_.layout().thing_first[t];
      const Eigen::Matrix<double, 6, 6> own = exact_.equality.block<6, 6>(at, first);
      x.segment<6>(first) -= own.partialPivLu().solve(exact_.equality_value.segment<6>(at));
      at += 6;
    }
  }
}

// Constraint c, where the system is placed.
void StepProblem::add_gaps(Linearized& out, const Eigen::VectorXd& y) {
  hands::HandGaps::Found found;
  for (int a = 0; a < system_.arms(); ++a) {
    const hands::HandGaps& gaps = system_.gaps(a);
    const bool reaches = input_->poses[a].size() > 0;
    const double near = reaches ? kNearReach : kNearHand;
    for (int c = 0; c < static_cast<int>(gaps.capsules().size()); ++c) {
      for (int t = 0; t < system_.things(); ++t) {
        const int count =
            gaps.near_obstacle(c, system_.distance(t), system_.thing_pose(t), near, found);
        for (int i = 0; i < count; ++i) {
          const hands::ObstacleGap& gap = found[i];
          system_.add_row(a, gap.segment, gap.point_world, gap.normal_world, row_);
          system_.add_thing_row(t, gap.point_world, -gap.normal_world, row_);
          row_[slack(kHandSlack)] = 1.0;
          push_inequality(out, {Kind::kHandGap, a * kMostCapsules + c, t, i},
                          gap.gap + y[slack(kHandSlack)]);
        }
      }
    }
    for (int p = 0; p < static_cast<int>(gaps.pairs().size()); ++p) {
      const auto gap = gaps.near_self(gaps.pairs()[p], reaches ? kNearSelfReach : kNearSelf);
      if (!gap) continue;
      system_.add_row(a, gap->segment_b, gap->point_b_world, gap->apart_world, row_);
      system_.add_row(a, gap->segment_a, gap->point_a_world, -gap->apart_world, row_);
      row_[slack(kSelfSlack)] = 1.0;
      push_inequality(out, {Kind::kSelfGap, a, p}, gap->gap + kSelfOverlap + y[slack(kSelfSlack)]);
    }
  }
  // Corners of things, along the normal that they had.
  for (int k = 0; k < static_cast<int>(input_->contacts.size()); ++k) {
    const ContactPoint& contact = input_->contacts[k];
    if (contact.of_hand()) continue;
    const Vec3 on_thing = system_.thing_pose(contact.thing) * contact.point_thing;
    const Vec3 on_other = system_.thing_pose(contact.other) * contact.point_other;
    system_.add_thing_row(contact.thing, on_thing, -contact.normal, row_);
    system_.add_thing_row(contact.other, on_other, contact.normal, row_);
    row_[slack(kThingSlack)] = 1.0;
    push_inequality(out, {Kind::kThingGap, k},
                    (on_other - on_thing).dot(contact.normal) + y[slack(kThingSlack)]);
  }
}

// eq. 8's bound.
void StepProblem::add_grip_bounds(Linearized& out, const Eigen::VectorXd& y) {
  for (size_t k = 0; k < input_->contacts.size(); ++k) {
    const ContactPoint& contact = input_->contacts[k];
    const double most = contact.of_hand() ? input_->grip_most[contact.thing] : 0.0;
    if (most <= 0.0) continue;
    row_.segment(force_first_[k], contact.columns).setConstant(-1.0);
    push_inequality(out, {Kind::kGrip, static_cast<int>(k)}, most + row_.dot(y));
  }
}

void StepProblem::add_torque_bounds(Linearized& out, const Eigen::VectorXd& y) {
  if (!options_.torque_limits) return;
  for (int i = 0; i < system_.layout().joints; ++i) {
    const double most = system_.max_torques()[i];
    if (most <= 0.0) continue;
    const double torque = torque_rows_.row(i).dot(y) + torque_constant_[i];
    if (std::abs(torque) < kStrained * most) continue;
    const double side = torque > 0.0 ? -1.0 : 1.0;
    row_ = side * kTorquePerMeter * torque_rows_.row(i);
    row_[slack(kTorqueSlack)] = 1.0;
    push_inequality(out, {Kind::kTorque, i},
                    kTorquePerMeter * (most + side * torque) + y[slack(kTorqueSlack)]);
  }
}

void StepProblem::linearize(const Eigen::VectorXd& y, Linearized& out) {
  out.row_count = out.inequality_count = 0;
  system_.displaced(*input_->now, y, after_);
  system_.place(after_);
  system_.set_turns(y);
  row_.setZero();
  // Term 1.
  const double root = std::sqrt(options_.torque_change_weight);
  const Eigen::VectorXd change = torques(y) - input_->torque_before;
  for (int i = 0; i < system_.layout().joints; ++i) {
    row_ = torque_rows_.row(i);
    push_row(out, root * root, change[i]);
  }
  add_forces(out, y);
  add_contacts(out);
  add_goals(out);
  add_poses(out, y);
  for (int i = 0; i < kSlacks; ++i) {
    row_[slack(static_cast<Slack>(i))] = 1.0;
    push_row(out, kOverlapWeight, y[slack(static_cast<Slack>(i))]);
  }
  add_equations(out, y);
  add_gaps(out, y);
  add_grip_bounds(out, y);
  add_torque_bounds(out, y);
}

double StepProblem::objective(const Eigen::VectorXd& x, const Linearized& at_x) const {
  return 0.5 * at_x.residuals.head(at_x.row_count).squaredNorm() +
         kOverlapPrice * x.tail(kSlacks).sum();
}

double StepProblem::dynamics_residual(const Linearized& at_x) const {
  return at_x.equality_value.size() > 0 ? at_x.equality_value.lpNorm<Eigen::Infinity>() : 0.0;
}

double StepProblem::cone_excess(const Eigen::VectorXd& x) const {
  double worst = 0.0;
  for (size_t k = 0; k < input_->contacts.size(); ++k) {
    const ContactPoint& contact = input_->contacts[k];
    const Vec3 force =
        contact.edges.leftCols(contact.columns) * x.segment(force_first_[k], contact.columns);
    const double normal = -force.dot(contact.normal);
    const double tangential = (force + normal * contact.normal).norm();
    worst =
        std::max(worst, (tangential - contact.friction * normal) / system_.weight(contact.thing));
  }
  return worst;
}

Eigen::VectorXd StepProblem::torques(const Eigen::VectorXd& x) const {
  return torque_rows_ * x + torque_constant_;
}

}  // namespace prehend::manipulation
