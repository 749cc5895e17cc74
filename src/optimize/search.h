// What the black-box methods share: the unit box, counting, the best seen.
#pragma once

#include <Eigen/Core>

#include "prehend/optimize/black_box.h"

namespace prehend::optimize {

// Methods search the unit box, so that one step length suits variables of any scale.
class Search {
 public:
  Search(const Objective& objective, const Eigen::VectorXd& lower, const Eigen::VectorXd& upper,
         int budget);

  int dimension() const { return static_cast<int>(lower_.size()); }
  int budget() const { return budget_; }
  int left() const { return budget_ - result_.evaluations; }
  // Counts, keeps the best; at most `budget` calls. Infinity for what is not a number.
  double evaluate(const Eigen::VectorXd& x);
  double evaluate_unit(const Eigen::VectorXd& unit);
  Eigen::VectorXd to_unit(const Eigen::VectorXd& x) const;
  const BlackBoxResult& result() const { return result_; }

 private:
  const Objective& objective_;
  const Eigen::VectorXd& lower_;
  const Eigen::VectorXd& upper_;
  int budget_;
  BlackBoxResult result_;
  Eigen::VectorXd x_;  // scratch
};

struct SearchStart {
  Eigen::VectorXd unit;
  double value = 0.0;
};

// Each uses up the search's budget.
void climb_dynamically(Search& search, const SearchStart& start, std::uint64_t seed);
void search_with_pagmo(BlackBoxMethod method, Search& search, const SearchStart& start,
                       std::uint64_t seed);

}  // namespace prehend::optimize
