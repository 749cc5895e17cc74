#include "hands/ik_model.h"

#include <algorithm>
#include <cmath>

#include "prehend/core/assert.h"

namespace prehend::hands {
namespace {

// An entry that weighs 1, into an obstacle and of digits into each other. A target drawn 1 mm into
// an obstacle then leaves an entry of (0.1 mm / 1 mm)^2 of that, 0.01 mm; margins see to the rest.
// Smaller scales make steps around bodies short; between digits, whose targets may be far into each
// other, they save rounds of margins.
constexpr double kGapScale = 1e-4, kSelfScale = 5e-5;  // m
// A lack of the cosine between pad and surface that weighs 1; half a degree at a right angle.
constexpr double kFacingScale = 0.01;
constexpr double kMet = 8e-5;  // m, of a target that needs no better
// A bound that misses its scale by so many times, or a target farther off than this, is worth
// another start.
constexpr double kBroken = 3.0;
constexpr double kMissed = 2e-4;           // m
constexpr int kRootBall = 0, kHinge = -1;  // numbers of balls; others count from their coordinate
// A step may not enter what is nearer than this; farther things are met by the next step.
constexpr double kLookAhead = 0.004;  // m

}  // namespace

IkLinear::IkLinear(const IkTree& tree, int columns, int row_count)
    : size(columns),
      system(columns, tree.border_columns, tree.block_columns),
      bend(columns, tree.border_columns, tree.block_columns) {
  bounds.reserve(row_count);
  rows.reserve(static_cast<size_t>(row_count) * columns);
}

Eigen::RowVectorXd::MapType IkLinear::add(const IkBound& bound) {
  bounds.push_back(bound);
  if (bound.value < 0.0) cost += std::pow(bound.weight * bound.value, 2);
  const size_t start = rows.size();
  rows.resize(start + static_cast<size_t>(size), 0.0);
  return {rows.data() + start, size};
}

IkModel::IkModel(const Hand& hand, const ContactIkOptions& options)
    : hand_(hand),
      options_(options),
      kinematics_(hand),
      gaps_(hand),
      tree_(ik_tree(hand, gaps_)),
      size_(6 + hand.dof()),
      clear_(hand.segments.size()),
      row_(size_) {
  chain_.reserve(size_);
  for (const Segment& segment : hand.segments) {
    for (const Joint& joint : segment.joints) {
      const bool ball = joint.type == JointType::kBall;
      const int first = static_cast<int>(balls_.size()) + 1;
      for (int k = 0; k < joint.dof(); ++k) balls_.push_back(ball ? first : kHinge);
    }
  }
  margins_.reserve(gaps_.capsules().size() * ContactIk::kReservedObstacles + gaps_.pairs().size() +
                   ContactIk::kReservedTargets);
}

int IkModel::bound_capacity() const {
  const int capsules = static_cast<int>(gaps_.capsules().size());
  return capsules * geometry::kMaxFieldContacts * ContactIk::kReservedObstacles +
         static_cast<int>(gaps_.pairs().size()) + ContactIk::kReservedTargets;
}

Transform IkModel::root(const Eigen::VectorXd& x) const {
  if (!root_moves_) return problem_->root_world;
  return moved_root(problem_->root_world, x);
}

void IkModel::begin(const ContactIkProblem& problem, bool root_moves, const Eigen::VectorXd& x) {
  problem_ = &problem;
  heed_bounds_ = true;
  root_moves_ = root_moves;
  const bool border_moves = root_moves || tree_.border_columns.size() > 6;
  for (int s = 0; s < hand_.segment_count(); ++s) {
    const int block = tree_.block_of_segment[s];
    const bool digit_moves = tree_.jointed[s] && block >= 0 && problem.moving[block];
    clear_[s] = problem.clear_segments.empty() && (border_moves || digit_moves);
  }
  for (const int s : problem.clear_segments) clear_.at(s) = 1;
  pair_margin_ = static_cast<int>(gaps_.capsules().size() * problem.obstacles.size());
  target_margin_ = pair_margin_ + static_cast<int>(gaps_.pairs().size());
  margins_.assign(target_margin_ + problem.targets.size(), 0.0);
  place(tree_.whole, x);
}

void IkModel::place(const IkGroup& group, const Eigen::VectorXd& x) {
  const auto q = x.tail(size_ - 6);
  if (group.with_border) {
    kinematics_.update(root(x), q);
    if (root_moves_) turn_jacobian_ = exp_map_jacobian(x.segment<3>(3)).transpose();
  } else {
    kinematics_.update_segments(group.segments, q);
  }
  gaps_.place(kinematics_.frames_world(), group.capsules);
}

bool IkModel::holds(const IkGroup& group, int block) const {
  if (block == BlockSystem::kBorder) return group.with_border;
  return std::find(group.blocks.begin(), group.blocks.end(), block) != group.blocks.end();
}

void IkModel::turn_row(Eigen::Ref<Eigen::RowVectorXd> row) const {
  if (root_moves_) row.segment<3>(3) *= turn_jacobian_;
}

// The second derivative of the cost through the bending of a point's path, where `slope` is the
// cost's derivative over the point. A turn i carries along what turns j farther out do:
//   d2 point / dq_i dq_j = axis_i x (axis_j x (point - origin_j)).
// Without it steps crawl where targets and preferences pull against each other, since preferences
// are weak. The three turns of a ball have no order: they get the mean of both, which is exact at
// its rest and near enough elsewhere.
void IkModel::add_curvature(int segment, const Vec3& point, const Vec3& slope, bool with_border,
                            IkLinear& linear) {
  const std::vector<Transform>& frames = kinematics_.frames_world();
  const std::vector<int>& offsets = kinematics_.offsets();
  chain_.clear();
  for (int s = segment; s > 0; s = hand_.segments[s].parent) {
    if (!with_border && tree_.block_of_segment[s] == BlockSystem::kBorder) break;
    for (int c = offsets[s + 1] - 1; c >= offsets[s]; --c) {
      const Vec3& axis = kinematics_.axis_world(c);
      chain_.push_back({6 + c, balls_[c], axis, axis.cross(point - frames[s].position)});
    }
  }
  for (int k = 2; with_border && root_moves_ && k >= 0; --k) {
    const Vec3 axis = turn_jacobian_.col(k);
    chain_.push_back({3 + k, kRootBall, axis, axis.cross(point - frames[0].position)});
  }
  for (size_t j = 0; j < chain_.size(); ++j) {
    for (size_t i = j; i < chain_.size(); ++i) {
      double bend = slope.dot(chain_[i].axis_world.cross(chain_[j].way_world));
      if (chain_[i].ball == chain_[j].ball && chain_[i].ball != kHinge) {
        bend = 0.5 * (bend + slope.dot(chain_[j].axis_world.cross(chain_[i].way_world)));
      }
      linear.bend.add_entry(chain_[i].column, chain_[j].column, bend);
    }
  }
}

void IkModel::add_facing(int index, const Vec3& point, int block, IkLinear& linear) {
  const ContactTarget& target = problem_->targets[index];
  const Vec3 skin =
      kinematics_.frames_world()[target.skin.segment].turn(target.skin.normal_segment);
  const int margin = target_margin_ + index;
  const double value =
      -skin.dot(target.normal_world) - std::cos(target.facing_angle) - margins_[margin];
  auto row = linear.add({value, 1.0 / kFacingScale, block, BlockSystem::kBorder, margin});
  // A direction is the way from one point of the segment to another.
  kinematics_.add_row(target.skin.segment, point + skin, target.normal_world, -1.0, row);
  kinematics_.add_row(target.skin.segment, point, target.normal_world, 1.0, row);
  turn_row(row);
}

void IkModel::add_targets(const IkGroup& group, IkLinear& linear) {
  for (size_t i = 0; i < problem_->targets.size(); ++i) {
    const ContactTarget& target = problem_->targets[i];
    const int segment = target.skin.segment, block = tree_.block_of_segment[segment];
    if (!holds(group, block)) continue;
    const Vec3 point = kinematics_.frames_world()[segment] * target.skin.point_segment;
    const double weight = target.weight / options_.position_scale;
    const Vec3 error = point - target.point_world;
    for (int k = 0; k < 3; ++k) {
      row_.setZero();
      kinematics_.add_row(segment, point, Vec3::Unit(k), 1.0, row_);
      turn_row(row_);
      linear.system.add(row_, error[k], weight, block);
    }
    linear.cost += weight * weight * error.squaredNorm();
    add_curvature(segment, point, weight * weight * error, group.with_border, linear);
    linear.worst_error = std::max(linear.worst_error, error.norm());
    if (heed_bounds_ && target.facing_angle < kPi)
      add_facing(static_cast<int>(i), point, block, linear);
  }
}

void IkModel::add_preferences(const Eigen::VectorXd& x, IkLinear& linear) {
  for (const int c : linear.system.columns()) {
    double value = x[c], weight = 0.0;
    if (c < 6) {
      weight = 1.0 / (c < 3 ? options_.root_shift_scale : options_.root_turn_scale);
    } else {
      value -= problem_->preferred[c - 6];
      weight = problem_->preference.size() > 0 ? problem_->preference[c - 6] : options_.preference;
    }
    linear.system.add_single(c, value, weight);
    linear.cost += std::pow(weight * value, 2);
  }
}

void IkModel::add_obstacles(const IkGroup& group, IkLinear& linear) {
  HandGaps::Found found;
  const int obstacles = static_cast<int>(problem_->obstacles.size());
  for (const int c : group.capsules) {
    const int segment = gaps_.capsules()[c].segment;
    if (!clear_[segment]) continue;
    for (int o = 0; o < obstacles; ++o) {
      const Obstacle& obstacle = problem_->obstacles[o];
      const int margin = c * obstacles + o;
      const int count = gaps_.near_obstacle(c, *obstacle.distance, obstacle.pose_world,
                                            kLookAhead + margins_[margin], found);
      for (int i = 0; i < count; ++i) {
        auto row = linear.add({found[i].gap - margins_[margin], 1.0 / kGapScale,
                               tree_.block_of_segment[segment], BlockSystem::kBorder, margin});
        add_gap_row(kinematics_, found[i], 1.0, row);
        turn_row(row);
        const double entry = linear.bounds.back().value;
        if (entry >= 0.0) continue;
        add_curvature(segment, found[i].point_world,
                      entry / (kGapScale * kGapScale) * found[i].normal_world, group.with_border,
                      linear);
      }
    }
  }
}

void IkModel::add_pairs(const IkGroup& group, IkLinear& linear) {
  for (const int p : group.pairs) {
    const int margin = pair_margin_ + p;
    const auto gap = gaps_.near_self(gaps_.pairs()[p], kLookAhead + margins_[margin]);
    if (!gap) continue;
    int first = tree_.block_of_segment[gap->segment_a];
    int second = tree_.block_of_segment[gap->segment_b];
    if (first == BlockSystem::kBorder || first == second) {
      first = second;
      second = BlockSystem::kBorder;
    }
    auto row = linear.add({gap->gap - margins_[margin], 1.0 / kSelfScale, first, second, margin});
    add_gap_row(kinematics_, *gap, 1.0, row);
    turn_row(row);
  }
}

void IkModel::linearize(const IkGroup& group, const Eigen::VectorXd& x, IkLinear& linear) {
  place(group, x);
  linear.cost = linear.worst_error = 0.0;
  linear.bounds.clear();
  linear.rows.clear();
  linear.system.begin(group.with_border, group.blocks);
  linear.bend.begin(group.with_border, group.blocks);
  add_targets(group, linear);
  add_preferences(x, linear);
  if (!heed_bounds_) return;
  add_obstacles(group, linear);
  if (problem_->keep_apart) add_pairs(group, linear);
}

// What a bound lacks without its margin, beyond what is tolerated.
double IkModel::lack(const IkBound& bound) const {
  const double tolerance =
      bound.margin < target_margin_ ? options_.penetration_tolerance : kFacingScale;
  const double lacking = -(bound.value + margins_[bound.margin]);
  return lacking > tolerance ? lacking : 0.0;
}

bool IkModel::raise_margins(const IkLinear& linear) {
  bool raised = false;
  for (const IkBound& bound : linear.bounds) {
    const double lacking = lack(bound);
    margins_[bound.margin] += lacking;
    raised = raised || lacking > 0.0;
  }
  return raised;
}

void IkModel::clear_margins() { std::fill(margins_.begin(), margins_.end(), 0.0); }

double IkModel::true_cost(const IkLinear& linear) const {
  double cost = linear.cost;
  for (const IkBound& bound : linear.bounds) {
    const double with = std::min(0.0, bound.value);
    const double without = std::min(0.0, bound.value + margins_[bound.margin]);
    cost += bound.weight * bound.weight * (without * without - with * with);
  }
  return cost;
}

bool IkModel::misses(const IkLinear& linear) const {
  if (linear.worst_error > kMissed) return true;
  return std::any_of(linear.bounds.begin(), linear.bounds.end(),
                     [&](const IkBound& bound) { return lack(bound) * bound.weight > kBroken; });
}

bool IkModel::settled(const IkLinear& linear) const {
  if (linear.bounds.empty() || linear.worst_error > kMet) return false;
  return std::none_of(linear.bounds.begin(), linear.bounds.end(),
                      [&](const IkBound& bound) { return lack(bound) > 0.0; });
}

void IkModel::report(const Eigen::VectorXd& x, ContactIkResult& result) {
  place(tree_.whole, x);
  result.root_world = root(x);
  result.coordinates = x.tail(size_ - 6);
  result.errors.clear();
  result.facing_excess = 0.0;
  for (const ContactTarget& target : problem_->targets) {
    const Transform& frame = kinematics_.frames_world()[target.skin.segment];
    result.errors.push_back((frame * target.skin.point_segment - target.point_world).norm());
    const double facing = -frame.turn(target.skin.normal_segment).dot(target.normal_world);
    result.facing_excess = std::max(result.facing_excess,
                                    std::acos(std::clamp(facing, -1.0, 1.0)) - target.facing_angle);
  }
  result.penetration = {};
  HandGaps::Found found;
  for (const int c : tree_.whole.capsules) {
    const int segment = gaps_.capsules()[c].segment;
    for (size_t o = 0; clear_[segment] && o < problem_->obstacles.size(); ++o) {
      const Obstacle& obstacle = problem_->obstacles[o];
      const int count = gaps_.near_obstacle(c, *obstacle.distance, obstacle.pose_world, 0.0, found);
      for (int i = 0; i < count; ++i) {
        if (-found[i].gap <= result.penetration.depth) continue;
        result.penetration = {-found[i].gap, segment, static_cast<int>(o)};
      }
    }
  }
  result.self_penetration = {};
  for (const int p : tree_.whole.pairs) {
    const auto gap = gaps_.near_self(gaps_.pairs()[p], 0.0);
    if (!gap || -gap->gap <= result.self_penetration.depth) continue;
    result.self_penetration = {-gap->gap, gap->segment_a, gap->segment_b};
  }
}

}  // namespace prehend::hands
