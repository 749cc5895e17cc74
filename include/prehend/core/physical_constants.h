// Physical constants that many rooms share. docs/physics.md says where each comes from and what
// it changes; every report repeats those that were in force.
#pragma once

namespace prehend {

// Coulomb friction of dry skin on smooth plastic, metal or wood. The public benchmark for dexterous
// grasps proves with the same.
inline constexpr double kFriction = 0.6;
// Torque about the normal over the normal force, m, of a fingertip's pad. A patch of even pressure
// and radius a, on which friction acts everywhere, gives 2/3 of friction times a: 2/3 * 0.6 * 5 mm
// is 2 mm, and where the pressure is greater at the rim, as under a pad with a bone in it, up to
// friction times a, 3 mm.
inline constexpr double kTorsionalFriction = 0.003;
// The same in the public benchmark, m: as much as a patch of 5 cm radius would give.
inline constexpr double kBenchmarkTorsionalFriction = 0.02;
// Coulomb friction of skin on skin: of the fingers of one hand, and of two hands.
inline constexpr double kSkinFriction = 0.6;
// What an arm pushes and turns a driven wrist with at most, N and N m, along and about each axis.
// An estimate of what an adult can do, not taken from a published measurement.
inline constexpr double kWristForce = 150.0;
inline constexpr double kWristTorque = 15.0;
// What no straight finger pushes more than with its tip, N.
inline constexpr double kFingertipForce = 20.0;

}  // namespace prehend
