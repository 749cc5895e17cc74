// A right arm, a table and a thing on it that it can grip from above.
#pragma once

#include "prehend/core/hand_builder.h"
#include "prehend/geometry/primitive.h"
#include "prehend/hands/palm.h"
#include "prehend/hands/posture.h"
#include "prehend/methods/manipulation/task.h"

namespace prehend::manipulation {

inline HandPtr arm_hand() {
  static const HandPtr kHand = [] {
    HandOptions options;
    options.profile = HandProfile::kArm;
    return std::make_shared<const Hand>(*build_hand(options));
  }();
  return kHand;
}

inline Eigen::VectorXd arm_posture(const std::string& name) {
  const Hand bare = *build_hand();
  const HandPose pose = retarget(bare, hands::make_posture(bare, name)->pose, *arm_hand());
  Eigen::VectorXd q = coordinates(*arm_hand(), pose);
  const std::vector<int> offsets = coordinate_offsets(*arm_hand());
  q.head(offsets[arm_hand()->wrist() + 1]).setZero();
  q[offsets[arm_hand()->find("upper-arm")]] = radians(-55.0);
  q[offsets[arm_hand()->find("forearm")]] = radians(105.0);
  q[offsets[arm_hand()->find("wrist")]] = radians(20.0);
  return q;
}

inline Thing thing_of(Object object, const Vec3& position) {
  Thing thing;
  thing.object = geometry::prepare(std::make_shared<const Object>(std::move(object)));
  thing.pose_world = Transform::from_position(position);
  return thing;
}

// A box of 60 x 80 x 60 mm, 0.3 kg, that stands on a table at height 0.
inline Problem box_problem(double lift = 0.15) {
  Problem problem;
  Arm arm;
  arm.hand = arm_hand();
  arm.shoulder_world = Transform::from_position({0.18, 0.42, 0.50});
  arm.start = arm_posture("rest");
  problem.arms.push_back(arm);
  problem.things.push_back(
      thing_of(*geometry::object_from_primitive("box", ShapeKind::kBox, {0.03, 0.04, 0.03}, 0.3),
               {0.0, 0.04, 0.0}));
  Object table = *geometry::object_from_primitive("table", ShapeKind::kBox, {0.5, 0.02, 0.3}, 10.0);
  table.fixed = true;
  problem.things.push_back(thing_of(std::move(table), {0.0, -0.02, 0.0}));
  GripStyle grip;
  grip.preferred = arm_posture("pinch");
  for (const Digit digit : kDigits) {
    grip.handles.push_back(*hands::pad_of(*arm_hand(), digit));
    grip.handle_names.push_back(to_string(digit));
  }
  grip.places_object = {{0.0, 0.01, 0.03},
                        {-0.027, 0.01, -0.03},
                        {-0.009, 0.01, -0.03},
                        {0.009, 0.01, -0.03},
                        {0.027, 0.01, -0.03}};
  const Vec3 up = Vec3(0.0, 1.0, 0.3).normalized();
  const Vec3 back = Vec3(0.0, -0.3, 1.0).normalized();
  Mat3 axes;
  axes << up.cross(back), up, back;
  const Transform palm{Quat(axes), Vec3(0.0, 0.05, 0.0) + 0.08 * up};
  grip.wrist_object =
      problem.things[0].pose_world.inverse() * palm * hands::palm_in_wrist(*arm_hand()).inverse();
  problem.grips.push_back(grip);
  Goal goal;
  goal.name = "height";
  goal.target = Vec3(0.0, lift, 0.0);
  goal.weights = Vec3(0.0, 10.0, 0.0);
  goal.time = 1.2;
  problem.goals.push_back(goal);
  problem.seconds = 1.6;
  return problem;
}

}  // namespace prehend::manipulation
