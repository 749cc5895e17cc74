// What the loops that replace the engine's are made of.
#pragma once

#include <cstring>

namespace prehend::physics {

typedef double Four __attribute__((vector_size(32)));

// In an order that is the same on every machine. Always inlined, so that each caller's own
// instruction set counts.
__attribute__((always_inline)) inline double dot(const double* one, const double* other, int n) {
  Four sum = {0.0, 0.0, 0.0, 0.0};
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    Four first, second;
    std::memcpy(&first, one + i, sizeof(first));
    std::memcpy(&second, other + i, sizeof(second));
    sum += first * second;
  }
  double rest = 0.0;
  for (; i < n; ++i) rest += one[i] * other[i];
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + rest;
}

}  // namespace prehend::physics
