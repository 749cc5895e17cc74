#include "prehend/jobs/margins.h"

#include <cmath>

#include <gtest/gtest.h>

namespace prehend::jobs {
namespace {

// A grasp whose limits are known: what friction times 40 N carries, shared by five digits of which
// the thumb and any two fingers must be there, with a wrist that may be 7 mm aside and 15 mm else.
bool known_grasp(const GraspConditions& c) {
  int fingers = 0;
  for (int d = 1; d < kDigitCount; ++d) fingers += !c.without[d];
  const Vec3 offset = c.wrist_offset;
  return !c.without[0] && fingers >= 2 && c.friction * 40.0 >= c.mass * 9.81 &&
         std::abs(offset.x()) <= 0.015 && std::abs(offset.y()) <= 0.015 && offset.z() <= 0.015 &&
         offset.z() >= -0.007 && c.delay <= 0.33;
}

const std::vector<Digit> kAll(kDigits.begin(), kDigits.end());

TEST(Margin, IsFoundWithinThePrecisionFromEitherSide) {
  const auto limit = [](double most) {
    return [most](double x) -> Result<bool> { return x <= most; };
  };
  for (const double most : {0.07, 0.9, 3.3, 11.0}) {
    const auto found = find_margin(mass_axis(0.5), limit(most));
    ASSERT_TRUE(found.ok());
    ASSERT_TRUE(found->holds && found->drops) << most;
    EXPECT_LE(*found->holds, most);
    EXPECT_GT(*found->drops, most);
    EXPECT_LE(*found->drops / *found->holds, 1.05 + 1e-9);
  }
}

TEST(Margin, AnEndThatIsReachedLeavesTheOtherSideEmpty) {
  const auto always = find_margin(mass_axis(0.5), [](double) -> Result<bool> { return true; });
  EXPECT_DOUBLE_EQ(always->holds.value(), 20.0);
  EXPECT_FALSE(always->drops);
  const auto never = find_margin(mass_axis(0.5), [](double) -> Result<bool> { return false; });
  EXPECT_FALSE(never->holds);
  EXPECT_DOUBLE_EQ(never->drops.value(), 0.001);
}

TEST(Margin, AnErrorOfTheSimulationIsPassedOn) {
  const auto failed = find_margin(mass_axis(0.5), [](double mass) -> Result<bool> {
    if (mass > 1.5) return Error{"came apart"};
    return true;
  });
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.message(), "came apart");
}

TEST(Margins, EachConditionIsMadeWorseByItself) {
  const GraspConditions made_for{.friction = 0.6, .mass = 0.5};
  int calls = 0;
  const auto found = find_margins(made_for, kAll, [&](const GraspConditions& c) -> Result<bool> {
    ++calls;
    const int worse = (c.friction != 0.6) + (c.mass != 0.5) + !c.wrist_offset.isZero() +
                      (c.delay != 0.0) + (c.without != made_for.without);
    EXPECT_LE(worse, 1);
    return known_grasp(c);
  });
  ASSERT_TRUE(found.ok());
  EXPECT_TRUE(found->held);
  EXPECT_EQ(found->simulations, calls);
  EXPECT_LT(calls, 80);
  const double least = 0.5 * 9.81 / 40.0, most = 0.6 * 40.0 / 9.81;
  EXPECT_NEAR(*found->friction.holds / least, 1.0, 0.05);
  EXPECT_NEAR(*found->mass.holds / most, 1.0, 0.05);
  EXPECT_NEAR(*found->offset.holds, 0.007, 0.001);
  EXPECT_TRUE(found->offset_direction.isApprox(-Vec3::UnitZ()));
  EXPECT_NEAR(*found->delay.drops, 0.33, 0.02);
  EXPECT_EQ(found->needed, std::vector{Digit::kThumb});
  EXPECT_EQ(found->spare.size(), 4U);
  EXPECT_EQ(found->spare_together, (std::vector{Digit::kLittle, Digit::kRing}));
  EXPECT_NE(margins_text(*found).find("drops below friction 0.12"), std::string::npos)
      << margins_text(*found);
}

TEST(Margins, OfWhatDropsSayWhatWouldHold) {
  const auto found =
      find_margins({.friction = 0.1, .mass = 0.5}, kAll,
                   [](const GraspConditions& c) -> Result<bool> { return known_grasp(c); });
  ASSERT_TRUE(found.ok());
  EXPECT_FALSE(found->held);
  EXPECT_NEAR(*found->mass.holds, 0.1 * 40.0 / 9.81, 0.025);
  EXPECT_NEAR(*found->friction.holds, 0.5 * 9.81 / 40.0, 0.01);
  EXPECT_TRUE(found->spare.empty() && found->needed.empty());
}

TEST(Margins, AStopKeepsWhatWasSeen) {
  std::stop_source source;
  Monitor monitor;
  monitor.stop = source.get_token();
  int calls = 0;
  const auto found = find_margins(
      {.friction = 0.6, .mass = 0.5}, kAll,
      [&](const GraspConditions& c) -> Result<bool> {
        if (++calls == 5) source.request_stop();
        return known_grasp(c);
      },
      monitor);
  ASSERT_TRUE(found.ok());
  EXPECT_TRUE(found->interrupted);
  EXPECT_EQ(calls, 5);
  EXPECT_TRUE(found->friction.holds.has_value());
}

}  // namespace
}  // namespace prehend::jobs
