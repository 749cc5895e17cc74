// Random numbers that are the same with every standard library: its distributions are not.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

namespace prehend::optimize {

class Random {
 public:
  // Streams of one seed are independent of each other.
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0)
      : bits_(seed ^ (stream * 0x9e3779b97f4a7c15ULL)) {}

  std::uint64_t bits() { return bits_(); }
  // In [0, 1).
  double uniform() { return static_cast<double>(bits_() >> 11) * 0x1p-53; }
  double uniform(double lower, double upper) { return lower + (upper - lower) * uniform(); }
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

 private:
  std::mt19937_64 bits_;
};

}  // namespace prehend::optimize
