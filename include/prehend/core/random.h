// The one source of random numbers: the same on every machine, from a seed and nothing else (the
// distributions of the standard library differ between libraries).
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include <Eigen/Core>

namespace prehend {

// Steele, Lea and Flood's SplitMix64: a counter through a mixing function. Streams of different
// numbers under one seed are independent of each other and of who draws from them when.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0)
      : state_(mix(seed ^ mix(stream + 0x632be59bd9b4e019ULL))) {}

  std::uint64_t bits() { return mix(state_ += 0x9e3779b97f4a7c15ULL); }
  // In [0, 1).
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  int below(int count) { return static_cast<int>(uniform() * count); }
  // Mean 0, standard deviation 1.
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }
  // Unit, all directions alike.
  Eigen::Vector3d direction() {
    const double z = uniform(-1.0, 1.0), angle = uniform(0.0, 2.0 * std::numbers::pi);
    const double r = std::sqrt(1.0 - z * z);
    return {r * std::cos(angle), r * std::sin(angle), z};
  }

 private:
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

}  // namespace prehend
