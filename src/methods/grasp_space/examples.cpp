// The built-in recordings: what a person with a finger tracker would deliver, made by a model of
// the performer. A reach opens the hand wider than the thing, closes it, holds, lets go and
// relaxes; every stretch has the minimum-jerk profile of human movement (s = 10 t^3 - 15 t^4 + 6
// t^5).
#include "prehend/methods/grasp_space/examples.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/parallel_for.h>

#include "prehend/hands/closed_hand.h"

namespace prehend::grasp_space {

namespace {

using hands::ClosedHand;
using hands::GraspKind;
using hands::Performer;

constexpr double kWidest = 0.7;   // of the reach: when the hand is open the widest
constexpr double kArrival = 0.9;  // of the reach: when the wrist has come
constexpr double kHold = 0.8;     // seconds
// While it holds, the hand settles its grip: digits loosen by up to this much of the way to wide.
constexpr double kLoosen = 0.22;
constexpr int kSettlings = 2;
constexpr double kReachDistance = 0.16;  // meters
constexpr double kOutOfStep = 0.03;      // of the reach: how far digits run ahead or behind
constexpr double kNoise = radians(0.1);  // of the tracker, at each joint

// One performance: three shapes and the times at which the hand goes from one to the next.
class Performance {
 public:
  Performance(const Performer& performer, ClosedHand closed, Random& random)
      : performer_(performer), grasp_(std::move(closed)), random_(random) {
    relaxed_ = hands::relaxed_hand(performer, random);
    reach_ = random.uniform(0.85, 1.15);
    release_ = random.uniform(0.65, 0.9);
    for (double& lag : lags_) lag = kOutOfStep * reach_ * random.uniform(-1.0, 1.0);
    for (double& part : loosening_) part = kLoosen * random.uniform(0.4, 1.0);
  }

  Clip clip(const std::string& name, double frame_rate) {
    Clip made;
    made.name = name;
    made.frame_rate = frame_rate;
    made.hands.push_back({performer_.hand(), {}});
    made.objects.push_back({grasp_.thing.object, {}});
    const Transform world{grasp_.world_from_wrist, {0.0, 0.3, 0.0}};
    const int frames = 1 + static_cast<int>((reach_ + kHold + release_) * frame_rate);
    for (int f = 0; f < frames; ++f) {
      const double time = f / frame_rate;
      const Vec3 away = kReachDistance * distance(time) * grasp_.approach_wrist.normalized();
      const Transform root_world = world * Transform::from_position(away);
      made.hands[0].poses.push_back(
          pose_from_coordinates(*performer_.hand(), root_world, coordinates(time)));
      made.objects[0].poses_world.push_back(world * grasp_.thing.place_wrist);
    }
    return made;
  }

 private:
  // Of the wrist from where it holds the thing, 0 to 1.
  double distance(double time) const {
    const double left =
        minimum_jerk((time - reach_ - kHold - (1.0 - kArrival) * release_) / (kArrival * release_));
    return 1.0 - minimum_jerk(time / (kArrival * reach_)) + left;
  }

  Eigen::VectorXd coordinates(double time) {
    Eigen::VectorXd q(relaxed_.size());
    for (int c = 0; c < q.size(); ++c) {
      const Digit digit = performer_.digit_of(c);
      const double t = time - lags_[int(digit)];
      // From shape to shape, as far as each stretch has come.
      const double open = minimum_jerk(t / (kWidest * reach_));
      const double shut = minimum_jerk((t / reach_ - kWidest) / (1.0 - kWidest));
      const double after = (t - reach_ - kHold) / release_;
      const double held = std::clamp((t - reach_) / kHold, 0.0, 1.0);
      const double loose =
          0.5 * loosening_[int(digit)] * (1.0 - std::cos(2.0 * kPi * kSettlings * held));
      const double let_go = minimum_jerk(after / kWidest);
      const double relax = minimum_jerk((after - 0.5) / 0.5);
      q[c] = relaxed_[c] + (grasp_.wide[c] - relaxed_[c]) * open +
             (grasp_.closed[c] - grasp_.wide[c]) * (shut - let_go - loose) +
             (relaxed_[c] - grasp_.wide[c]) * relax + noise(c);
    }
    return q.cwiseMax(performer_.limits().lower).cwiseMin(performer_.limits().upper);
  }

  // What the tracker does not see it does not shake: palms are rigid to it.
  double noise(int coordinate) {
    const double value = kNoise * random_.normal();
    return relaxed_[coordinate] == 0.0 && grasp_.closed[coordinate] == 0.0 ? 0.0 : value;
  }

  const Performer& performer_;
  ClosedHand grasp_;
  Random& random_;
  Eigen::VectorXd relaxed_;
  double reach_ = 1.0, release_ = 1.0;         // seconds
  std::array<double, kDigitCount> lags_;       // seconds
  std::array<double, kDigitCount> loosening_;  // of the way to wide
};

struct Take {
  GraspKind kind;
  double size = 0.0;
  int repetition = 0;
  std::uint64_t seed = 0;
};

// The seeds of neighbors must not be alike: steps of the golden ratio, stirred by the generator.
std::vector<Take> takes_of(GraspKind kind, const ExampleOptions& options) {
  std::vector<Take> takes;
  std::uint64_t number = std::uint64_t(kind) << 20;
  for (double size : hands::thing_sizes(kind)) {
    for (int repetition = 0; repetition < options.repetitions; ++repetition) {
      takes.push_back({kind, size, repetition, options.seed + 0x9e3779b97f4a7c15ULL * ++number});
    }
  }
  return takes;
}

}  // namespace

const std::vector<std::string>& model_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const GraspKind kind : hands::kGraspKinds) names.emplace_back(to_string(kind));
    names.push_back("general");
    return names;
  }();
  return kNames;
}

Result<std::optional<GraspKind>> kind_of_model(const std::string& name) {
  if (name == model_names().back()) return std::optional<GraspKind>();
  for (const GraspKind kind : hands::kGraspKinds)
    if (name == to_string(kind)) return std::optional(kind);
  return Error{fmt::format("no examples '{}'; there are {}", name, fmt::join(model_names(), ", "))};
}

std::vector<Clip> example_motions(std::optional<GraspKind> kind, const ExampleOptions& options,
                                  const Monitor& monitor) {
  std::vector<Take> takes;
  for (const GraspKind each : hands::kGraspKinds) {
    if (kind.value_or(each) != each) continue;
    for (Take& take : takes_of(each, options)) takes.push_back(std::move(take));
  }
  const Performer performer;
  std::vector<Clip> clips(takes.size());
  tbb::parallel_for(std::size_t(0), takes.size(), [&](std::size_t i) {
    if (monitor.stop.stop_requested()) return;
    const Take& take = takes[i];
    Random random(take.seed);
    ClosedHand closed = hands::close_hand(performer, take.kind, take.size, random);
    clips[i] = Performance(performer, std::move(closed), random)
                   .clip(fmt::format("{}-{:.0f}mm-{}", to_string(take.kind), 1e3 * take.size,
                                     take.repetition + 1),
                         options.frame_rate);
  });
  return clips;
}

}  // namespace prehend::grasp_space
