// Two independent routes: the engine's contact forces against what the auditor differentiates out
// of the poses that they made.
#include <gtest/gtest.h>

#include "prehend/audit/audit.h"
#include "prehend/core/hand_builder.h"
#include "prehend/hands/sample_grip.h"

namespace prehend::audit {
namespace {

TEST(SimulatedGrip, ItsForcesExplainItsMotion) {
  const auto hand = std::make_shared<const Hand>(build_hand().value());
  const Clip clip = hands::sample_grip(hand).value();
  const AuditReport report = audit(clip).value();
  EXPECT_EQ(report.verdict, Verdict::kPass) << (report.reasons.empty() ? "" : report.reasons[0]);
  EXPECT_EQ(report.explained_fraction, 1.0);
  EXPECT_LT(report.max_penetration_m, 0.0005);
  // Held: the cylinder ends lifted by as much as the hand.
  EXPECT_NEAR(clip.objects[0].poses_world.back().position.y(), 0.075 + 0.15, 0.02);

  AuditOptions options;
  options.use_recorded_forces = false;
  EXPECT_GT(audit(clip, options).value().explained_fraction, 0.9);
}

TEST(SimulatedGrip, TakingForcesAwayIsNoticed) {
  const auto hand = std::make_shared<const Hand>(build_hand().value());
  Clip clip = hands::sample_grip(hand).value();
  for (auto& contacts : clip.contacts) {
    std::erase_if(contacts, [](const Contact& c) { return c.by.is_hand(); });
  }
  EXPECT_LT(audit(clip).value().explained_fraction, 0.5);
}

}  // namespace
}  // namespace prehend::audit
