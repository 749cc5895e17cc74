// Ye and Liu 2012: names of what a search finds, and the measure of figure 11.
#include "prehend/methods/contact_sampling/solution.h"

#include <algorithm>
#include <cmath>

namespace prehend::contact_sampling {

const char* to_string(Strategy strategy) {
  switch (strategy) {
    case Strategy::kFree:
      return "free";
    case Strategy::kStatic:
      return "static";
    case Strategy::kSliding:
      return "slide";
    case Strategy::kRolling:
      return "roll";
    case Strategy::kRelocating:
      return "relocate";
  }
  return "free";
}

const char* to_string(DeadEnd cause) {
  switch (cause) {
    case DeadEnd::kReach:
      return "reach";
    case DeadEnd::kCollision:
      return "collision";
    case DeadEnd::kForce:
      return "force";
  }
  return "force";
}

double index_spread(const std::vector<ExploredPoint>& explored) {
  int frames = 0;
  for (const ExploredPoint& point : explored) frames = std::max(frames, point.frame + 1);
  std::vector<Vec3> sums(frames, Vec3::Zero());
  std::vector<double> squares(frames, 0.0);
  std::vector<int> counts(frames, 0);
  for (const ExploredPoint& point : explored) {
    sums[point.frame] += point.point_wrist;
    squares[point.frame] += point.point_wrist.squaredNorm();
    ++counts[point.frame];
  }
  double total = 0.0;
  int seen = 0;
  for (int f = 0; f < frames; ++f) {
    if (counts[f] == 0) continue;
    const Vec3 mean = sums[f] / counts[f];
    total += std::max(0.0, squares[f] / counts[f] - mean.squaredNorm());
    ++seen;
  }
  return seen > 0 ? std::sqrt(total / seen) : 0.0;
}

}  // namespace prehend::contact_sampling
