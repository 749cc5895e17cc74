// Yuret and de la Maza, "Dynamic hill climbing: overcoming the limitations of optimization
// techniques", 1993.
// Implements: the idea. Inside, a climber with one step a direction tries the longest step first; a
//             step that succeeds doubles, one that fails both ways halves, and the last two
//             successes make a direction of their own that follows ridges. Outside, a climber that
//             has no step left starts again far from all optima found so far.
// Departs:    climbs end at a coarse step for the first part of the budget, and the best optimum
//             is then climbed from again and again, each time along new directions askew to the
//             axes: with some hundred evaluations, full precision in every valley would leave none
//             to find another, and steps along the axes alone end at cliffs that a slanted one
//             passes. "Far" is the farthest of some random points, and the best of a few such
//             points is the new start, since penalties fill much of a box.
// Symbols:    everything is in the unit box.
#include <algorithm>
#include <limits>

#include "optimize/search.h"
#include "prehend/core/random.h"

namespace prehend::optimize {
namespace {

// Steps are shares of the range of each variable.
constexpr double kFirstStep = 0.25;   // of a climb from a new start
constexpr double kCoarseStep = 0.02;  // its last
constexpr double kAgainStep = 0.03;   // first step of a climb from the best
constexpr double kFineStep = 3e-4;    // its last, halved from one to the next
constexpr double kFinestStep = 1e-9;  // below which halving ends
constexpr double kExploring = 0.5;    // of the budget
constexpr int kCandidates = 64;       // of which the farthest from all optima may be a new start
constexpr int kStarts = 4;            // of which the best is

class Climber {
 public:
  Climber(Search& search, std::uint64_t seed)
      : search_(search), random_(seed), n_(search.dimension()), optima_(n_, search.budget()) {
    for (Eigen::VectorXd* v :
         {&x_, &best_, &trial_, &move_, &last_move_, &ridge_, &candidate_, &start_}) {
      v->setZero(n_);
    }
    steps_.setZero(n_ + 1);
    basis_.setIdentity(n_, n_);
  }

  void run(const SearchStart& start) {
    x_ = start.unit;
    value_ = start.value;
    best_ = x_;
    best_value_ = value_;
    climb(kFirstStep, kCoarseStep);
    while (search_.left() > (1.0 - kExploring) * search_.budget()) {
      const double room = start_far_from_optima();
      climb(std::min(kFirstStep, 0.5 * room), kCoarseStep);
    }
    for (double last_step = kFineStep; search_.left() > 0;
         last_step = std::max(kFinestStep, 0.5 * last_step)) {
      turn_basis();
      climb_from_best(kAgainStep, last_step);
    }
  }

 private:
  // Directions are the basis's, and n is the ridge; its step is its length.
  bool try_move(int direction, double step) {
    trial_ = x_;
    if (direction < n_) {
      trial_ += step * basis_.col(direction);
    } else {
      trial_ += (step / ridge_.norm()) * ridge_;
    }
    trial_ = trial_.cwiseMax(0.0).cwiseMin(1.0);
    if (trial_ == x_ || search_.left() == 0) return false;
    const double value = search_.evaluate_unit(trial_);
    if (!(value < value_)) return false;
    move_ = trial_ - x_;
    // Two moves along one line make no new direction.
    if (direction != last_direction_) {
      ridge_ = last_move_ + move_;
      steps_[n_] = last_direction_ < 0 ? 0.0 : ridge_.norm();
    }
    last_move_ = move_;
    last_direction_ = direction;
    x_ = trial_;
    value_ = value;
    return true;
  }

  void climb(double first_step, double last_step) {
    steps_.setConstant(first_step);
    steps_[n_] = 0.0;
    last_move_.setZero();
    last_direction_ = -1;
    while (search_.left() > 0) {
      int direction = 0;
      steps_.cwiseAbs().maxCoeff(&direction);
      const double step = steps_[direction];
      if (std::abs(step) < last_step) break;
      if (try_move(direction, step)) {
        steps_[direction] = std::clamp(2.0 * step, -1.0, 1.0);
      } else if (direction < n_ && try_move(direction, -step)) {
        steps_[direction] = -step;
      } else {
        steps_[direction] = 0.5 * step;
      }
    }
    optima_.col(count_++) = x_;
    if (value_ < best_value_) {
      best_ = x_;
      best_value_ = value_;
    }
  }

  void climb_from_best(double first_step, double last_step) {
    x_ = best_;
    value_ = best_value_;
    climb(first_step, last_step);
  }

  // Moves to the best of some such points; returns its distance to the nearest optimum.
  double start_far_from_optima() {
    double room = 0.0;
    value_ = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kStarts && search_.left() > 0; ++i) {
      const double distance = draw_far_from_optima();
      const double value = search_.evaluate_unit(start_);
      if (i > 0 && !(value < value_)) continue;
      x_ = start_;
      value_ = value;
      room = distance;
    }
    return room;
  }

  double draw_far_from_optima() {
    double farthest = -1.0;
    for (int i = 0; i < kCandidates; ++i) {
      for (double& entry : candidate_) entry = random_.uniform();
      double nearest = std::numeric_limits<double>::infinity();
      for (int k = 0; k < count_; ++k) {
        nearest = std::min(nearest, (optima_.col(k) - candidate_).squaredNorm());
      }
      if (nearest > farthest) {
        farthest = nearest;
        start_ = candidate_;
      }
    }
    return std::sqrt(farthest);
  }

  // Orthonormal, all orientations alike.
  void turn_basis() {
    for (int k = 0; k < n_; ++k) {
      auto direction = basis_.col(k);
      for (double& entry : direction) entry = random_.normal();
      for (int j = 0; j < k; ++j) direction -= basis_.col(j).dot(direction) * basis_.col(j);
      direction.normalize();
    }
  }

  Search& search_;
  Random random_;
  int n_;
  Eigen::MatrixXd optima_;  // the first count_ columns; a climb costs at least one evaluation
  int count_ = 0;
  Eigen::VectorXd x_, best_, trial_, move_, last_move_, ridge_, candidate_, start_;
  Eigen::MatrixXd basis_;  // of the unit box, a direction a column
  double value_ = 0.0, best_value_ = 0.0;
  Eigen::VectorXd steps_;
  int last_direction_ = -1;
};

}  // namespace

void climb_dynamically(Search& search, const SearchStart& start, std::uint64_t seed) {
  Climber(search, seed).run(start);
}

}  // namespace prehend::optimize
