// What an audit measures, and where it found the worst: who, when and at which contact.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "prehend/core/clip.h"

namespace prehend::audit {

enum class Measure {
  kPenetration,      // overlap of surfaces, m
  kBeyondTissue,     // the part of it that soft tissue does not give, m
  kSelfPenetration,  // of a hand with itself, m
  kLimits,           // a joint beyond its range, rad
  kDynamics,         // unexplained wrench of an object, over m g
  kFriction,         // force beyond its friction cone, over m g
  kThirdLaw,         // action and reaction that differ, over m g
  kSlip,             // way of one skin over what it touches, in one stretch of contact, m
};
inline constexpr int kMeasureCount = 8;
inline constexpr std::array<Measure, kMeasureCount> kMeasures = {
    Measure::kPenetration, Measure::kBeyondTissue, Measure::kSelfPenetration, Measure::kLimits,
    Measure::kDynamics,    Measure::kFriction,     Measure::kThirdLaw,        Measure::kSlip};

// "penetration", "beyond_tissue", "self_penetration", "limits", "dynamics", "friction",
// "third_law", "slip": as reports and tables write it.
const char* to_string(Measure measure);
// "m", "rad" or "m g".
const char* unit_of(Measure measure);

// The worst of one measure in one frame or in several.
struct Finding {
  Measure measure = Measure::kPenetration;
  double value = 0.0;
  int frame = 0;
  double time = 0.0;  // s, of that frame
  // Who: the segment or thing that enters, pushes, slides or is turned too far, and the one that it
  // does this to. A joint or an unexplained object is alone and stands in `by`; a third law's hands
  // are whole, without a segment.
  ContactSide by, on;
  bool alone = false;
  std::string by_name, on_name;      // "right index-distal", "mug", "floor"
  std::string hand, segment, joint;  // of the first of the two that is a hand; empty: none
  std::string object;                // of the first of the two that is an object; empty: none
  std::optional<Contact> contact;    // of penetration, friction and slip
  std::optional<Vec3> point_world;
};

// Frames in a row in which one measure is beyond what a clip may show.
struct BadStretch {
  int first = 0;
  int last = 0;   // included
  Finding worst;  // of them
};

// "right index-distal in mug", "right index-proximal-flexion", "mug".
std::string who(const Finding& finding);
// "3.1 mm", "12.0 degrees", "0.31 of the weight".
std::string amount(const Finding& finding);
// "penetration 3.1 mm at 1.42 s (frame 170): right index-distal in mug".
std::string describe(const Finding& finding);

}  // namespace prehend::audit
