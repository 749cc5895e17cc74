#include "prehend/audit/finding.h"

#include <fmt/format.h>

namespace prehend::audit {

const char* to_string(Measure measure) {
  static constexpr std::array<const char*, kMeasureCount> kNames = {
      "penetration", "beyond_tissue", "self_penetration", "limits",
      "dynamics",    "friction",      "third_law",        "slip"};
  return kNames[static_cast<int>(measure)];
}

const char* unit_of(Measure measure) {
  static constexpr std::array<const char*, kMeasureCount> kUnits = {"m",   "m",   "m",   "rad",
                                                                    "m g", "m g", "m g", "m"};
  return kUnits[static_cast<int>(measure)];
}

std::string who(const Finding& finding) {
  const std::string &by = finding.by_name, &on = finding.on_name;
  if (!finding.joint.empty()) {
    // Most joints are named after their segment: "index-proximal" has "index-proximal-flexion".
    if (finding.joint.starts_with(finding.segment))
      return by + finding.joint.substr(finding.segment.size());
    return fmt::format("{}, joint {}", by, finding.joint);
  }
  if (finding.alone) return by;
  // The floor is what is entered or slid over, whoever pushes.
  const bool on_floor = finding.by.is_surroundings();
  const std::string &mover = on_floor ? on : by, &other = on_floor ? by : on;
  switch (finding.measure) {
    case Measure::kPenetration:
    case Measure::kBeyondTissue:
      return mover + " in " + other;
    case Measure::kSlip:
      return mover + " over " + other;
    case Measure::kFriction:
      return by + " on " + on;
    default:
      return by + " and " + on;
  }
}

std::string amount(const Finding& finding) {
  switch (finding.measure) {
    case Measure::kPenetration:
    case Measure::kBeyondTissue:
    case Measure::kSelfPenetration:
    case Measure::kSlip:
      return fmt::format("{:.1f} mm", 1e3 * finding.value);
    case Measure::kLimits:
      return fmt::format("{:.1f} degrees", degrees(finding.value));
    default:
      return fmt::format("{:.2f} of the weight", finding.value);
  }
}

std::string describe(const Finding& finding) {
  static constexpr std::array<const char*, kMeasureCount> kWords = {
      "penetration",
      "penetration beyond what tissue gives",
      "hand through itself",
      "joint beyond its range",
      "unexplained wrench",
      "beyond the friction cone",
      "unequal action and reaction",
      "slip"};
  return fmt::format("{} {} at {:.2f} s (frame {}): {}", kWords[static_cast<int>(finding.measure)],
                     amount(finding), finding.time, finding.frame, who(finding));
}

}  // namespace prehend::audit
