#include "prehend/methods/example_control/blend.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prehend::example_control {
namespace {

constexpr Distances kDistances = {0.05, 0.3};

Blend weights(double b0, double b1, double b2, double b3, double b4, double b5) {
  Blend b;
  b << b0, b1, b2, b3, b4, b5;
  return b;
}

void expect_near(const Blend& a, const Blend& b) {
  EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-12) << a.transpose() << " and " << b.transpose();
}

TEST(Blend, IsFigureThreesInEveryState) {
  // Half way between D1 and D2, and a quarter of D1 still to go.
  const double between = 0.175, close = 0.0125;
  expect_near(blend(Phase::kNeutral, between, kDistances), weights(1, 0, 0, 0, 0, 0));
  expect_near(blend(Phase::kOpening, between, kDistances), weights(0.5, 0.5, 0, 0, 0, 0));
  expect_near(blend(Phase::kClosing, close, kDistances), weights(0, 0.25, 0.75, 0, 0, 0));
  expect_near(blend(Phase::kGripping, close, kDistances), weights(0, 0, 1, 0, 0, 0));
  expect_near(blend(Phase::kReleasing, close, kDistances), weights(0, 0, 0, 1, 0, 0));
  expect_near(blend(Phase::kOpeningAgain, close, kDistances), weights(0, 0, 0, 0.75, 0.25, 0));
  expect_near(blend(Phase::kRelaxing, between, kDistances), weights(0, 0, 0, 0, 0.5, 0.5));
  expect_near(blend(Phase::kNeutralAgain, between, kDistances), weights(0, 0, 0, 0, 0, 1));
}

TEST(Blend, GripStrengthClosesBeyondTheGrip) {
  expect_near(blend(Phase::kGripping, 0.0, kDistances, {.alpha = 0.4}),
              weights(0, -0.4, 1.4, 0, 0, 0));
  // and changes nothing elsewhere
  expect_near(blend(Phase::kClosing, 0.025, kDistances, {.alpha = 0.4}),
              weights(0, 0.5, 0.5, 0, 0, 0));
}

TEST(Blend, TheHandMayStayOpenWhileClosing) {
  const BlendOptions open{.open_while_closing = true};
  expect_near(blend(Phase::kClosing, 0.001, kDistances, open), weights(0, 1, 0, 0, 0, 0));
  expect_near(blend(Phase::kOpeningAgain, 0.025, kDistances, open), weights(0, 0, 0, 0.5, 0.5, 0));
}

TEST(Blend, SumsToOneAndStaysWithinBoundsAtEveryDistance) {
  for (int phase = 0; phase < kPhaseCount; ++phase) {
    for (double distance = -0.1; distance < 0.5; distance += 0.003) {
      for (double alpha : {0.0, 0.5}) {
        const Blend b = blend(static_cast<Phase>(phase), distance, kDistances, {.alpha = alpha});
        EXPECT_NEAR(b.sum(), 1.0, 1e-12);
        EXPECT_GE(b.minCoeff(), -alpha);
        EXPECT_LE(b.maxCoeff(), 1.0 + alpha);
      }
    }
  }
}

TEST(Blend, IsContinuousWhereDistancesChangeTheState) {
  const auto [near, far] = kDistances;
  const std::array<std::tuple<Phase, Phase, double>, 6> borders = {{
      {Phase::kNeutral, Phase::kOpening, far},
      {Phase::kOpening, Phase::kClosing, near},
      {Phase::kClosing, Phase::kGripping, 0.0},
      {Phase::kReleasing, Phase::kOpeningAgain, 0.0},
      {Phase::kOpeningAgain, Phase::kRelaxing, near},
      {Phase::kRelaxing, Phase::kNeutralAgain, far},
  }};
  for (const auto& [from, to, at] : borders) {
    expect_near(blend(from, at, kDistances), blend(to, at, kDistances));
  }
}

// The states that a walk over distances enters, the first included.
std::vector<Phase> walk(PhaseMachine& machine, double from, double to, double step = 0.001) {
  std::vector<Phase> entered = {machine.phase()};
  const int count = static_cast<int>(std::ceil(std::abs(to - from) / step));
  for (int i = 0; i <= count; ++i) {
    const Phase phase = machine.advance(from + (to - from) * i / count, 0.01);
    if (phase != entered.back()) entered.push_back(phase);
  }
  return entered;
}

using Phases = std::vector<Phase>;
const Phases kWayIn = {Phase::kNeutral, Phase::kOpening, Phase::kClosing, Phase::kGripping};
const Phases kWayOut = {Phase::kReleasing, Phase::kOpeningAgain, Phase::kRelaxing,
                        Phase::kNeutralAgain};

TEST(PhaseMachine, PassesThroughTheEightStatesInOrder) {
  PhaseMachine machine(kDistances);
  EXPECT_EQ(walk(machine, 0.5, 0.0), kWayIn);
  EXPECT_EQ(machine.advance(0.0, 0.01, {.release = true}), Phase::kReleasing);
  EXPECT_EQ(walk(machine, 0.0, 0.5), kWayOut);
}

TEST(PhaseMachine, GraspsAgainOnceTheHandHasBeenAway) {
  PhaseMachine machine(kDistances);
  machine.set(Phase::kNeutralAgain);
  EXPECT_EQ(walk(machine, 0.5, 0.0),
            (Phases{Phase::kNeutralAgain, Phase::kOpening, Phase::kClosing, Phase::kGripping}));
}

TEST(PhaseMachine, DoesNotGripAgainByItselfAfterARelease) {
  PhaseMachine machine(kDistances);
  machine.set(Phase::kGripping);
  machine.advance(0.0, 0.01, {.release = true});
  walk(machine, 0.0, 0.2);
  EXPECT_EQ(walk(machine, 0.2, 0.0), Phases{Phase::kRelaxing});
  for (int i = 0; i < 100; ++i) EXPECT_NE(machine.advance(0.0, 0.01), Phase::kGripping);
}

TEST(PhaseMachine, ACueGripsFromEveryState) {
  for (int phase = 0; phase < kPhaseCount; ++phase) {
    PhaseMachine machine(kDistances);
    machine.set(static_cast<Phase>(phase));
    EXPECT_EQ(machine.advance(0.1, 0.01, {.grip = true}), Phase::kGripping);
  }
}

TEST(PhaseMachine, AReleaseCueOutsideTheGripDoesNothing) {
  PhaseMachine machine(kDistances);
  machine.set(Phase::kClosing);
  EXPECT_EQ(machine.advance(0.03, 0.01, {.release = true}), Phase::kClosing);
}

TEST(PhaseMachine, HoldsUntilItsReleaseWhateverTheDistance) {
  PhaseMachine machine(kDistances);
  machine.set(Phase::kGripping);
  EXPECT_EQ(walk(machine, 0.0, 1.0), Phases{Phase::kGripping});
}

TEST(PhaseMachine, LetsGoAfterItsTime) {
  PhaseMachine machine(kDistances, {.by = Release::By::kTime, .seconds = 0.495});
  machine.set(Phase::kGripping);
  for (int i = 0; i < 49; ++i) EXPECT_EQ(machine.advance(0.0, 0.01), Phase::kGripping);
  EXPECT_EQ(machine.advance(0.0, 0.01), Phase::kReleasing);
  EXPECT_EQ(machine.seconds(), 0.0);
}

TEST(PhaseMachine, LetsGoAtItsDistanceButOnlyOnTheWayOut) {
  PhaseMachine machine(kDistances, {.by = Release::By::kDistance, .meters = 0.02});
  machine.advance(0.1, 0.01, {.grip = true});
  EXPECT_EQ(walk(machine, 0.1, 0.0), Phases{Phase::kGripping});
  EXPECT_EQ(machine.advance(0.019, 0.01), Phase::kGripping);
  EXPECT_EQ(machine.advance(0.021, 0.01), Phase::kOpeningAgain);
}

TEST(PhaseMachine, AHandThatTurnsAroundGoesBackByTheStatesItCameBy) {
  PhaseMachine machine(kDistances);
  walk(machine, 0.5, 0.02);
  ASSERT_EQ(machine.phase(), Phase::kClosing);
  EXPECT_EQ(walk(machine, 0.02, 0.5), (Phases{Phase::kClosing, Phase::kOpening, Phase::kNeutral}));
}

TEST(PhaseMachine, DoesNotFlickerWhereAHandHesitates) {
  for (double border : {kDistances.near, kDistances.far}) {
    for (Phase from : {Phase::kNeutral, Phase::kOpening, Phase::kOpeningAgain, Phase::kRelaxing}) {
      PhaseMachine machine(kDistances);
      machine.set(from);
      machine.advance(border, 0.01);
      int changes = 0;
      Phase last = machine.phase();
      for (int i = 0; i < 100; ++i) {
        const Phase phase = machine.advance(border + (i % 2 ? 0.002 : -0.002), 0.01);
        changes += phase != last;
        last = phase;
      }
      EXPECT_LE(changes, 1) << to_string(from) << " at " << border;
    }
  }
}

TEST(PhaseMachine, ALeapOfTheDistancePassesThroughTheStatesBetween) {
  PhaseMachine machine(kDistances);
  EXPECT_EQ(machine.advance(0.0, 0.01), Phase::kGripping);
  EXPECT_EQ(machine.advance(0.6, 0.01, {.release = true}), Phase::kNeutralAgain);
}

}  // namespace
}  // namespace prehend::example_control
