// Random numbers that are the same on every machine: the standard's distributions are not.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>

#include "prehend/core/math.h"

namespace prehend::hands {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}

  // In (0, 1).
  double uniform() { return (double(random_() >> 11) + 0.5) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  double normal(double deviation) {
    const double radius = std::sqrt(-2.0 * std::log(uniform()));
    return deviation * radius * std::cos(2.0 * kPi * uniform());
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace prehend::hands
