// Liu 2008, section 6 and eq. 9: see the header.
#include "methods/manipulation/grip.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "methods/manipulation/system.h"
#include "prehend/optimize/quadratic_program.h"
#include "prehend/physics/friction_cone.h"

namespace prehend::manipulation {
namespace {

constexpr int kMostPrograms = 60;      // of one solve
constexpr double kLargestStep = 0.15;  // rad of a joint in one program
constexpr double kSettled = 1e-5;      // rad
constexpr double kHandleScale = 2e-4;  // m that weigh as 1, in the end
// The hand comes to the real object in stages, open and a little away at first, so that its handles
// meet the sides that the grip style means.
constexpr double kOpen = 0.35;  // of the preferred flexion
constexpr double kAway = 0.06;  // m
struct Stage {
  double handle, place;  // m that weigh as 1: from the surface, from the place that is meant
};
constexpr Stage kStages[] = {{0.05, 0.01}, {0.01, 3e-3}, {2e-3, 5e-3}, {kHandleScale, 0.01}};
constexpr double kFacingScale = 1.0;   // of the skin's normal from the surface's
constexpr double kOpposeScale = 3e-3;  // m
constexpr double kOpposeFrom = 2e-3;   // m of a handle's scale
constexpr double kOpposeWithin = 0.5;  // of the friction cone's width: nearer is opposite enough
constexpr double kWristScale = 0.02;   // m
constexpr double kWristTurn = 0.25;    // rad
// On the way, where the wrist keeps the direction in which it comes.
constexpr double kWayScale = 4e-3, kWayTurn = 0.05;  // m; rad
constexpr double kWayHandle = 2e-3;                  // m from the virtual surface
constexpr double kWayFinger = 0.15;                  // rad from the pose of the size before
constexpr double kFingerScale = 0.5;                 // rad from the preferred pose
constexpr double kArmScale = 3.0;                    // rad of elbow, forearm and wrist
constexpr double kShoulderScale = 0.7;               // rad: elbows stay at the body's sides
constexpr double kNear = 0.02;                       // m; skin nearer than this is kept apart
constexpr double kOverlapPrice = 1e4, kOverlapWeight = 1e9;
constexpr double kClear = 3e-3;    // m from the real object, on the way
constexpr double kTouches = 1e-3;  // m; farther handles do not touch
constexpr double kCarries = 6e-4;  // m; skin that is nearer carries, as in the steps
// N, of one place of the hand: a strong push of a fingertip is 30 to 50 N.
constexpr double kStrongest = 50.0;
// The largest virtual object, and how much closer it is: eq. 9 is solved for these many sizes.
constexpr int kSizes = 8;
constexpr double kLargest = 1.5, kCloser = 0.08;  // times; m

// A thing made bigger about its center of mass and moved.
class VirtualDistance : public geometry::SignedDistance {
 public:
  VirtualDistance(const geometry::SignedDistance& real, const Vec3& center, double scale)
      : real_(real), center_(center), scale_(scale) {}
  geometry::DistanceSample sample(const Vec3& point) const override {
    geometry::DistanceSample s = real_.sample(center_ + (point - center_) / scale_);
    s.distance *= scale_;
    return s;
  }

 private:
  const geometry::SignedDistance& real_;
  Vec3 center_;
  double scale_;
};

class GripSolver {
 public:
  GripSolver(const Problem& problem, const GripStyle& style)
      : problem_(problem),
        style_(style),
        arm_(problem.arms[style.arm]),
        hand_(*arm_.hand),
        kinematics_(hand_),
        gaps_(hand_),
        limits_(coordinate_limits(hand_)),
        n_(hand_.dof()) {}

  // The object that is gripped: as it stands, or a virtual one.
  void set_object(double scale, const Vec3& shift);
  // From far away to the object.
  Eigen::VectorXd come(const Eigen::VectorXd& start, const Eigen::VectorXd& preferred);
  void solve(Eigen::VectorXd& q, const Eigen::VectorXd& preferred);
  Grip judge(const Eigen::VectorXd& q);

 private:
  // A handle and the surface before it. Distances are read on the bone's side of the skin, a
  // finger's radius away from the surface, where the field is smooth even at thin walls.
  struct Touch {
    Vec3 point, normal;  // on the thing, and out of it
    double gap = 0.0;
  };
  Touch touch_of(const hands::SkinPoint& handle) const {
    const double radius = hand_.segments[handle.segment].capsules[0].radius;
    const Vec3 inside = kinematics_.frames_world()[handle.segment] *
                        Vec3(handle.point_segment - radius * handle.normal_segment);
    const auto sample = virtual_->sample(object_world_.inverse() * inside);
    const Vec3 normal = object_world_.turn(sample.gradient.normalized());
    return {inside - sample.distance * normal, normal, sample.distance - radius};
  }
  std::optional<double> least_squeeze() const;
  void oppose();
  void rows(const Eigen::VectorXd& q, const Eigen::VectorXd& preferred);
  void gap_rows();
  void push(double weight, double residual) {
    const double root = 1.0 / weight;
    row_ *= root;
    program_.hessian.selfadjointView<Eigen::Lower>().rankUpdate(row_.transpose());
    program_.gradient += row_.transpose() * (root * residual);
    row_.setZero();
  }
  void add_row(int segment, const Vec3& point, const Vec3& direction);
  const geometry::SignedDistance& field(int thing) const {
    return thing == style_.object ? *virtual_ : *problem_.things[thing].object->contact();
  }

  const Problem& problem_;
  const GripStyle& style_;
  const Arm& arm_;
  const Hand& hand_;
  HandKinematics kinematics_;
  hands::HandGaps gaps_;
  CoordinateLimits limits_;
  int n_;
  Transform object_world_;
  Vec3 center_ = Vec3::Zero();  // of the object, about which it is made bigger
  double scale_ = 1.0;
  Vec3 away_ = Vec3::Zero();            // of the wrist from where it is wanted
  double handle_scale_ = kHandleScale;  // 0: handles are not looked at
  double place_scale_ = 0.01;
  std::unique_ptr<VirtualDistance> virtual_;
  Eigen::RowVectorXd row_;
  std::vector<Eigen::RowVectorXd> inequalities_;
  std::vector<double> values_;
  optimize::QuadraticProgram program_;
  double deepest_ = 0.0;
};

void GripSolver::add_row(int segment, const Vec3& point, const Vec3& direction) {
  const auto& frames = kinematics_.frames_world();
  for (int s = segment; s > 0; s = hand_.segments[s].parent) {
    const Vec3 moment = (point - frames[s].position).cross(direction);
    for (int c = kinematics_.offsets()[s]; c < kinematics_.offsets()[s + 1]; ++c)
      row_[c] += kinematics_.axis_world(c).dot(moment);
  }
}

void GripSolver::rows(const Eigen::VectorXd& q, const Eigen::VectorXd& preferred) {
  const auto& frames = kinematics_.frames_world();
  for (size_t h = 0; h < style_.handles.size() && handle_scale_ > 0.0; ++h) {
    const hands::SkinPoint& handle = style_.handles[h];
    const Touch touch = touch_of(handle);
    if (!style_.places_object.empty() && scale_ == 1.0) {
      const Vec3 skin = frames[handle.segment] * handle.point_segment;
      const Vec3 miss =
          skin - object_world_ * (center_ + scale_ * (style_.places_object[h] - center_));
      for (int axis = 0; axis < 3; ++axis) {
        add_row(handle.segment, skin, Vec3::Unit(axis));
        push(place_scale_, miss[axis]);
      }
    }
    add_row(handle.segment, touch.point, touch.normal);
    push(scale_ == 1.0 ? handle_scale_ : kWayHandle, touch.gap);
    const Vec3 facing = frames[handle.segment].turn(handle.normal_segment);
    for (int axis = 0; axis < 3; ++axis) {
      const Vec3 moment = facing.cross(Vec3::Unit(axis));
      for (int s = handle.segment; s > 0; s = hand_.segments[s].parent)
        for (int c = kinematics_.offsets()[s]; c < kinematics_.offsets()[s + 1]; ++c)
          row_[c] = kinematics_.axis_world(c).dot(moment);
      push(kFacingScale, facing[axis] + touch.normal[axis]);
    }
  }
  oppose();
  const int wrist = hand_.wrist();
  Transform wanted = object_world_ * style_.wrist_object;
  wanted.position += away_;
  const Vec3 shift = frames[wrist].position - wanted.position;
  const Vec3 turn = log_map(frames[wrist].rotation * wanted.rotation.conjugate());
  for (int axis = 0; axis < 3; ++axis) {
    add_row(wrist, frames[wrist].position, Vec3::Unit(axis));
    push(scale_ == 1.0 ? kWristScale : kWayScale, shift[axis]);
    for (int s = wrist; s > 0; s = hand_.segments[s].parent)
      for (int c = kinematics_.offsets()[s]; c < kinematics_.offsets()[s + 1]; ++c)
        row_[c] = kinematics_.axis_world(c)[axis];
    push(scale_ == 1.0 ? kWristTurn : kWayTurn, turn[axis]);
  }
  const int arm_joints = kinematics_.offsets()[wrist + 1];
  const int shoulder_joints = kinematics_.offsets()[std::max(0, hand_.find("forearm"))];
  for (int c = 0; c < n_; ++c) {
    row_[c] = 1.0;
    const double finger = scale_ == 1.0 ? kFingerScale : kWayFinger;
    push(c < shoulder_joints ? kShoulderScale
         : c < arm_joints    ? kArmScale
                             : finger,
         q[c] - preferred[c]);
  }
}

// Forces along the normals balance where the first handle's normal, the thumb's, passes through the
// middle of the others: what eq. 9's equilibrium asks of the pose. Normals count as given.
void GripSolver::oppose() {
  const int others = static_cast<int>(style_.handles.size()) - 1;
  // Only once the handles are on their sides: before, it would pull the thumb across a rim.
  if (handle_scale_ <= 0.0 || handle_scale_ > kOpposeFrom || scale_ != 1.0 || others < 1) return;
  const Touch first = touch_of(style_.handles[0]);
  Vec3 middle = Vec3::Zero();
  for (int i = 1; i <= others; ++i) middle += touch_of(style_.handles[i]).point / others;
  const Vec3 apart = first.point - middle;
  const double along = apart.dot(first.normal);
  const double aside = (apart - along * first.normal).norm();
  const double friction = problem_.things[style_.object].object->object().friction;
  const double allowed = kOpposeWithin * friction * std::abs(along);
  if (aside <= allowed) return;
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3 direction = Vec3::Unit(axis).cross(first.normal);
    add_row(style_.handles[0].segment, first.point, direction);
    for (int i = 1; i <= others; ++i)
      add_row(style_.handles[i].segment, touch_of(style_.handles[i]).point, -direction / others);
    push(kOpposeScale, apart.dot(direction) * (1.0 - allowed / aside));
  }
}

void GripSolver::gap_rows() {
  inequalities_.clear();
  values_.clear();
  deepest_ = 0.0;
  // Overlap with things and of the hand with itself have a variable each.
  const auto keep = [&](double gap, int slack) {
    row_[slack] = 1.0;
    inequalities_.push_back(row_);
    values_.push_back(gap);
    if (slack == n_) deepest_ = std::max(deepest_, -gap);
    row_.setZero();
  };
  hands::HandGaps::Found found;
  for (int c = 0; c < static_cast<int>(gaps_.capsules().size()); ++c) {
    for (int t = 0; t < static_cast<int>(problem_.things.size()); ++t) {
      const Transform& pose = t == style_.object ? object_world_ : problem_.things[t].pose_world;
      const int count = gaps_.near_obstacle(c, field(t), pose, kNear, found);
      for (int i = 0; i < count; ++i) {
        add_row(found[i].segment, found[i].point_world, found[i].normal_world);
        keep(found[i].gap, n_);
      }
      if (t != style_.object || scale_ == 1.0) continue;
      // The real one, around which the hand is still to come.
      const Thing& thing = problem_.things[t];
      const int real =
          gaps_.near_obstacle(c, *thing.object->contact(), thing.pose_world, kNear, found);
      for (int i = 0; i < real; ++i) {
        add_row(found[i].segment, found[i].point_world, found[i].normal_world);
        keep(found[i].gap - kClear * (scale_ - 1.0) / (kLargest - 1.0), n_);
      }
    }
  }
  for (const auto& pair : gaps_.pairs()) {
    const auto gap = gaps_.near_self(pair, 0.01);
    if (!gap) continue;
    add_row(gap->segment_b, gap->point_b_world, gap->apart_world);
    add_row(gap->segment_a, gap->point_a_world, -gap->apart_world);
    keep(gap->gap, n_ + 1);
  }
}

// eq. 9's other constraints: forces within the cones that carry the weight.
std::optional<double> GripSolver::least_squeeze() const {
  const Object& object = problem_.things[style_.object].object->object();
  const Vec3 center = object_world_ * object.center_of_mass;
  const double length = lever(object);
  std::vector<optimize::ConeContact> cones;
  for (const hands::SkinPoint& handle : style_.handles) {
    const Touch touch = touch_of(handle);
    cones.push_back(
        physics::cone_contact(touch.point, touch.normal, {object.friction, 0.0}, center, length));
  }
  // What else of the hand touches carries too, as it will in the steps.
  hands::HandGaps::Found found;
  for (int c = 0; c < static_cast<int>(gaps_.capsules().size()); ++c) {
    const int count = gaps_.near_obstacle(c, *virtual_, object_world_, kCarries, found);
    for (int i = 0; i < count; ++i)
      cones.push_back(physics::cone_contact(found[i].point_world, found[i].normal_world,
                                            {object.friction, 0.0}, center, length));
  }
  Eigen::Matrix<double, 6, 1> wrench = Eigen::Matrix<double, 6, 1>::Zero();
  wrench[1] = 1.0;
  const auto answer = optimize::solve_cone_program(cones, wrench);
  if (!answer.feasible) return std::nullopt;
  return answer.total_normal;
}

void GripSolver::set_object(double scale, const Vec3& shift) {
  const Thing& thing = problem_.things[style_.object];
  object_world_ = thing.pose_world;
  object_world_.position += shift;
  center_ = thing.object->object().center_of_mass;
  scale_ = scale;
  virtual_ = std::make_unique<VirtualDistance>(*thing.object->contact(), center_, scale);
}

Eigen::VectorXd GripSolver::come(const Eigen::VectorXd& start, const Eigen::VectorXd& preferred) {
  Eigen::VectorXd q = start, open = preferred;
  const int arm_joints = kinematics_.offsets()[hand_.wrist() + 1];
  open.tail(n_ - arm_joints) *= kOpen;
  q.tail(n_ - arm_joints) = open.tail(n_ - arm_joints);
  const Transform wrist = object_world_ * style_.wrist_object;
  const Vec3 out = wrist.turn(Vec3::UnitY());  // out of the back of the hand
  handle_scale_ = 0.0;
  for (const double share : {1.0, 0.5, 0.0}) {
    away_ = share * kAway * out;
    solve(q, open);
  }
  for (const Stage& stage : kStages) {
    handle_scale_ = stage.handle;
    place_scale_ = stage.place;
    solve(q, preferred);
  }
  return q;
}

void GripSolver::solve(Eigen::VectorXd& q, const Eigen::VectorXd& preferred) {
  optimize::QuadraticSolver solver;
  optimize::QuadraticResult result;
  q = q.cwiseMax(limits_.lower).cwiseMin(limits_.upper);
  for (int i = 0; i < kMostPrograms; ++i) {
    kinematics_.update(arm_.shoulder_world, q);
    gaps_.place(kinematics_.frames_world());
    row_.setZero(n_ + 2);
    program_.hessian.setIdentity(n_ + 2, n_ + 2);
    program_.hessian *= 1e-2;
    program_.gradient.setZero(n_ + 2);
    rows(q, preferred);
    program_.hessian.diagonal().tail<2>().array() += kOverlapWeight;
    program_.gradient.tail<2>().array() += kOverlapPrice;
    gap_rows();
    const int count = static_cast<int>(values_.size());
    program_.inequality.resize(count, n_ + 2);
    program_.inequality_least.resize(count);
    for (int k = 0; k < count; ++k) {
      program_.inequality.row(k) = inequalities_[k];
      program_.inequality_least[k] = -values_[k];
    }
    program_.lower.setZero(n_ + 2);
    program_.upper.setConstant(n_ + 2, INFINITY);
    // Shorter steps later settle what would go to and fro between two sides of an edge.
    const double step = kLargestStep / (1.0 + 0.1 * i);
    program_.lower.head(n_) = (limits_.lower - q).cwiseMax(-step);
    program_.upper.head(n_) = (limits_.upper - q).cwiseMin(step);
    solver.solve(program_, result);
    if (result.outcome != optimize::QuadraticOutcome::kSolved) break;
    q += result.x.head(n_);
    if (result.x.head(n_).lpNorm<Eigen::Infinity>() < kSettled) break;
  }
}

Grip GripSolver::judge(const Eigen::VectorXd& q) {
  Grip grip;
  grip.coordinates = q;
  kinematics_.update(arm_.shoulder_world, q);
  gaps_.place(kinematics_.frames_world());
  row_.setZero(n_ + 2);
  gap_rows();
  grip.overlap = deepest_;
  for (const hands::SkinPoint& handle : style_.handles)
    grip.handle_gaps.push_back(touch_of(handle).gap);
  grip.squeeze = least_squeeze();
  grip.wrist_world = kinematics_.frames_world()[hand_.wrist()];
  return grip;
}

}  // namespace

Grip find_grip(const Problem& problem, const GripStyle& style) {
  GripSolver solver(problem, style);
  solver.set_object(1.0, Vec3::Zero());
  return solver.judge(solver.come(problem.arms[style.arm].start, style.preferred));
}

Grip find_virtual_grip(const Problem& problem, const GripStyle& style, const Eigen::VectorXd& near,
                       double scale, const Vec3& shift) {
  GripSolver solver(problem, style);
  solver.set_object(scale, shift);
  Eigen::VectorXd q = near;
  solver.solve(q, near);
  return solver.judge(q);
}

Eigen::VectorXd Reach::pose(double share) const {
  const double s = minimum_jerk(share);
  const int last = static_cast<int>(keys.size()) - 1;
  int i = 0;
  while (i + 1 < last && s > at[i + 1]) ++i;
  const double span = at[i + 1] - at[i];
  const double t = span > 0.0 ? std::clamp((s - at[i]) / span, 0.0, 1.0) : 1.0;
  // Cubic pieces whose slopes are harmonic means of their neighbors' (Fritsch and Butland 1984), so
  // that no joint goes beyond its keys; straight at the ends.
  const auto secant = [&](int k) -> Eigen::ArrayXd {
    return (keys[k + 1] - keys[k]).array() / std::max(at[k + 1] - at[k], 1e-9);
  };
  const auto slope = [&](int k) -> Eigen::VectorXd {
    if (k == 0 || k == last) return secant(k == 0 ? 0 : last - 1).matrix();
    const Eigen::ArrayXd before = secant(k - 1), after = secant(k), product = before * after;
    return (product > 0.0)
        .select(2.0 * product / (before + after + (product <= 0.0).cast<double>()), 0.0)
        .matrix();
  };
  const double t2 = t * t, t3 = t2 * t;
  return (2 * t3 - 3 * t2 + 1) * keys[i] + (t3 - 2 * t2 + t) * span * slope(i) +
         (3 * t2 - 2 * t3) * keys[i + 1] + (t3 - t2) * span * slope(i + 1);
}

Result<Reach> plan_reach(const Problem& problem, const GripStyle& style) {
  const Arm& arm = problem.arms[style.arm];
  const Thing& thing = problem.things[style.object];
  Reach reach;
  reach.grip = find_grip(problem, style);
  for (size_t i = 0; i < style.handles.size(); ++i) {
    if (std::abs(reach.grip.handle_gaps[i]) <= kTouches) continue;
    return Error{fmt::format("grip on {}: handle {} ends {:.1f} mm from the surface",
                             thing.object->object().name, style.handle_names[i],
                             1e3 * reach.grip.handle_gaps[i])};
  }
  if (!reach.grip.squeeze)
    return Error{
        fmt::format("grip on {}: no forces within the friction cones of its {} handles "
                    "carry its weight",
                    thing.object->object().name, style.handles.size())};
  const double weight = thing.object->object().mass * kStandardGravity;
  const double each = *reach.grip.squeeze * weight / static_cast<double>(style.handles.size());
  if (each > kStrongest)
    return Error{fmt::format(
        "grip on {}: it weighs {:.1f} N, and each of the {} handles would have to press "
        "with {:.0f} N where a hand gives {:.0f} N",
        thing.object->object().name, weight, style.handles.size(), each, kStrongest)};
  // Closer: out of the back of the hand, the way that the palm comes.
  const Vec3 direction = (thing.pose_world * style.wrist_object).turn(Vec3::UnitY());
  GripStyle way = style;
  way.wrist_object = thing.pose_world.inverse() * reach.grip.wrist_world;
  std::vector<Eigen::VectorXd> back = {reach.grip.coordinates};
  for (int i = 1; i <= kSizes; ++i) {
    // The hand opens before it goes away, so that it comes off the surface along its normals.
    const double share = static_cast<double>(i) / kSizes;
    const Grip larger = find_virtual_grip(problem, way, back.back(), 1.0 + share * (kLargest - 1.0),
                                          share * share * kCloser * direction);
    back.push_back(larger.coordinates);
  }
  reach.keys.push_back(arm.start);
  reach.keys.insert(reach.keys.end(), back.rbegin(), back.rend());
  reach.at = {0.0};
  for (size_t i = 1; i < reach.keys.size(); ++i)
    reach.at.push_back(reach.at.back() + (reach.keys[i] - reach.keys[i - 1]).norm());
  const double length = std::max(reach.at.back(), 1e-9);
  for (double& at : reach.at) at /= length;
  return reach;
}

}  // namespace prehend::manipulation
