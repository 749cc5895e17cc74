#include <fmt/format.h>

#include <algorithm>

#include "prehend/core/atomic_file.h"
#include "prehend/core/text.h"
#include "prehend/io/rig_map.h"
#include "prehend/io/value.h"

namespace prehend::io {
namespace {

struct Unit {
  std::string_view name;
  double meters;
};
constexpr Unit kUnits[] = {{"m", 1.0},
                           {"meter", 1.0},
                           {"metre", 1.0},
                           {"meters", 1.0},
                           {"metres", 1.0},
                           {"dm", 0.1},
                           {"decimetres", 0.1},
                           {"decimeters", 0.1},
                           {"cm", 0.01},
                           {"centimeters", 0.01},
                           {"centimetres", 0.01},
                           {"mm", 0.001},
                           {"millimeters", 0.001},
                           {"millimetres", 0.001},
                           {"in", 0.0254},
                           {"inch", 0.0254},
                           {"inches", 0.0254},
                           {"ft", 0.3048},
                           {"feet", 0.3048}};

class HintReader {
 public:
  explicit HintReader(const std::string& name) { hints_.name = printable(name, 300); }

  Result<RigHints> read(const Value& root) {
    for (const auto& [key, value] : root.members()) {
      Status status;
      if (key == "units") {
        status = read_units(value);
      } else if (key == "up") {
        status = read_word(value, "up", {"y", "z"}, [&](const std::string& word) {
          hints_.up = word == "y" ? UpAxis::kY : UpAxis::kZ;
        });
      } else if (key == "side") {
        status = read_word(value, "side", {"left", "right"}, [&](const std::string& word) {
          hints_.side = word == "left" ? Side::kLeft : Side::kRight;
        });
      } else if (key == "mirror") {
        if (!value.boolean()) return fail(value, "mirror must be true or false");
        hints_.mirror = *value.boolean();
      } else if (key == "joints") {
        if (!value.is_table()) return fail(value, "joints must be a table");
        for (const auto& [joint, target] : value.members())
          if (status = read_joint(joint, target); !status) break;
      } else {
        // Without a [joints] table the pairs may stand at the top.
        status = read_joint(key, value);
      }
      if (!status) return status.error();
    }
    return hints_;
  }

 private:
  Error fail(const Value& value, const std::string& what) const {
    return {fmt::format("{}:{}:{}: {}", hints_.name, value.place.line, value.place.column, what)};
  }

  Status read_units(const Value& value) {
    if (const auto number = value.number()) {
      if (!(*number > 1e-6 && *number < 1e3))
        return fail(value, "units must be meters in a unit, such as 0.01");
      hints_.meters_per_unit = *number;
      return {};
    }
    const std::string* word = value.string();
    hints_.meters_per_unit = word ? unit_by_name(*word) : std::nullopt;
    if (!hints_.meters_per_unit)
      return fail(value,
                  "units must be \"m\", \"dm\", \"cm\", \"mm\", \"inch\" or meters in a unit");
    return {};
  }

  template <typename Use>
  Status read_word(const Value& value, const char* key, const std::vector<std::string>& words,
                   const Use& use) {
    const std::string* word = value.string();
    if (!word || std::find(words.begin(), words.end(), *word) == words.end())
      return fail(value, fmt::format("{} must be \"{}\" or \"{}\"", key, words[0], words[1]));
    use(*word);
    return {};
  }

  Status read_joint(const std::string& joint, const Value& value) {
    const std::string* target = value.string();
    if (!target) {
      return fail(value, fmt::format("\"{}\" must be a hand joint's name in quotes, not {}",
                                     printable(joint), value.kind()));
    }
    std::string_view hand_joint = *target;
    if (const auto slash = hand_joint.find('/'); slash != std::string_view::npos) {
      const auto side = hand_joint.substr(0, slash);
      if (side != "left" && side != "right")
        return fail(value, fmt::format("\"{}\": before the slash stands left or right",
                                       printable(*target)));
      hand_joint.remove_prefix(slash + 1);
    }
    const auto& names = xr_joint_names();
    if (hand_joint != "none" && std::find(names.begin(), names.end(), hand_joint) == names.end()) {
      const auto meant = nearest_word(hand_joint, {names.begin(), names.end()});
      return fail(value, fmt::format("a hand has no joint \"{}\"{}", printable(hand_joint),
                                     meant ? fmt::format("; did you mean \"{}\"?", *meant)
                                           : "; right would be such as \"index-proximal\""));
    }
    hints_.joints[joint] = *target;
    return {};
  }

  RigHints hints_;
};

}  // namespace

std::optional<double> unit_by_name(std::string_view name) {
  for (const Unit& unit : kUnits)
    if (unit.name == name) return unit.meters;
  return std::nullopt;
}

Result<RigHints> parse_rig_hints(std::string_view text, const std::string& name) {
  const auto root = parse_toml(text, name);
  if (!root) return root.error();
  return HintReader(name).read(*root);
}

Result<RigHints> read_rig_hints(const std::string& path) {
  const auto text = read_file(path, std::uint64_t{1} << 24);
  if (!text) return text.error();
  return parse_rig_hints(*text, path);
}

}  // namespace prehend::io
