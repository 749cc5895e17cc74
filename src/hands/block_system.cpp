#include "hands/block_system.h"

#include <cmath>
#include <utility>

namespace prehend::hands {
namespace {

// Cholesky in place, and the solution of both right sides in place. Forty lines of loops are three
// times as fast here as the library's, which has the overhead of any size at a size of six.
bool factorize(Eigen::MatrixXd& a, int n) {
  for (int j = 0; j < n; ++j) {
    double pivot = a(j, j);
    for (int k = 0; k < j; ++k) pivot -= a(j, k) * a(j, k);
    if (!(pivot > 0.0)) return false;
    a(j, j) = std::sqrt(pivot);
    for (int i = j + 1; i < n; ++i) {
      double sum = a(i, j);
      for (int k = 0; k < j; ++k) sum -= a(i, k) * a(j, k);
      a(i, j) = sum / a(j, j);
    }
  }
  return true;
}

void substitute(const Eigen::MatrixXd& l, int n, double* x) {
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < i; ++k) x[i] -= l(i, k) * x[k];
    x[i] /= l(i, i);
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int k = i + 1; k < n; ++k) x[i] -= l(k, i) * x[k];
    x[i] /= l(i, i);
  }
}

}  // namespace

BlockSystem::BlockSystem(int size, std::vector<int> border, std::vector<std::vector<int>> blocks)
    : places_(size) {
  const int border_size = static_cast<int>(border.size());
  blocks_.resize(blocks.size());
  const auto make = [&](Block& block, std::vector<int> columns, int index) {
    const int n = static_cast<int>(columns.size());
    for (int i = 0; i < n; ++i) places_[columns[i]] = {index, i};
    block.columns = std::move(columns);
    block.normal.setZero(n, n);
    block.border.setZero(n, border_size);
    block.gradient.setZero(n);
    block.loose.reserve(n);
    block.factor.setZero(n, n);
    block.reduced.setZero(n, border_size);
    block.right.setZero(n);
  };
  make(border_, std::move(border), kBorder);
  for (size_t b = 0; b < blocks.size(); ++b) {
    make(blocks_[b], std::move(blocks[b]), static_cast<int>(b));
  }
  active_.reserve(blocks_.size());
  columns_.reserve(size);
}

void BlockSystem::begin(bool with_border, std::span<const int> blocks) {
  with_border_ = with_border;
  active_.assign(blocks.begin(), blocks.end());
  columns_.clear();
  const auto clear = [&](Block& block) {
    block.normal.setZero();
    block.gradient.setZero();
    if (with_border) block.border.setZero();
    columns_.insert(columns_.end(), block.columns.begin(), block.columns.end());
  };
  if (with_border) clear(border_);
  for (const int b : blocks) clear(blocks_[b]);
}

void BlockSystem::copy(const BlockSystem& other) {
  with_border_ = other.with_border_;
  active_ = other.active_;
  columns_ = other.columns_;
  const auto take = [&](Block& block, const Block& from) {
    block.normal = from.normal;
    block.gradient = from.gradient;
    if (with_border_) block.border = from.border;
  };
  if (with_border_) take(border_, other.border_);
  for (const int b : active_) take(blocks_[b], other.blocks_[b]);
}

void BlockSystem::add_matrix(const BlockSystem& other) {
  const auto take = [&](Block& block, const Block& from) {
    block.normal += from.normal;
    if (with_border_) block.border += from.border;
  };
  if (with_border_) take(border_, other.border_);
  for (const int b : active_) take(blocks_[b], other.blocks_[b]);
}

void BlockSystem::add_part(Block& block, const Row& row, double slope, double curvature) {
  const int n = static_cast<int>(block.columns.size());
  for (int i = 0; i < n; ++i) {
    const double value = row[block.columns[i]];
    if (value == 0.0) continue;
    block.gradient[i] += slope * value;
    for (int j = 0; j < n; ++j) block.normal(j, i) += curvature * value * row[block.columns[j]];
  }
}

void BlockSystem::add(const Row& row, double value, double weight, int index) {
  const double squared = weight * weight;
  if (with_border_) add_part(border_, row, squared * value, squared);
  if (index == kBorder) return;
  Block& block = blocks_[index];
  add_part(block, row, squared * value, squared);
  if (!with_border_) return;
  for (size_t j = 0; j < border_.columns.size(); ++j) {
    const double entry = squared * row[border_.columns[j]];
    for (size_t i = 0; i < block.columns.size(); ++i) {
      block.border(i, j) += entry * row[block.columns[i]];
    }
  }
}

void BlockSystem::add_split(const Row& row, double value, double weight, int first, int second) {
  bool on_border = false;
  for (const int c : border_.columns) on_border = on_border || (with_border_ && row[c] != 0.0);
  const double squared = weight * weight, curvature = (on_border ? 3.0 : 2.0) * squared;
  if (on_border) add_part(border_, row, squared * value, curvature);
  add_part(blocks_[first], row, squared * value, curvature);
  add_part(blocks_[second], row, squared * value, curvature);
}

void BlockSystem::add_single(int column, double value, double weight) {
  const auto [block, i] = places_[column];
  at(block).gradient[i] += weight * weight * value;
  at(block).normal(i, i) += weight * weight;
}

void BlockSystem::add_entry(int column, int other_column, double value) {
  Place a = places_[column], b = places_[other_column];
  if (a.block == kBorder) std::swap(a, b);
  if (a.block != b.block) {
    blocks_[a.block].border(a.index, b.index) += value;
    return;
  }
  at(a.block).normal(a.index, b.index) += value;
  if (a.index != b.index) at(a.block).normal(b.index, a.index) += value;
}

double BlockSystem::gradient(int column) const {
  return at(places_[column].block).gradient[places_[column].index];
}

double BlockSystem::diagonal(int column) const {
  const auto [block, i] = places_[column];
  return at(block).normal(i, i);
}

// The block's own part: what is left of the gradient after the fixed columns' steps.
void BlockSystem::prepare(Block& block, const Eigen::VectorXd& damping,
                          const std::vector<char>& fixed, const Eigen::VectorXd& step) {
  block.loose.clear();
  const int size = static_cast<int>(block.columns.size());
  for (int i = 0; i < size; ++i) {
    if (!fixed[block.columns[i]]) block.loose.push_back(i);
  }
  const int n = static_cast<int>(block.loose.size());
  for (int i = 0; i < n; ++i) {
    const int row = block.loose[i];
    double right = -block.gradient[row];
    for (int j = 0; j < size; ++j) {
      const int column = block.columns[j];
      if (fixed[column]) right -= block.normal(j, row) * step[column];
    }
    block.right[i] = right;
    for (int j = 0; j < n; ++j) block.factor(j, i) = block.normal(block.loose[j], row);
    block.factor(i, i) += damping[block.columns[row]];
  }
}

// What the block and the border have to do with each other: fixed steps of one count for the other.
void BlockSystem::add_border_terms(Block& block, const Eigen::VectorXd& step) {
  for (size_t i = 0; i < block.loose.size(); ++i) {
    for (size_t j = 0; j < border_.columns.size(); ++j) {
      // Loose columns of the border still have a step of zero here.
      block.right[i] -= block.border(block.loose[i], j) * step[border_.columns[j]];
    }
    for (size_t j = 0; j < border_.loose.size(); ++j) {
      block.reduced(i, j) = block.border(block.loose[i], border_.loose[j]);
    }
  }
  for (size_t j = 0; j < border_.loose.size(); ++j) {
    for (size_t i = 0; i < block.columns.size(); ++i) {
      border_.right[j] -= block.border(i, border_.loose[j]) * step[block.columns[i]];
    }
  }
}

bool BlockSystem::eliminate(Block& block) {
  const int n = static_cast<int>(block.loose.size());
  if (!factorize(block.factor, n)) return false;
  substitute(block.factor, n, block.right.data());
  if (!with_border_) return true;
  for (size_t j = 0; j < border_.loose.size(); ++j) {
    substitute(block.factor, n, &block.reduced(0, j));
  }
  for (size_t k = 0; k < border_.loose.size(); ++k) {
    for (int i = 0; i < n; ++i) {
      const double link = block.border(block.loose[i], border_.loose[k]);
      border_.right[k] -= link * block.right[i];
      for (size_t j = 0; j <= k; ++j) border_.factor(k, j) -= link * block.reduced(i, j);
    }
  }
  return true;
}

bool BlockSystem::solve(const Eigen::VectorXd& damping, const std::vector<char>& fixed,
                        Eigen::VectorXd& step) {
  for (const int c : columns_) {
    if (!fixed[c]) step[c] = 0.0;
  }
  if (with_border_) prepare(border_, damping, fixed, step);
  for (const int b : active_) {
    prepare(blocks_[b], damping, fixed, step);
    if (with_border_) add_border_terms(blocks_[b], step);
    if (!eliminate(blocks_[b])) return false;
  }
  const int n = static_cast<int>(border_.loose.size());
  if (with_border_) {
    if (!factorize(border_.factor, n)) return false;
    substitute(border_.factor, n, border_.right.data());
    for (int j = 0; j < n; ++j) step[border_.columns[border_.loose[j]]] = border_.right[j];
  }
  for (const int b : active_) {
    const Block& block = blocks_[b];
    for (size_t i = 0; i < block.loose.size(); ++i) {
      double value = block.right[i];
      for (int j = 0; with_border_ && j < n; ++j) value -= block.reduced(i, j) * border_.right[j];
      step[block.columns[block.loose[i]]] = value;
    }
  }
  return true;
}

}  // namespace prehend::hands
