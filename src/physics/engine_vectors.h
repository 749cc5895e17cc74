// What the contact solver's loops are made of: four numbers at a time.
#pragma once

#include <cstring>

// Functions so marked are compiled twice, for any processor and for one with AVX2, and the loader
// takes what the machine knows. Both do the same operations in the same order (fused multiply-adds
// are off), so they give the same bytes. Other architectures have the plain one alone.
#if defined(__x86_64__) && defined(__linux__)
#define PREHEND_FOUR_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define PREHEND_FOUR_WIDE
#endif

namespace prehend::physics {

typedef double Four __attribute__((vector_size(32), may_alias));

// Four numbers that lie together, as containers hold them.
struct alignas(32) Quad {
  double at[4];
};
__attribute__((always_inline)) inline const Four& four(const Quad& quad) {
  return reinterpret_cast<const Four&>(quad);
}
__attribute__((always_inline)) inline Four& four(Quad& quad) {
  return reinterpret_cast<Four&>(quad);
}
__attribute__((always_inline)) inline double sum(const Four& v) {
  return (v[0] + v[1]) + (v[2] + v[3]);
}

// In an order that is the same on every machine. Always inlined, so that each caller's own
// instruction set counts.
__attribute__((always_inline)) inline double dot(const double* one, const double* other, int n) {
  Four total = {0.0, 0.0, 0.0, 0.0};
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    Four first, second;
    std::memcpy(&first, one + i, sizeof(first));
    std::memcpy(&second, other + i, sizeof(second));
    total += first * second;
  }
  double rest = 0.0;
  for (; i < n; ++i) rest += one[i] * other[i];
  return sum(total) + rest;
}

}  // namespace prehend::physics
