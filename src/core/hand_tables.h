// Measures of the human hand that the builder reads. docs/hand.md says where each comes from and
// how it compares with two other hands.
#pragma once

#include <array>

#include "prehend/core/hand.h"

namespace prehend::hand_tables {

// Fractions of hand length. Phalanges and the distance from the wrist to the knuckles follow
// published regressions, times 1/0.99 so that the middle finger ends exactly at the hand's length.
struct DigitTable {
  Vec3 base;               // carpometacarpal joint, right hand, wrist frame
  Vec3 knuckle_direction;  // wrist to metacarpophalangeal joint; the thumb's metacarpal direction
  double knuckle_distance;
  double phalanx[4];  // metacarpal (the thumb's only), proximal, intermediate, distal
  double radius[4];   // metacarpal, proximal, intermediate, distal
  double fan;         // radians, of the straight finger from -Z towards +X
  double roll;        // radians, of the finger's back towards +X
};

inline const std::array<DigitTable, kDigitCount>& digits() {
  static const std::array<DigitTable, kDigitCount> kTable = {{
      {{-0.105, -0.048, -0.110},
       {-0.52, -0.42, -0.74},
       0.0,
       {0.235, 0.190, 0.0, 0.150},
       {0.0700, 0.0510, 0.0, 0.0455},
       0.0,
       0.0},
      {{-0.054, -0.037, -0.154},
       {-0.0236, -0.0073, -0.0885},
       0.4677,
       {0.0, 0.2475, 0.1444, 0.0980},
       {0.0680, 0.0498, 0.0425, 0.0390},
       -0.02,
       radians(-4)},
      {{-0.018, -0.032, -0.153},
       {-0.0017, -0.0025, -0.0916},
       0.4505,
       {0.0, 0.2687, 0.1717, 0.1091},
       {0.0680, 0.0498, 0.0430, 0.0395},
       0.02,
       radians(1)},
      {{0.043, -0.032, -0.142},
       {0.0175, -0.0065, -0.0847},
       0.4253,
       {0.0, 0.2465, 0.1667, 0.1081},
       {0.0660, 0.0458, 0.0403, 0.0375},
       0.10,
       radians(7)},
      {{0.105, -0.049, -0.155},
       {0.0351, -0.0137, -0.0739},
       0.4182,
       {0.0, 0.2061, 0.1182, 0.0939},
       {0.0620, 0.0412, 0.0358, 0.0333},
       0.19,
       radians(15)},
  }};
  return kTable;
}

// The thumb's back (its nail) in the wrist frame of a right hand at rest.
inline Vec3 thumb_back() { return {-0.852, 0.207, 0.481}; }

// Ranges of the hinges in degrees, in the order in which they turn.
struct HingeRange {
  const char* name;
  double lower_deg;
  double upper_deg;
};

// What strength a joint has and how it resists by itself, at a hand length of 0.19 m. Torques are
// such that a fingertip pushes about 20 N with the finger straight.
struct HingeStrength {
  double max_torque;         // N m
  double passive_stiffness;  // N m / rad
  double damping;            // N m s / rad
};
inline constexpr HingeStrength kStrength[4] = {
    {3.0, 0.50, 0.030}, {1.7, 0.10, 0.012}, {1.0, 0.06, 0.008}, {0.44, 0.03, 0.004}};
inline constexpr HingeStrength kThumbStrength[4] = {
    {2.4, 0.20, 0.020}, {1.3, 0.10, 0.012}, {0.0, 0.0, 0.0}, {0.60, 0.05, 0.006}};

inline constexpr double kDensity = 1100.0;  // kg / m^3
inline constexpr double kDefaultBreadth = 0.44;

}  // namespace prehend::hand_tables
