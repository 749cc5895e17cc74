#include "prehend/jobs/hand_labels.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "prehend/core/atomic_file.h"
#include "prehend/io/value.h"

namespace prehend::jobs {

namespace {

Error at(const std::string& file, const io::Value& value, const std::string& message) {
  return Error{fmt::format("{}:{}:{}: {}", file, value.place.line, value.place.column, message)};
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const auto near = io::nearest_word(word, known);
  return near ? fmt::format("; did you mean '{}'?", *near)
              : fmt::format("; there are {}", fmt::join(known, ", "));
}

Status read_bodies(const io::Value& table, const std::string& file, physics::HandLabels& labels) {
  if (!table.is_table()) return at(file, table, "bodies should be a table of JOINT = \"body\"");
  const std::vector<std::string> joints(xr_joint_names().begin(), xr_joint_names().end());
  for (const auto& [joint, body] : table.members()) {
    const auto found = std::find(joints.begin(), joints.end(), joint);
    if (found == joints.end()) {
      return at(file, body, fmt::format("no joint '{}'", joint) + did_you_mean(joint, joints));
    }
    if (!body.string()) {
      return at(file, body, fmt::format("'{}' should name a body, not {}", joint, body.kind()));
    }
    labels.bodies[found - joints.begin()] = *body.string();
  }
  return {};
}

}  // namespace

Result<physics::HandLabels> parse_hand_labels(const std::string& text, const std::string& name) {
  const auto file = io::parse_toml(text, name);
  if (!file) return file.error();
  physics::HandLabels labels;
  for (const auto& [key, value] : file->members()) {
    if (key == "bodies") {
      if (Status status = read_bodies(value, name, labels); !status) return status.error();
    } else if (key == "name") {
      if (!value.string()) return at(name, value, "name should be a string");
      labels.name = *value.string();
    } else if (key == "side") {
      const std::string side = value.string() ? *value.string() : "";
      if (side != "left" && side != "right") {
        return at(name, value, "side should be \"left\" or \"right\"");
      }
      labels.side = side == "left" ? Side::kLeft : Side::kRight;
    } else {
      return at(name, value,
                fmt::format("no key '{}'", key) + did_you_mean(key, {"bodies", "name", "side"}));
    }
  }
  return labels;
}

Result<physics::MjcfHand> load_mjcf_hand(const std::string& path) {
  const std::string sidecar = std::filesystem::path(path).replace_extension(".toml").string();
  std::error_code ignored;
  if (!std::filesystem::exists(sidecar, ignored)) return physics::MjcfHand::load(path);
  const auto text = read_file(sidecar);
  if (!text) return text.error();
  const auto labels = parse_hand_labels(*text, sidecar);
  if (!labels) return labels.error();
  return physics::MjcfHand::load(path, *labels);
}

}  // namespace prehend::jobs
