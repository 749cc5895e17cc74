#include "prehend/methods/example_control/rehearse.h"

#include <gtest/gtest.h>

#include "prehend/geometry/builtin.h"
#include "tests/methods/example_control/test_controller.h"

namespace prehend::example_control {
namespace {

class Rehearse : public testing::Test {
 protected:
  Rehearse() {
    const auto object = std::make_shared<const Object>(*geometry::builtin_object("cylinder"));
    scene_ = grasp_scene(object, {}).run.simulation;
    found_ = find_placements(*geometry::prepare(object), *scene_.hands[0].hand,
                             *scene_.hands[0].controller, {}, 2)
                 .value();
    good_ = found_[0];
    beside_ = good_;
    beside_.grip_wrist_world.position += Vec3(0.0, 0.0, 0.2);
  }

  SimulationProblem scene_;
  std::vector<GraspPlacement> found_;
  GraspPlacement good_, beside_;
};

TEST_F(Rehearse, TakesThePlacementThatIsHeld) {
  std::vector<GraspPlacement> placements = {beside_, beside_};
  placements.insert(placements.end(), found_.begin(), found_.end());
  const Rehearsal found = rehearse(scene_, placements);
  EXPECT_GE(found.placement, 2);
  EXPECT_TRUE(found.held);
  EXPECT_LT(found.slip, 0.005);
}

TEST_F(Rehearse, NothingThatIsHeldIsToldApart) {
  const GraspPlacement placements[] = {beside_};
  const Rehearsal found = rehearse(scene_, placements);
  EXPECT_EQ(found.placement, 0);
  EXPECT_FALSE(found.held);
}

// The paper's grip holds nothing and alpha changes forces; neither changes how things stand.
TEST_F(Rehearse, TheScenesGripPlaysNoPart) {
  const GraspPlacement placements[] = {good_, beside_};
  const Rehearsal found = rehearse(scene_, placements);
  SimulationOptions options;
  options.grip = Grip::kPaper;
  options.terms.arm = false;
  scene_.hands[0].alpha = 0.5;
  const Rehearsal paper = rehearse(scene_, placements, options);
  EXPECT_EQ(found.placement, paper.placement);
  EXPECT_EQ(found.slip, paper.slip);
  EXPECT_EQ(found.badness, paper.badness);
}

}  // namespace
}  // namespace prehend::example_control
