// Yuret and de la Maza, "Dynamic hill climbing: overcoming the limitations of optimization
// techniques", 1993.
// Implements: the idea. Inside, a climber with one step a direction tries the longest step first; a
//             step that succeeds doubles, one that fails both ways halves, and the last two
//             successes make a direction of their own that follows ridges. Outside, a climber that
//             has no step left starts again far from all optima found so far.
// Departs:    climbs end at a coarse step for the first part of the budget, and the best optimum
//             is then refined: with some hundred evaluations, full precision in every valley would
//             leave none to find another. "Far" is the farthest of some random points.
// Symbols:    everything is in the unit box.
#include <algorithm>
#include <limits>

#include "optimize/random.h"
#include "optimize/search.h"

namespace prehend::optimize {
namespace {

constexpr double kFirstStep = 0.25;
constexpr double kCoarseStep = 0.01;
constexpr double kFineStep = 1e-9;
constexpr double kExploring = 0.6;  // of the budget
constexpr int kCandidates = 64;     // for a new start

class Climber {
 public:
  Climber(Search& search, std::uint64_t seed)
      : search_(search), random_(seed), n_(search.dimension()), optima_(n_, search.budget()) {
    for (Eigen::VectorXd* v : {&x_, &best_, &trial_, &move_, &last_move_, &ridge_, &candidate_}) {
      v->setZero(n_);
    }
    steps_.setZero(n_ + 1);
  }

  void run(const SearchStart& start) {
    x_ = start.unit;
    value_ = start.value;
    best_ = x_;
    best_value_ = value_;
    climb(kFirstStep, kCoarseStep);
    bool refined = false;
    while (search_.left() > 0) {
      if (!refined && search_.left() <= (1.0 - kExploring) * search_.budget()) {
        x_ = best_;
        value_ = best_value_;
        climb(2.0 * kCoarseStep, kFineStep);
        refined = true;
      } else {
        const double room = start_far_from_optima();
        climb(std::min(kFirstStep, 0.5 * room), refined ? kFineStep : kCoarseStep);
      }
    }
  }

 private:
  // Direction n is the ridge; its step is its length.
  bool try_move(int direction, double step) {
    trial_ = x_;
    if (direction < n_) {
      trial_[direction] += step;
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

  // Moves there; returns the distance to the nearest optimum.
  double start_far_from_optima() {
    double farthest = -1.0;
    for (int i = 0; i < kCandidates; ++i) {
      for (double& entry : candidate_) entry = random_.uniform();
      double nearest = std::numeric_limits<double>::infinity();
      for (int k = 0; k < count_; ++k) {
        nearest = std::min(nearest, (optima_.col(k) - candidate_).squaredNorm());
      }
      if (nearest > farthest) {
        farthest = nearest;
        x_ = candidate_;
      }
    }
    value_ = search_.evaluate_unit(x_);
    return std::sqrt(farthest);
  }

  Search& search_;
  Random random_;
  int n_;
  Eigen::MatrixXd optima_;  // the first count_ columns; a climb costs at least one evaluation
  int count_ = 0;
  Eigen::VectorXd x_, best_, trial_, move_, last_move_, ridge_, candidate_;
  double value_ = 0.0, best_value_ = 0.0;
  Eigen::VectorXd steps_;
  int last_direction_ = -1;
};

}  // namespace

void climb_dynamically(Search& search, const SearchStart& start, std::uint64_t seed) {
  Climber(search, seed).run(start);
}

}  // namespace prehend::optimize
