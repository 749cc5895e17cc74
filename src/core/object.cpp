#include "prehend/core/object.h"

#include <algorithm>
#include <cmath>

namespace prehend {

Object with_mass(Object object, double mass) {
  object.inertia *= mass / object.mass;
  object.mass = mass;
  return object;
}

double lever(const Object& object) {
  constexpr double kLeast = 1e-3;  // m
  return std::sqrt(std::max(0.5 * object.inertia.trace() / object.mass, kLeast * kLeast));
}

}  // namespace prehend
