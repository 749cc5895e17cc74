// Section 3 of the paper: task, grip style and object are independent. Each of three tasks runs to
// its goals with each of three grips and each of three objects.
#include <functional>

#include <gtest/gtest.h>

#include "prehend/methods/manipulation/manipulation.h"
#include "tests/methods/manipulation/manipulation_fixture.h"

namespace prehend::manipulation {
namespace {

struct NamedObject {
  const char* name;
  ShapeKind kind;
  Vec3 size;    // as geometry::object_from_primitive takes it
  Vec3 half;    // m, of the box around it
  double mass;  // kg
};
const NamedObject kObjects[] = {
    {"box", ShapeKind::kBox, {0.03, 0.04, 0.03}, {0.03, 0.04, 0.03}, 0.3},
    {"block", ShapeKind::kBox, {0.035, 0.045, 0.026}, {0.035, 0.045, 0.026}, 0.2},
    {"cylinder", ShapeKind::kCylinder, {0.028, 0.045, 0.0}, {0.028, 0.045, 0.028}, 0.25},
};

struct NamedGrip {
  const char* name;
  const char* posture;
  std::vector<Digit> digits;
};
const NamedGrip kGrips[] = {
    {"five digits",
     "pinch",
     {Digit::kThumb, Digit::kIndex, Digit::kMiddle, Digit::kRing, Digit::kLittle}},
    {"four digits", "pinch", {Digit::kThumb, Digit::kIndex, Digit::kMiddle, Digit::kRing}},
    {"three digits", "wrap", {Digit::kThumb, Digit::kIndex, Digit::kMiddle}},
};

Goal goal_of(const char* name, GoalKind kind, double time) {
  Goal goal;
  goal.name = name;
  goal.kind = kind;
  goal.time = time;
  return goal;
}

struct NamedTask {
  const char* name;
  std::function<std::vector<Goal>(double rests)> goals;  // m, of the center of a thing that rests
};
const NamedTask kTasks[] = {
    {"lift",
     [](double rests) {
       Goal up = goal_of("height", GoalKind::kPosition, 0.8);
       up.target = Vec3(0.0, rests + 0.08, 0.0);
       up.weights = Vec3(0.0, 10.0, 0.0);
       return std::vector<Goal>{up};
     }},
    {"carry",
     [](double rests) {
       Goal there = goal_of("place", GoalKind::kPosition, 0.8);
       there.target = Vec3(0.05, rests + 0.07, 0.03);
       Goal upright = goal_of("upright", GoalKind::kDirection, 0.8);
       upright.point_object = upright.target = Vec3::UnitY();
       upright.tolerance = radians(3.0);
       return std::vector<Goal>{there, upright};
     }},
    {"turn",
     [](double rests) {
       Goal up = goal_of("place", GoalKind::kPosition, 0.8);
       up.target = Vec3(0.0, rests + 0.07, 0.0);
       Goal turned = goal_of("turned", GoalKind::kRotation, 0.8);
       turned.rotation = exp_map(Vec3(0.0, 0.25, 0.0));
       turned.tolerance = radians(3.0);
       return std::vector<Goal>{up, turned};
     }},
};

// Where a digit is meant on the object: the thumb before it, fingers side by side behind.
Vec3 place_of(size_t index, const NamedGrip& grip, const NamedObject& object) {
  if (grip.digits[index] == Digit::kThumb) return {0.0, 0.01, object.half.z()};
  const double aside = double(index) - 0.5 * double(grip.digits.size());
  const double x = std::clamp(0.018 * aside, -object.half.x(), object.half.x());
  return {x, 0.01, -object.half.z()};
}

Problem combination(const NamedTask& task, const NamedGrip& grip, const NamedObject& object) {
  Problem problem = box_problem();
  problem.things[0] =
      thing_of(*geometry::object_from_primitive(object.name, object.kind, object.size, object.mass),
               {0.0, object.half.y(), 0.0});
  GripStyle& style = problem.grips[0];
  style.preferred = arm_posture(grip.posture);
  style.handles.clear();
  style.handle_names.clear();
  style.places_object.clear();
  for (size_t i = 0; i < grip.digits.size(); ++i) {
    style.handles.push_back(*hands::pad_of(*arm_hand(), grip.digits[i]));
    style.handle_names.push_back(to_string(grip.digits[i]));
    style.places_object.push_back(place_of(i, grip, object));
  }
  problem.goals = task.goals(object.half.y());
  problem.seconds = 1.0;
  return problem;
}

class Combination : public ::testing::TestWithParam<std::tuple<int, int, int>> {};

TEST_P(Combination, RunsToItsGoals) {
  const auto& [t, g, o] = GetParam();
  SCOPED_TRACE(std::string(kTasks[t].name) + ", " + kGrips[g].name + ", " + kObjects[o].name);
  const auto report = run(combination(kTasks[t], kGrips[g], kObjects[o]));
  ASSERT_TRUE(report) << report.message();
  EXPECT_EQ(report->summary.termination, Termination::kConverged) << report->summary.message;
  ASSERT_FALSE(report->goals.empty());
  for (const GoalOutcome& goal : report->goals)
    EXPECT_TRUE(goal.met) << goal.name << ": " << goal.error;
  EXPECT_LT(report->step_residual, 1e-6);
  EXPECT_LT(report->cone_excess, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(TaskGripObject, Combination,
                         ::testing::Combine(::testing::Range(0, 3), ::testing::Range(0, 3),
                                            ::testing::Range(0, 3)));

}  // namespace
}  // namespace prehend::manipulation
