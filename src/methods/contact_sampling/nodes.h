// Ye and Liu 2012, section 4.2, "General case": what the digits may do next, from the forces of the
// frame before.
#pragma once

#include "methods/contact_sampling/scene.h"
#include "methods/contact_sampling/state.h"
#include "prehend/core/random.h"

namespace prehend::contact_sampling {

// What a digit does during a window.
struct DigitChoice {
  Strategy strategy = Strategy::kStatic;
  Vec3 slide_object = Vec3::Zero();  // unit direction over the surface
  double speed = 0.0;                // m/s of a slide
  // A relocation: from where, to where, and over how many frames.
  Guide from, to;
  int frames = 0;
};
using HandChoice = std::array<DigitChoice, kDigitCount>;

struct Choice {
  std::vector<HandChoice> hands;  // those of the hold
  int window = 1;                 // frames for which it holds
};

// Why the choice before failed, for the next one (section 5, "Informed backtracking").
struct Failure {
  bool failed = false;
  DeadEnd cause = DeadEnd::kReach;
  int hand = 0;  // of the hold
  Digit digit = Digit::kNone;
  Digit other = Digit::kNone;
  int repeated = 0;  // how often this node failed
};

class NodeGenerator {
 public:
  // Backwards in time nothing slides: which way it would is known only after the force.
  NodeGenerator(const Scene& scene, const Hold& hold, bool backwards)
      : scene_(scene), hold_(hold), backwards_(backwards) {}

  // Section 4.2, with section 5's windows and preferences.
  Choice draw(const State& state, Random& random) const;
  // The same every frame and without preferences, as section 4 has it.
  Choice draw_plain(const State& state, Random& random) const;
  // All contacts stay where they are, and free digits free.
  void hold_on(const State& state, Choice& choice) const;
  // Changes what failed and keeps the rest.
  Choice mend(const State& state, const Choice& before, const Failure& failure,
              Random& random) const;

  // Sum of the distances of guiding points at a choice's end: how different two are (section 5).
  double difference(const State& state, const Choice& choice, const State& other) const;

 private:
  DigitChoice draw_digit(const State& state, int hand, int digit, bool plain, Random& random) const;
  DigitChoice relocate(const Guide& from, Random& random) const;
  DigitChoice land(const State& state, int hand, int digit, Random& random) const;

  const Scene& scene_;
  const Hold& hold_;
  bool backwards_;
};

}  // namespace prehend::contact_sampling
