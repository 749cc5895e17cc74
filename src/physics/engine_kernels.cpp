// Two of the engine's inner loops, four numbers at a time.
//
// Debian builds the engine for any x86-64, one number at a time. The engine calls these two through
// its dynamic symbols, where a program's own function of the name comes first; a program that links
// the engine in another way keeps the engine's, at the price of speed alone. The order of sums is
// fixed, so that every machine gets the same bytes.
#include <cstring>

#include "physics/engine.h"
#include "physics/engine_vectors.h"

namespace prehend::physics {

void link_engine_kernels() {}

}  // namespace prehend::physics

extern "C" {

__attribute__((target_clones("avx2", "default"))) void mju_addToScl(mjtNum* res, const mjtNum* vec,
                                                                    mjtNum scl, int n) {
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    prehend::physics::Four sum, more;
    std::memcpy(&sum, res + i, sizeof(sum));
    std::memcpy(&more, vec + i, sizeof(more));
    sum += scl * more;
    std::memcpy(res + i, &sum, sizeof(sum));
  }
  for (; i < n; ++i) res[i] += vec[i] * scl;
}

__attribute__((target_clones("avx2", "default"))) mjtNum mju_dot(const mjtNum* vec1,
                                                                 const mjtNum* vec2, int n) {
  return prehend::physics::dot(vec1, vec2, n);
}
}
