// Where a recording grasps: the hand touches, and its palm comes near, stays and goes.
#include <algorithm>
#include <cmath>

#include "prehend/methods/example_control/grasp_spans.h"

namespace prehend::example_control {
namespace {

constexpr double kTouchDistance = 0.005;  // m: markers and meshes are no better
constexpr double kNearest = 0.008;        // m beyond the nearest of all, where capture leaves gaps
constexpr double kPause = 0.15;           // s without touch that do not end a grasp
constexpr double kShortest = 0.2;         // s that are one
constexpr double kLongestWay = 2.5;       // s of coming or going that are looked at
constexpr double kFarEnough = 0.05;       // m that the palm comes and goes

constexpr double kBeside = 0.05;  // m: farther, a hand has to do with nothing
constexpr double kMoves = 0.05;   // m/s

constexpr double kAroundLeaving = 0.2;   // s before and after, where the digits open the fastest
constexpr double kLongestOpening = 0.5;  // s from its beginning to leaving
constexpr double kSlow = 0.2;            // of the fastest: no more than holding still
constexpr double kLeastSpeed = 0.5;      // rad/s of all joints together that are an opening

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

using Runs = std::vector<std::pair<int, int>>;  // first and last frame

Runs lasting(Runs runs, double frame_rate) {
  std::erase_if(runs,
                [&](const auto& run) { return run.second - run.first < kShortest * frame_rate; });
  return runs;
}

Runs touches(const std::vector<double>& touch, double frame_rate) {
  const double nearest = *std::min_element(touch.begin(), touch.end());
  const double most = std::max(kTouchDistance, nearest + kNearest);
  Runs runs;
  for (int f = 0; f < static_cast<int>(touch.size()); ++f) {
    if (touch[f] > most) continue;
    if (!runs.empty() && f - runs.back().second <= kPause * frame_rate) {
      runs.back().second = f;
    } else {
      runs.emplace_back(f, f);
    }
  }
  return lasting(std::move(runs), frame_rate);
}

// Capture may leave a finger's width between a hand and what it carries: where nothing is touched
// for long, what moves beside the hand is held by it, from its first move to its last.
Runs carries(const std::vector<double>& touch, const std::vector<double>& target_speed,
             double frame_rate) {
  Runs runs;
  bool beside = false;
  for (int f = 0; f < static_cast<int>(target_speed.size()); ++f) {
    beside = beside && touch[f] < kBeside;
    if (touch[f] >= kBeside || target_speed[f] < kMoves) continue;
    if (!beside) runs.emplace_back(f, f);
    runs.back().second = f;
    beside = true;
  }
  return lasting(std::move(runs), frame_rate);
}

}  // namespace

std::vector<GraspSpan> find_grasp_spans(const std::vector<double>& palm,
                                        const std::vector<double>& touch, double frame_rate,
                                        double contact_tolerance,
                                        const std::vector<double>& target_speed) {
  std::vector<GraspSpan> spans;
  if (touch.empty() || *std::min_element(touch.begin(), touch.end()) > kBeside) return spans;
  Runs runs = touches(touch, frame_rate);
  if (runs.empty()) runs = carries(touch, target_speed, frame_rate);
  const int way = static_cast<int>(kLongestWay * frame_rate);
  for (size_t i = 0; i < runs.size(); ++i) {
    const auto [first, last] = runs[i];
    GraspSpan span;
    // How near the palm is while it holds; it may come and go a little before and after.
    span.level = median({palm.begin() + first, palm.begin() + last + 1}) + contact_tolerance;
    span.grip = first;
    while (span.grip < last && palm[span.grip] > span.level) ++span.grip;
    span.release = last;
    while (span.release > span.grip && palm[span.release] > span.level) --span.release;
    ++span.release;
    const int from = std::max({0, span.grip - way, i > 0 ? runs[i - 1].second : 0});
    const int frames = static_cast<int>(palm.size());
    const int to = std::min(
        {frames - 1, span.release + way, i + 1 < runs.size() ? runs[i + 1].first : frames - 1});
    // The last moment on which the palm is farthest before, the first after.
    span.first = span.grip;
    for (int f = span.grip; f >= from; --f)
      if (palm[f] > palm[span.first]) span.first = f;
    span.last = std::min(span.release, frames - 1);
    for (int f = span.last; f <= to; ++f)
      if (palm[f] > palm[span.last]) span.last = f;
    span.comes = palm[span.first] - span.level > kFarEnough;
    span.goes = palm[span.last] - span.level > kFarEnough;
    span.carry = span.grip;
    span.settled = span.release;
    spans.push_back(span);
  }
  return spans;
}

int opening_begins(const Eigen::MatrixXd& speeds, const GraspSpan& span, double frame_rate) {
  const int first = span.grip + 1;
  const int leaves = std::min(span.release, static_cast<int>(speeds.rows()) - 1);
  const int around = static_cast<int>(kAroundLeaving * frame_rate);
  const int until = std::min(static_cast<int>(speeds.rows()) - 1, leaves + around);
  int fastest = leaves;
  for (int f = std::max(first, leaves - around); f <= until; ++f)
    if (speeds.row(f).squaredNorm() > speeds.row(fastest).squaredNorm()) fastest = f;
  const Eigen::RowVectorXd opening = speeds.row(fastest);
  if (opening.norm() < kLeastSpeed) return span.release;
  const int from = std::max(first, leaves - static_cast<int>(kLongestOpening * frame_rate));
  int begins = fastest;
  while (begins > from && speeds.row(begins).dot(opening) > kSlow * opening.squaredNorm()) --begins;
  return std::min(begins, span.release);
}

}  // namespace prehend::example_control
