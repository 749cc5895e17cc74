#include "physics/skyline.h"

#include <algorithm>
#include <cmath>

namespace prehend::physics {

void Skyline::reset(const std::vector<int>& first) {
  const int size = static_cast<int>(first.size());
  groups_ = (size + 3) / 4;
  columns_.resize(static_cast<size_t>(4) * groups_ * groups_);
  over_diagonal_.resize(static_cast<size_t>(4) * groups_);
  begins_.resize(groups_);
  for (int g = 0; g < groups_; ++g) {
    int begin = 4 * g;
    for (int i = 4 * g; i < std::min(4 * g + 4, size); ++i) begin = std::min(begin, first[i]);
    begins_[g] = begin / 4 * 4;
    std::fill(rows_of(g) + begins_[g], rows_of(g) + 4 * g + 4, Quad{});
  }
  for (int i = size; i < 4 * groups_; ++i) at(i, i) = 1.0;
}

void Skyline::copy(const Skyline& other) {
  for (int g = 0; g < groups_; ++g)
    std::copy(other.rows_of(g) + begins_[g], other.rows_of(g) + 4 * g + 4, rows_of(g) + begins_[g]);
}

PREHEND_FOUR_WIDE void Skyline::multiply(const Quad* x, Quad* out) const {
  const double* numbers = x->at;
  for (int g = 0; g < groups_; ++g) {
    const Quad* rows = rows_of(g);
    const Four here = four(x[g]);
    Four total = {0.0, 0.0, 0.0, 0.0};
    for (int k = begins_[g]; k < 4 * g; ++k) {
      total += four(rows[k]) * numbers[k];
      out->at[k] += sum(four(rows[k]) * here);
    }
    for (int c = 0; c < 4; ++c) {
      double& mine = out[g].at[c];
      mine = total[c];
      for (int b = 0; b < 4; ++b)
        mine += rows[4 * g + std::min(b, c)].at[std::max(b, c)] * x[g].at[b];
    }
  }
}

PREHEND_FOUR_WIDE bool Skyline::factor(double least) {
  bool positive = true;
  for (int g = 0; g < groups_; ++g) {
    Quad* rows = rows_of(g);
    for (int h = begins_[g] / 4; h <= g; ++h) {
      const Quad* others = rows_of(h);
      Quad* columns = rows + 4 * h;
      Four first = four(columns[0]), second = four(columns[1]), third = four(columns[2]),
           fourth = four(columns[3]);
      for (int k = std::max(begins_[g], begins_[h]); k < 4 * h; ++k) {
        first -= four(rows[k]) * others[k].at[0];
        second -= four(rows[k]) * others[k].at[1];
        third -= four(rows[k]) * others[k].at[2];
        fourth -= four(rows[k]) * others[k].at[3];
      }
      four(columns[1]) = second, four(columns[2]) = third, four(columns[3]) = fourth;
      four(columns[0]) = first;
      double* over = over_diagonal_.data() + 4 * h;
      for (int c = 0; c < 4; ++c) {
        for (int b = 0; b < c; ++b) four(columns[c]) -= four(columns[b]) * others[4 * h + b].at[c];
        if (h == g) {
          double& pivot = columns[c].at[c];
          if (!(pivot >= least)) {
            pivot = least;
            positive = false;
          }
          over[c] = 1.0 / std::sqrt(pivot);
        }
        four(columns[c]) *= over[c];
      }
    }
  }
  return positive;
}

PREHEND_FOUR_WIDE void Skyline::solve(Quad* x) const {
  double* numbers = x->at;
  for (int g = 0; g < groups_; ++g) {
    const Quad* rows = rows_of(g);
    Four even = {0.0, 0.0, 0.0, 0.0}, odd = even;
    for (int k = begins_[g]; k < 4 * g; k += 2) {
      even += four(rows[k]) * numbers[k];
      odd += four(rows[k + 1]) * numbers[k + 1];
    }
    four(x[g]) -= even + odd;
    double* mine = x[g].at;
    for (int c = 0; c < 4; ++c) {
      for (int b = 0; b < c; ++b) mine[c] -= rows[4 * g + b].at[c] * mine[b];
      mine[c] *= over_diagonal_[4 * g + c];
    }
  }
  for (int g = groups_ - 1; g >= 0; --g) {
    const Quad* rows = rows_of(g);
    double* mine = x[g].at;
    for (int c = 3; c >= 0; --c) {
      for (int b = c + 1; b < 4; ++b) mine[c] -= rows[4 * g + c].at[b] * mine[b];
      mine[c] *= over_diagonal_[4 * g + c];
    }
    const Four solved = four(x[g]);
    for (int k = begins_[g]; k < 4 * g; ++k) numbers[k] -= sum(four(rows[k]) * solved);
  }
}

}  // namespace prehend::physics
