// Low-discrepancy samples for pictures: one Owen-scrambled Sobol sequence walked along a Morton
// curve through the pixels, so that neighbors' errors cancel for the eye and for the filter, and
// nothing depends on the order in which pixels are computed.
//
// Ahmed and Wonka, "Screen-space blue-noise diffusion of Monte Carlo sampling error via
// hierarchical ordering of pixels", SIGGRAPH Asia 2020, gives the idea; the scrambling is a hash.
#pragma once

#include <cstdint>

#include <Eigen/Core>

namespace prehend::picture::detail {

inline std::uint32_t mix_bits(std::uint32_t v) {
  v ^= v >> 16;
  v *= 0x7feb352dU;
  v ^= v >> 15;
  v *= 0x846ca68bU;
  v ^= v >> 16;
  return v;
}

inline std::uint32_t reverse_bits(std::uint32_t v) {
  v = (v << 16) | (v >> 16);
  v = ((v & 0x00ff00ffU) << 8) | ((v & 0xff00ff00U) >> 8);
  v = ((v & 0x0f0f0f0fU) << 4) | ((v & 0xf0f0f0f0U) >> 4);
  v = ((v & 0x33333333U) << 2) | ((v & 0xccccccccU) >> 2);
  return ((v & 0x55555555U) << 1) | ((v & 0xaaaaaaaaU) >> 1);
}

// Flips every bit by a hash of the bits below it.
inline std::uint32_t scramble_upwards(std::uint32_t v, std::uint32_t seed) {
  v ^= v * 0x3d20adeaU;
  v += seed;
  v *= (seed >> 16) | 1U;
  v ^= v * 0x05526c56U;
  v ^= v * 0x53a22864U;
  return v;
}

class PixelSampler {
 public:
  PixelSampler(int x, int y, int samples) : first_(interleave(x, y) * samples) {}

  void start(int sample) { index_ = first_ + static_cast<std::uint32_t>(sample); }

  // Two numbers in [0, 1) of an independently scrambled pattern a dimension. Flipping an index bit
  // by the bits above it swaps halves of blocks of the curve, and keeps the blocks together.
  Eigen::Vector2f pair(std::uint32_t dimension) const {
    const std::uint32_t seed = dimension * 0x9e3779b9U + 0x51ed270bU;
    const std::uint32_t index =
        reverse_bits(scramble_upwards(reverse_bits(index_), mix_bits(seed)));
    // Sobol's first two coordinates are the index and its product with Pascal's triangle modulo 2,
    // bits reversed; a nested scramble of the reversed bits flips by the bits below.
    return {to_unit(reverse_bits(scramble_upwards(index, mix_bits(seed + 1)))),
            to_unit(reverse_bits(scramble_upwards(pascal(index), mix_bits(seed + 2))))};
  }

 private:
  static float to_unit(std::uint32_t v) { return static_cast<float>(v >> 8) * 0x1p-24f; }

  static std::uint32_t interleave(int x, int y) {
    std::uint32_t code = 0;
    for (int bit = 0; bit < 13; ++bit) {
      code |= ((static_cast<std::uint32_t>(x) >> bit) & 1U) << (2 * bit);
      code |= ((static_cast<std::uint32_t>(y) >> bit) & 1U) << (2 * bit + 1);
    }
    return code;
  }

  // Binomials are odd where the lower number's bits are among the upper's: a sum over supersets.
  static std::uint32_t pascal(std::uint32_t v) {
    v ^= (v >> 16) & 0x0000ffffU;
    v ^= (v >> 8) & 0x00ff00ffU;
    v ^= (v >> 4) & 0x0f0f0f0fU;
    v ^= (v >> 2) & 0x33333333U;
    return v ^ ((v >> 1) & 0x55555555U);
  }

  std::uint32_t first_;
  std::uint32_t index_ = 0;
};

}  // namespace prehend::picture::detail
