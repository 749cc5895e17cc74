// Figures of the documentation that must not get worse, as the command gives them.
#include <gtest/gtest.h>

#include "tests/cli/command.h"

namespace prehend::cli {
namespace {

class Figures : public Command {};
class LongFigures : public Command {};  // run apart: takes a minute

TEST_F(Figures, FourOfFiveProposedGraspsHold) {
  constexpr double kLeast = 0.8;
  for (const char* object : {"mug", "hammer"}) {
    ASSERT_EQ(call({"grasp", object, "--count", "10", "--json", "--quiet"}), kExitDone) << err;
    const io::Value report = io::parse_json(out, "report").value();
    const double proposed = *report.find("proposed")->number();
    EXPECT_GE(proposed, 10.0) << object;
    EXPECT_GE(*report.find("held")->number() / proposed, kLeast) << object;
  }
}

// One example serves all of them: reached for, lifted, shaken, set down.
TEST_F(LongFigures, EightOfTheTenObjectsAreHeld) {
  constexpr int kLeast = 8;
  int held = 0;
  std::string lost;
  for (const char* object :
       {"cylinder", "box", "sphere", "mug", "bottle", "book", "hammer", "bunny", "bulb", "wedge"}) {
    const int code =
        call({"simulate", "scenes/control/grasp.toml", "--object", object, "--json", "--quiet"});
    const auto report = io::parse_json(out, "report");
    ASSERT_TRUE(report.ok()) << object << ": " << err;
    const bool holds = *report->find("held")->boolean();
    EXPECT_EQ(code, holds ? kExitDone : kExitMissed) << object;
    held += holds;
    if (!holds) lost += std::string(" ") + object;
  }
  EXPECT_GE(held, kLeast) << "lost:" << lost;
}

}  // namespace
}  // namespace prehend::cli
