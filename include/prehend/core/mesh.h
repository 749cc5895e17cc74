// A triangle mesh as plain data; geometry/ has what is done with one.
#pragma once

#include <array>
#include <vector>

#include "prehend/core/math.h"

namespace prehend {

struct TriangleMesh {
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> faces;  // counter-clockwise seen from outside

  bool empty() const { return faces.empty(); }
};

}  // namespace prehend
