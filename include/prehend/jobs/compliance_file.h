// Compliances of a hand's joints as a file that two methods share: what `measure` finds can be the
// stiffness of a controller in `simulate`, and what a controller's springs are can be assumed in
// `measure` and `replay`. JSON, format "prehend compliance", version 1:
//   joints: [{name, compliance, low, high}], rad/(N m); low and high only where they were measured
// A joint is named for its segment and the way it turns, such as index-proximal-flexion (about X),
// -deviation (Y) or -twist (Z), whatever kind of joint the hand has there. The wrist is
// wrist-x, -y, -z (m/N) and wrist-flexion, -deviation, -pronation. An interaction of `measure` has
// the same list in it and is read as well.
#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

#include "prehend/core/hand.h"
#include "prehend/core/result.h"
#include "prehend/methods/interaction/trajectory.h"

namespace prehend::jobs {

// What ends so is such a file: "touch.compliance.json".
inline constexpr const char* kComplianceEnding = ".compliance.json";

struct NamedCompliance {
  std::string name;
  double compliance = 0.0;  // rad/(N m)
  double low = 0.0, high = 0.0;
};

// "index-proximal-flexion" of a coordinate.
std::string coordinate_label(const Hand& hand, int coordinate);

Status write_compliances(const std::string& path, const std::vector<NamedCompliance>& joints);
Result<std::vector<NamedCompliance>> load_compliances(const std::string& path);

// Of an interaction, the wrist too.
std::vector<NamedCompliance> named_compliances(const interaction::InteractionTrajectory& made);
// Of a hand's joints alone, one a coordinate; zero: rigid, and left out.
std::vector<NamedCompliance> named_compliances(const Hand& hand, const Eigen::VectorXd& joints);

// Those of the file in the place of `assumed`, for a hand. Turns that its joints do not make are
// left out; a segment that it does not have is an error that names the file.
Result<interaction::HandCompliance> compliance_for(const Hand& hand,
                                                   const std::vector<NamedCompliance>& joints,
                                                   interaction::HandCompliance assumed,
                                                   const std::string& file);

}  // namespace prehend::jobs
