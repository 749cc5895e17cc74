// Three inner loops of the engine's contact solver, four numbers at a time.
//
// Debian builds the engine for any x86-64, one number at a time, and these three take two fifths of
// a step in which a hand of 57 degrees of freedom holds something. The engine calls them through
// its dynamic symbols, where a program's own function of the name comes first; a program that links
// the engine in another way keeps the engine's, at the price of speed alone. The order of sums is
// fixed, so that every machine gets the same bytes.
#include <cmath>
#include <cstring>
#include <vector>

#include "physics/engine.h"

namespace {

typedef double Four __attribute__((vector_size(32)));

// A rotation that takes x[column] into the diagonal; what is left of the rest is
// l' = (l +- s x) / c, x' = (x - s l) / c, with c^2 -+ s^2 = 1.
struct Turn {
  int column;
  double sine, signed_sine, over_cosine;
};

}  // namespace

namespace prehend::physics {

void link_engine_kernels() {}

}  // namespace prehend::physics

extern "C" {

__attribute__((target_clones("avx2", "default"))) void mju_addToScl(mjtNum* res, const mjtNum* vec,
                                                                    mjtNum scl, int n) {
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    Four sum, more;
    std::memcpy(&sum, res + i, sizeof(sum));
    std::memcpy(&more, vec + i, sizeof(more));
    sum += scl * more;
    std::memcpy(res + i, &sum, sizeof(sum));
  }
  for (; i < n; ++i) res[i] += vec[i] * scl;
}

__attribute__((target_clones("avx2", "default"))) mjtNum mju_dot(const mjtNum* vec1,
                                                                 const mjtNum* vec2, int n) {
  Four sum = {0.0, 0.0, 0.0, 0.0};
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    Four first, second;
    std::memcpy(&first, vec1 + i, sizeof(first));
    std::memcpy(&second, vec2 + i, sizeof(second));
    sum += first * second;
  }
  double rest = 0.0;
  for (; i < n; ++i) rest += vec1[i] * vec2[i];
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + rest;
}

// The Cholesky factor of L L^T +- x x^T. Row by row, four rows at a time, where the engine goes
// down columns: rows lie together in memory, and four of them do not wait for each other.
__attribute__((target_clones("avx2", "default"))) int mju_cholUpdate(mjtNum* mat, mjtNum* x, int n,
                                                                     int flg_plus) {
  thread_local std::vector<Turn> turns;
  turns.clear();
  int rank = n;
  const double sign = flg_plus ? 1.0 : -1.0;
  const auto turn_row = [&](double* row, double& rest, size_t first) {
    for (size_t t = first; t < turns.size(); ++t) {
      const Turn& turn = turns[t];
      const double l = row[turn.column];
      row[turn.column] = (l + turn.signed_sine * rest) * turn.over_cosine;
      rest = (rest - turn.sine * l) * turn.over_cosine;
    }
  };
  // An object's contacts leave the hands' rows alone, which come first.
  int start = 0;
  while (start < n && x[start] == 0.0) ++start;
  for (int first = start; first < n; first += 4) {
    const int rows = n - first < 4 ? n - first : 4;
    const size_t shared = turns.size();
    if (rows == 4) {
      double* row[4] = {mat + first * n, mat + (first + 1) * n, mat + (first + 2) * n,
                        mat + (first + 3) * n};
      Four rest;
      std::memcpy(&rest, x + first, sizeof(rest));
      for (const Turn& turn : turns) {
        const int k = turn.column;
        const Four l = {row[0][k], row[1][k], row[2][k], row[3][k]};
        const Four turned = (l + turn.signed_sine * rest) * turn.over_cosine;
        rest = (rest - turn.sine * l) * turn.over_cosine;
        for (int i = 0; i < 4; ++i) row[i][k] = turned[i];
      }
      std::memcpy(x + first, &rest, sizeof(rest));
    }
    for (int i = first; i < first + rows; ++i) {
      turn_row(mat + i * n, x[i], rows == 4 ? shared : 0);
      if (x[i] == 0.0) continue;
      const double l = mat[i * n + i];
      double square = l * l + sign * x[i] * x[i];
      if (square < mjMINVAL) {
        square = mjMINVAL;
        --rank;
      }
      const double root = std::sqrt(square), sine = x[i] / l;
      mat[i * n + i] = root;
      turns.push_back({i, sine, sign * sine, l / root});
    }
  }
  return rank;
}
}
