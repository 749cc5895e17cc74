#include "prehend/jobs/compliance_file.h"

#include <cmath>

#include <fmt/format.h>

#include "jobs/value_reader.h"
#include "prehend/core/atomic_file.h"
#include "prehend/core/text.h"
#include "prehend/io/value.h"
#include "prehend/methods/interaction/measure.h"

namespace prehend::jobs {
namespace {

using interaction::HandCompliance;

constexpr const char* kFormat = "prehend compliance";
constexpr const char* kInteraction = "prehend interaction";
constexpr int kVersion = 1;
constexpr int kRoot = 6;  // directions of the wrist, before the joints'

double rounded(double value) { return std::round(value * 1e6) / 1e6 + 0.0; }

std::string label(const Hand& hand, int direction) {
  return direction < kRoot ? interaction::direction_name(hand, direction)
                           : coordinate_label(hand, direction - kRoot);
}

// Interactions have the names of the hand's own hinges, which for the thumb are other words for the
// same turns.
std::string usual(std::string name) {
  for (const auto& [word, same] : {std::pair{"-abduction", "-deviation"}, {"-pronation", "-twist"}})
    if (name.ends_with(word)) name.replace(name.size() - std::string(word).size(), name.npos, same);
  return name;
}

}  // namespace

std::string coordinate_label(const Hand& hand, int coordinate) {
  constexpr const char* kTurns[] = {"flexion", "deviation", "twist"};
  int c = 0;
  for (const Segment& segment : hand.segments)
    for (const Joint& joint : segment.joints) {
      if (coordinate < c + joint.dof()) {
        Eigen::Index axis = coordinate - c;
        if (joint.type != JointType::kBall) joint.axis.cwiseAbs().maxCoeff(&axis);
        return segment.name + "-" + kTurns[axis];
      }
      c += joint.dof();
    }
  return "";
}

Status write_compliances(const std::string& path, const std::vector<NamedCompliance>& joints) {
  io::Value value = io::Value::table();
  value["format"] = kFormat;
  value["version"] = kVersion;
  value["joints"] = io::Value::array();
  for (const NamedCompliance& joint : joints) {
    io::Value item = io::Value::table();
    item["name"] = joint.name;
    item["compliance"] = rounded(joint.compliance);
    if (joint.low != joint.high) {
      item["low"] = rounded(joint.low);
      item["high"] = rounded(joint.high);
    }
    value["joints"].push_back(std::move(item));
  }
  return write_file(path, io::to_json_rows(value));
}

Result<std::vector<NamedCompliance>> load_compliances(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return text.error();
  const std::string file = printable(path, 200);
  const auto value = io::parse_json(*text, path);
  if (!value) return value.error();
  ValueReader reader(*value, file, "");
  const std::string format = reader.text("format");
  if (format != kFormat && format != kInteraction)
    return Error{file + ": has no compliances; prehend measure and prehend simulate write them"};
  if (reader.whole("version") != kVersion && !reader.error())
    reader.fail("version", "this program reads version 1");
  if (reader.error()) return *reader.error();
  const io::Value* joints = value->find("joints");
  if (!joints || !joints->is_array()) return Error{file + ": joints are missing"};
  std::vector<NamedCompliance> made;
  for (const io::Value& item : joints->items()) {
    ValueReader one(item, file, fmt::format("joints[{}].", made.size()));
    NamedCompliance joint;
    joint.name = one.text("name");
    joint.compliance = joint.low = joint.high = one.number("compliance");
    if (item.find("low")) joint.low = one.number("low");
    if (item.find("high")) joint.high = one.number("high");
    if (!one.error() && !(joint.compliance >= 0.0 && joint.low >= 0.0 && joint.high >= joint.low))
      one.fail("compliance", "should not be below zero, nor low above high");
    if (one.error()) return *one.error();
    made.push_back(std::move(joint));
  }
  return made;
}

std::vector<NamedCompliance> named_compliances(const interaction::InteractionTrajectory& made) {
  const auto at = [](const HandCompliance& c, int d) {
    return d < kRoot ? c.root[d] : c.joints[d - kRoot];
  };
  std::vector<NamedCompliance> list;
  for (int d = 0; d < kRoot + made.hand->dof(); ++d)
    if (at(made.compliance, d) > 0.0)
      list.push_back(
          {label(*made.hand, d), at(made.compliance, d), at(made.low, d), at(made.high, d)});
  return list;
}

std::vector<NamedCompliance> named_compliances(const Hand& hand, const Eigen::VectorXd& joints) {
  std::vector<NamedCompliance> list;
  for (int c = 0; c < joints.size(); ++c)
    if (joints[c] > 0.0)
      list.push_back({coordinate_label(hand, c), joints[c], joints[c], joints[c]});
  return list;
}

Result<HandCompliance> compliance_for(const Hand& hand, const std::vector<NamedCompliance>& joints,
                                      HandCompliance assumed, const std::string& file) {
  for (const NamedCompliance& joint : joints) {
    bool found = false;
    for (int d = 0; d < kRoot + hand.dof() && !found; ++d) {
      if (interaction::direction_name(hand, d) != joint.name && label(hand, d) != usual(joint.name))
        continue;
      (d < kRoot ? assumed.root[d] : assumed.joints[d - kRoot]) = joint.compliance;
      found = true;
    }
    // A turn that this hand's joint does not make is none of its compliances.
    const std::string segment = joint.name.substr(0, joint.name.rfind('-'));
    if (!found && hand.find(segment) < 0)
      return Error{fmt::format("{}: the hand has no joint '{}'", printable(file, 200),
                               printable(joint.name))};
  }
  return assumed;
}

}  // namespace prehend::jobs
