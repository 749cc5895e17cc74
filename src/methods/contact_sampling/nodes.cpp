// Ye and Liu 2012, section 4.2, "General case", and section 5.
// Implements: rules 1 to 3 (static, sliding, relocating by the previous force), random windows,
//   strategy preference, informed changes for the three causes of failure, distance of choices.
// Departs:    a free digit may land on the object again (the paper waits for a new patch).
// Symbols:    f force on the object at a digit; m friction.
#include "methods/contact_sampling/nodes.h"

#include <algorithm>
#include <cmath>

#include "prehend/hands/digits.h"

namespace prehend::contact_sampling {
namespace {

// A force is on its cone if the tangential part uses so much of the friction.
constexpr double kOnCone = 0.95;
// A force smaller than this part of the weight is none.
constexpr double kNoForce = 0.01;
// Without a preference contacts stay static as often as this; people rarely slide.
constexpr double kMostlyStatic = 0.75;
constexpr double kSlowest = 0.005, kFastest = 0.025;   // m/s, of a slide
constexpr double kNearest = 0.006, kFarthest = 0.022;  // m, of a relocation
constexpr double kRelocateSeconds = 0.15;
// Free digits land this often in a window.
constexpr double kLanding = 0.15;
// A digit can land on what is this near to its pad, m.
constexpr double kLandingReach = 0.03;
// Draws of points for two digits that are to be kept apart.
constexpr int kApartDraws = 6;

struct DigitForce {
  bool touching = false, none = true, on_cone = false;
  Vec3 tangent_object = Vec3::Zero();
};

DigitForce force_of(const State& state, int hand, int digit, const Transform& object_world,
                    const Object& object) {
  DigitForce result;
  double strongest = kNoForce * object.mass * kStandardGravity;
  for (const TestContact& test : state.contacts) {
    if (test.contact.hand != hand || static_cast<int>(test.contact.digit) != digit) continue;
    result.touching = true;
    const Vec3 force = object_world.rotation.conjugate() * test.contact.force_world;
    const double normal = -force.dot(test.contact.normal_object);
    if (normal < strongest) continue;
    strongest = normal;
    result.none = false;
    const Vec3 tangent = force + normal * test.contact.normal_object;
    result.on_cone = tangent.norm() > kOnCone * object.friction * normal;
    result.tangent_object = tangent;
  }
  return result;
}

const StrategyPreference* preference_at(const SamplingOptions& options, double time) {
  const StrategyPreference* found = nullptr;
  for (const StrategyPreference& preference : options.preferences) {
    if (time >= preference.from && time <= preference.until) found = &preference;
  }
  return found;
}

}  // namespace

// A neighboring place on the surface that faces nearly the same way.
DigitChoice NodeGenerator::relocate(const Guide& from, Random& random) const {
  const auto& exact = *scene_.objects[hold_.object].prepared->exact();
  DigitChoice choice;
  choice.strategy = Strategy::kRelocating;
  choice.frames =
      std::max(3, static_cast<int>(std::lround(kRelocateSeconds * scene_.problem->frame_rate)));
  choice.from = choice.to = from;
  const Vec3 tangent = any_orthogonal(from.normal_object);
  const double angle = random.uniform(0.0, 2.0 * kPi);
  const Vec3 aside =
      std::cos(angle) * tangent + std::sin(angle) * from.normal_object.cross(tangent);
  const auto near = exact.closest(from.point_object + random.uniform(kNearest, kFarthest) * aside);
  choice.to.point_object = near.point;
  choice.to.normal_object = near.normal;
  choice.to.hover = 0.0;
  return choice;
}

// A free digit comes down on what lies in front of its pad.
DigitChoice NodeGenerator::land(const State& state, int hand, int digit, Random& random) const {
  const WorkingHand& working = scene_.hands[hold_.hands[hand]];
  const auto& exact = *scene_.objects[hold_.object].prepared->exact();
  DigitChoice choice;
  choice.strategy = Strategy::kFree;
  Guide from;
  const auto pad = hands::pad_of(*working.hand, kDigits[digit]);
  if (!pad) return choice;
  from.skin = *pad;
  const Guide& last = state.hands[hand].guides[digit];
  from.point_object = last.point_object;  // of the pad, kept up to date while it is free
  const auto near = exact.closest(from.point_object);
  if (near.distance > kLandingReach) return choice;
  from.point_object = near.point;
  from.normal_object = near.normal;
  from.hover = std::max(0.0, near.distance);
  from.active = true;
  choice = relocate(from, random);
  choice.from.hover = from.hover;
  return choice;
}

DigitChoice NodeGenerator::draw_digit(const State& state, int hand, int digit, bool plain,
                                      Random& random) const {
  const SceneObject& object = scene_.objects[hold_.object];
  const Guide& guide = state.hands[hand].guides[digit];
  DigitChoice choice;
  if (!guide.active) {
    choice.strategy = Strategy::kFree;
    if (!plain && random.uniform() < kLanding) return land(state, hand, digit, random);
    return choice;
  }
  const DigitForce force =
      force_of(state, hand, digit, object.poses_world[state.frame], object.object());
  std::array<Strategy, 3> allowed = {Strategy::kStatic};
  int count = 1;
  if (!backwards_ && force.on_cone && !force.none && force.tangent_object.norm() > 0.0)
    allowed[count++] = Strategy::kSliding;
  if (force.none) allowed[count++] = Strategy::kRelocating;
  Strategy strategy = allowed[random.below(count)];
  if (!plain) {
    const double time = state.frame * scene_.frame_time();
    const StrategyPreference* preference = preference_at(*scene_.options, time);
    const Strategy preferred = preference ? preference->strategy : Strategy::kStatic;
    const double strength = preference ? preference->strength : kMostlyStatic;
    const bool possible =
        std::find(allowed.begin(), allowed.begin() + count, preferred) != allowed.begin() + count;
    if (possible && random.uniform() < strength) strategy = preferred;
  }
  if (strategy == Strategy::kRelocating) return relocate(guide, random);
  choice.strategy = strategy;
  if (strategy == Strategy::kSliding) {
    choice.slide_object = force.tangent_object.normalized();
    choice.speed = random.uniform(kSlowest, kFastest);
  }
  return choice;
}

Choice NodeGenerator::draw(const State& state, Random& random) const {
  Choice choice;
  const int longest = std::max(1, static_cast<int>(std::lround(2.0 * scene_.options->window)) - 1);
  choice.window = 1 + random.below(longest);
  for (size_t h = 0; h < state.hands.size(); ++h) {
    HandChoice& hand = choice.hands.emplace_back();
    for (int d = 0; d < kDigitCount; ++d)
      hand[d] = draw_digit(state, static_cast<int>(h), d, false, random);
  }
  return choice;
}

Choice NodeGenerator::draw_plain(const State& state, Random& random) const {
  Choice choice;
  for (size_t h = 0; h < state.hands.size(); ++h) {
    HandChoice& hand = choice.hands.emplace_back();
    for (int d = 0; d < kDigitCount; ++d)
      hand[d] = draw_digit(state, static_cast<int>(h), d, true, random);
  }
  return choice;
}

void NodeGenerator::hold_on(const State& state, Choice& choice) const {
  for (size_t h = 0; h < choice.hands.size(); ++h) {
    for (int d = 0; d < kDigitCount; ++d) {
      choice.hands[h][d] = DigitChoice{};
      if (!state.hands[h].guides[d].active) choice.hands[h][d].strategy = Strategy::kFree;
    }
  }
}

Choice NodeGenerator::mend(const State& state, const Choice& before, const Failure& failure,
                           Random& random) const {
  Choice choice = before;
  const auto release = [&](int digit) {
    choice.hands[failure.hand][digit] = DigitChoice{};
    choice.hands[failure.hand][digit].strategy = Strategy::kFree;
  };
  const auto redraw = [&](int digit) {
    DigitChoice& own = choice.hands[failure.hand][digit];
    const Guide& guide = state.hands[failure.hand].guides[digit];
    if (guide.active && own.strategy != Strategy::kStatic) {
      own = DigitChoice{};  // what moved stays instead
    } else if (guide.active && failure.repeated % 2 == 1) {
      own = relocate(guide, random);
    } else {
      release(digit);
    }
  };
  if (failure.cause == DeadEnd::kForce) {
    // A new guiding point for every digit: all hold on, then free ones join as well.
    for (size_t h = 0; h < choice.hands.size(); ++h) {
      for (int d = 0; d < kDigitCount; ++d) {
        const bool active = state.hands[h].guides[d].active;
        choice.hands[h][d] = DigitChoice{};
        if (active) continue;
        choice.hands[h][d].strategy = Strategy::kFree;
        if (failure.repeated > 0) choice.hands[h][d] = land(state, static_cast<int>(h), d, random);
      }
    }
    return choice;
  }
  if (failure.digit == Digit::kNone) return choice;
  if (failure.other == Digit::kNone || failure.other == failure.digit) {
    redraw(static_cast<int>(failure.digit));
    return choice;
  }
  // Two digits in each other's way: the points that bring them farthest apart.
  const int a = static_cast<int>(failure.digit), b = static_cast<int>(failure.other);
  const Guide& guide_a = state.hands[failure.hand].guides[a];
  const Guide& guide_b = state.hands[failure.hand].guides[b];
  if (!guide_a.active || !guide_b.active) {
    redraw(guide_a.active ? a : b);
    return choice;
  }
  double farthest = -1.0;
  for (int draw = 0; draw < kApartDraws; ++draw) {
    const DigitChoice first = relocate(guide_a, random), second = relocate(guide_b, random);
    const double apart = (first.to.point_object - second.to.point_object).norm();
    if (apart <= farthest) continue;
    farthest = apart;
    choice.hands[failure.hand][a] = first;
    choice.hands[failure.hand][b] = second;
  }
  return choice;
}

double NodeGenerator::difference(const State& state, const Choice& choice,
                                 const State& other) const {
  double sum = 0.0;
  const double seconds = choice.window * scene_.frame_time();
  for (size_t h = 0; h < state.hands.size(); ++h) {
    for (int d = 0; d < kDigitCount; ++d) {
      const DigitChoice& digit = choice.hands[h][d];
      const Guide& guide = state.hands[h].guides[d];
      const Vec3 end = digit.strategy == Strategy::kRelocating
                           ? digit.to.point_object
                           : Vec3(guide.point_object + seconds * digit.speed * digit.slide_object);
      sum += (end - other.hands[h].guides[d].point_object).norm();
    }
  }
  return sum;
}

}  // namespace prehend::contact_sampling
