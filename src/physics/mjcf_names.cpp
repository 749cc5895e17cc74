// Which body is which bone, guessed from names.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "physics/mjcf_import.h"

namespace prehend::physics {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// Words of a name: runs of letters, runs of digits; "rh_ffproximal" -> rh, ffproximal.
std::vector<std::string> words(const std::string& name) {
  std::vector<std::string> out;
  char kind = 0;
  for (const char c : lower(name)) {
    const char now = std::isalpha(static_cast<unsigned char>(c))   ? 'a'
                     : std::isdigit(static_cast<unsigned char>(c)) ? '0'
                                                                   : 0;
    if (now && now == kind) {
      out.back() += c;
    } else if (now) {
      out.emplace_back(1, c);
    }
    kind = now;
  }
  return out;
}

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

// Phalanx: 0 metacarpal to 3 distal, 4 tip; -1 none.
int phalanx_of(const std::string& name) {
  if (contains(name, "tip")) return 4;
  if (contains(name, "metacarp") || contains(name, "mc")) return 0;
  if (contains(name, "prox")) return 1;
  if (contains(name, "interm") || contains(name, "midph")) return 2;
  if (contains(name, "dist")) return 3;
  return -1;
}

struct Guess {
  int digit = -1;
  int phalanx = -1;
};

Guess guess(const std::string& name) {
  Guess g;
  const std::string text = lower(name);
  g.phalanx = phalanx_of(text);
  // Digits: whole words first (with "middle" also a phalanx after another digit), then short forms.
  const std::array<std::vector<const char*>, kDigitCount> full = {{{"thumb", "first"},
                                                                   {"index", "second", "pointer"},
                                                                   {"third"},
                                                                   {"ring", "fourth"},
                                                                   {"little", "pinky", "fifth"}}};
  for (int d = 0; d < kDigitCount && g.digit < 0; ++d) {
    for (const char* word : full[static_cast<size_t>(d)]) {
      if (contains(text, word)) g.digit = d;
    }
  }
  const std::array<const char*, kDigitCount> prefixes = {"th", "ff", "mf", "rf", "lf"};
  for (const std::string& word : words(text)) {
    for (int d = 0; d < kDigitCount && g.digit < 0; ++d) {
      const std::string prefix = prefixes[static_cast<size_t>(d)];
      if (word == prefix || (word.rfind(prefix, 0) == 0 && g.phalanx >= 0)) g.digit = d;
    }
    if (g.digit < 0 && word == "iftip") g.digit = 1;
  }
  if (contains(text, "middle")) {
    if (g.digit < 0) {
      g.digit = 2;
    } else if (g.phalanx < 0) {
      g.phalanx = 2;
    }
  }
  if (g.digit < 0 && g.phalanx > 0) {
    for (const std::string& word : words(text)) {
      if (word.size() == 1 && word[0] >= '1' && word[0] <= '5') g.digit = word[0] - '1';
    }
  }
  return g;
}

// OpenXR joint of a digit's phalanx, -1 for the thumb's missing one.
int xr_joint(int digit, int phalanx) {
  static const char* parts[] = {"metacarpal", "proximal", "intermediate", "distal", "tip"};
  const std::string name =
      fmt::format("{}-{}", to_string(kDigits[static_cast<size_t>(digit)]), parts[phalanx]);
  const auto& names = xr_joint_names();
  const auto it = std::find(names.begin(), names.end(), name);
  return it == names.end() ? -1 : static_cast<int>(it - names.begin());
}

void guess_bodies(const mjModel* m, HandLabels& labels) {
  for (int body = 1; body < m->nbody; ++body) {
    const std::string name = name_of(m, mjOBJ_BODY, body);
    const Guess g = guess(name);
    if (g.digit < 0 || g.phalanx < 0 || g.phalanx > 3) continue;
    const int joint = xr_joint(g.digit, g.phalanx);
    if (joint >= 0 && labels.bodies[static_cast<size_t>(joint)].empty()) {
      labels.bodies[static_cast<size_t>(joint)] = name;
    }
  }
  for (int site = 0; site < m->nsite; ++site) {
    const std::string name = name_of(m, mjOBJ_SITE, site);
    const Guess g = guess(name);
    if (g.digit < 0 || g.phalanx != 4) continue;
    std::string& label = labels.bodies[static_cast<size_t>(xr_joint(g.digit, 4))];
    if (label.empty()) label = name;
  }
}

// The body that carries all digits: their deepest common ancestor, up to what it is welded to.
int common_root(const mjModel* m, const LabeledBodies& found) {
  int root = -1;
  for (size_t joint = 1; joint < kXrJointCount; ++joint) {
    const int body = found.bodies[joint];
    if (body < 0) continue;
    if (root < 0) root = m->body_parentid[body];
    while (root > 0 && !below(m, body, root)) root = m->body_parentid[root];
  }
  if (root <= 0) return root;
  return m->body_weldid[root] > 0 ? m->body_weldid[root] : root;
}

std::optional<Vec3> tip_point(const mjModel* m, const std::string& label, int distal) {
  if (label.empty() || distal < 0) return std::nullopt;
  const int site = mj_name2id(m, mjOBJ_SITE, label.c_str());
  if (site >= 0 && m->site_bodyid[site] == distal) return to_vec3(m->site_pos + 3 * site);
  const int geom = mj_name2id(m, mjOBJ_GEOM, label.c_str());
  if (geom >= 0 && m->geom_bodyid[geom] == distal) return to_vec3(m->geom_pos + 3 * geom);
  return std::nullopt;
}

}  // namespace

std::string name_of(const mjModel* m, mjtObj type, int id) {
  const char* name = mj_id2name(m, type, id);
  return name ? name : "";
}

bool below(const mjModel* m, int body, int ancestor) {
  while (body > ancestor) body = m->body_parentid[body];
  return body == ancestor;
}

Result<LabeledBodies> find_bodies(const mjModel* m, const std::string& file, HandLabels& labels,
                                  std::vector<std::string>& warnings) {
  guess_bodies(m, labels);
  LabeledBodies found;
  found.bodies.fill(-1);
  const auto& names = xr_joint_names();
  int count = 0;
  found.openxr_names = true;
  for (size_t joint = 0; joint < kXrJointCount; ++joint) {
    const std::string& label = labels.bodies[joint];
    const bool tip = names[joint].ends_with("-tip");
    if (label.empty() || tip) continue;
    const int body = mj_name2id(m, mjOBJ_BODY, label.c_str());
    if (body <= 0) {
      return Error{
          fmt::format("{}: no body named \"{}\" (wanted for {})", file, label, names[joint])};
    }
    found.bodies[joint] = body;
    found.openxr_names = found.openxr_names && label == names[joint];
    count += joint > 0 ? 1 : 0;
  }
  if (count == 0) {
    return Error{file + ": no body looks like a finger's; name them in the hand's labels"};
  }
  if (found.bodies[0] < 0) found.bodies[0] = common_root(m, found);
  if (found.bodies[0] <= 0) {
    return Error{file + ": the fingers have no body in common; name the wrist in the labels"};
  }
  labels.bodies[0] = name_of(m, mjOBJ_BODY, found.bodies[0]);
  found.openxr_names = found.openxr_names && labels.bodies[0] == names[0];
  for (size_t joint = 1; joint < kXrJointCount; ++joint) {
    int& body = found.bodies[joint];
    if (body >= 0 && (body == found.bodies[0] || !below(m, body, found.bodies[0]))) {
      warnings.push_back(fmt::format("body \"{}\" ({}) is not below the wrist and is left out",
                                     labels.bodies[joint], names[joint]));
      body = -1;
    }
  }
  for (size_t d = 0; d < kDigitCount; ++d) {
    const int tip = xr_tip_of(kDigits[d]);
    const int distal = found.bodies[static_cast<size_t>(xr_joint_parent(tip))];
    found.tips[d] = tip_point(m, labels.bodies[static_cast<size_t>(tip)], distal);
  }
  return found;
}

}  // namespace prehend::physics
