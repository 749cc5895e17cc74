#include "jobs/simulate_margins.h"

#include <gtest/gtest.h>

namespace prehend::jobs {
namespace {

// The shipped grasp of a cylinder holds as it is, and drops when any one condition is hopeless.
TEST(SimulateMargins, EachConditionReachesTheSimulation) {
  SimulateJob job;
  job.scene = "scenes/control/grasp.toml";
  job.present = "search";
  job.turn = "none";
  const auto setup = simulate_setup(job, {});
  ASSERT_TRUE(setup.ok()) << setup.message();
  const auto held = [&](const GraspConditions& conditions) {
    return holds_under(*setup, setup->options.grip, conditions, {}).value();
  };
  const GraspConditions as_it_is = conditions_of(*setup);
  EXPECT_TRUE(held(as_it_is));
  GraspConditions worse = as_it_is;
  worse.friction = 0.01;
  EXPECT_FALSE(held(worse));
  worse = as_it_is;
  worse.mass = 100.0;
  EXPECT_FALSE(held(worse));
  worse = as_it_is;
  worse.wrist_offset = Vec3(0.0, 0.2, 0.0);  // the palm stays 20 cm away
  EXPECT_FALSE(held(worse));
  worse = as_it_is;
  worse.delay = 5.0;
  EXPECT_FALSE(held(worse));
  worse = as_it_is;
  worse.without = {true, true, true, true, true};
  EXPECT_FALSE(held(worse));
}

}  // namespace
}  // namespace prehend::jobs
