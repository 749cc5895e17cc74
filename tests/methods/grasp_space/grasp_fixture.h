// Hands, objects and the grasp space that the room's tests share.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "prehend/core/hand_builder.h"
#include "prehend/core/random.h"
#include "prehend/geometry/builtin.h"
#include "prehend/geometry/primitive.h"
#include "prehend/methods/grasp_space/examples.h"
#include "prehend/methods/grasp_space/search.h"
#include "prehend/methods/grasp_space/train.h"

namespace prehend::grasp_space {

inline HandPtr test_hand(HandProfile profile = HandProfile::kAnatomical, Side side = Side::kRight) {
  HandOptions options;
  options.profile = profile;
  options.side = side;
  return std::make_shared<const Hand>(build_hand(options).value());
}

// Trained once a binary, on half of the repetitions and frames: seconds count here.
inline const std::shared_ptr<const GraspSpace>& general_space() {
  static const auto space = [] {
    const TrainOptions options;
    const auto clips = example_motions({}, {.frame_rate = 30.0, .repetitions = 1});
    const auto samples = pose_samples(clips, options.least_change).value();
    return std::make_shared<const GraspSpace>(train(samples, options).value().space);
  }();
  return space;
}

inline ObjectPtr primitive(ShapeKind kind, const Vec3& size, double mass = 0.15) {
  return std::make_shared<const Object>(
      geometry::object_from_primitive("thing", kind, size, mass).value());
}

// A shape inside the box of the samples, natural or not.
inline Eigen::VectorXd random_shape(const GraspSpace& space, Random& random) {
  Eigen::VectorXd x(space.dimension());
  for (int k = 0; k < x.size(); ++k) x[k] = random.uniform(space.lower[k], space.upper[k]);
  return x;
}

inline Eigen::VectorXd natural_shape(const GraspSpace& space, Random& random) {
  Eigen::VectorXd x;
  do {
    x = random_shape(space, random);
  } while (!space.natural(x));
  return x;
}

// The palm faces the origin from any side, `least` to `most` meters away.
inline Transform random_palm(Random& random, double least, double most) {
  const Vec3 away = random.direction();
  const Quat facing = Quat::FromTwoVectors(Vec3::UnitY(), away) *
                      exp_map(random.uniform(0.0, 2.0 * kPi) * Vec3::UnitY());
  return {facing, random.uniform(least, most) * away};
}

}  // namespace prehend::grasp_space
