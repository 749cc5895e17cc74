// The tree of bodies in an MJCF file: what recordings of whole bodies are given against.
#pragma once

#include <string>
#include <vector>

#include "prehend/core/math.h"
#include "prehend/core/result.h"

namespace prehend::physics {

struct MjcfSkeleton {
  struct Hinge {
    std::string name;
    Vec3 axis = Vec3::UnitX();  // unit, in the body's frame
  };
  std::vector<std::string> names;
  std::vector<int> parents;            // -1 for a root; parents come before children
  std::vector<Transform> rest_parent;  // with every joint at zero; meters, the file's axes
  // Of each body, in the order in which they turn it: rest * R(axis_0, q_0) * R(axis_1, q_1) ...
  std::vector<std::vector<Hinge>> hinges;
  Vec3 up = Vec3::UnitZ();  // unit, against the file's gravity

  int find(const std::string& name) const;  // -1 if there is none
};

// One line of error names the file and what is wrong in it.
Result<MjcfSkeleton> load_mjcf_skeleton(const std::string& path);
Result<MjcfSkeleton> parse_mjcf_skeleton(const std::string& mjcf, const std::string& name);

}  // namespace prehend::physics
