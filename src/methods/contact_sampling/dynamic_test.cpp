// Ye and Liu 2012, section 4.3, "Dynamics".
// Implements: eq. 4 to 8 as a cone program over contacts of the hands and of the surroundings.
// Departs:    a contact has torsional friction, since fingertips are soft. A sliding contact pushes
//   on the edge of its cone, against the hand's slide. A sliding support rubs
//   against the slide with half to all of the friction that it has, since capture does not tell how
//   rough a table is; it can neither drive the object nor let it glide as if on ice.
//   The test passes with kExplained of the weight left over.
// Symbols:    n normal into the object; d direction of a slide; m mu, friction.
#include "methods/contact_sampling/dynamic_test.h"

#include <cmath>

namespace prehend::contact_sampling {
namespace {

// Least weight of eq. 4, so that a column never grows without bound.
constexpr double kLeastWeight = 1e-3;
// Friction that the test uses, as a part of what there is: forces stay inside their cones after
// rounding.
constexpr double kFrictionUsed = 0.98;
// Least friction of a support over which the object slides, as a part of what there is: dry
// friction of moving surfaces is rarely less than half of that of resting ones.
constexpr double kLeastRubbing = 0.5;

struct Frame {
  Vec3 push, tangent, other;
};

Frame frame_of(const Vec3& normal_world) {
  const Vec3 push = -normal_world, tangent = any_orthogonal(push);
  return {push, tangent, push.cross(tangent)};
}

void set_column(const Vec3& arm, const Vec3& axis, double lever, double scale, int column,
                optimize::ConeContact& cone) {
  cone.wrench_map.col(column) << scale * axis, scale / lever * arm.cross(axis);
}

}  // namespace

void DynamicTest::add_contact(const Load& load, const TestContact& test, double friction) {
  const double length = lever(*load.object), weight = load.object->mass * kStandardGravity;
  const HandContact& contact = test.contact;
  const Vec3 arm = load.pose_world.turn(contact.point_object - load.object->center_of_mass);
  const Frame frame = frame_of(load.pose_world.turn(contact.normal_object));
  const double scale = 1.0 / std::max(kLeastWeight, test.weight);
  optimize::ConeContact& cone = cones_.emplace_back();
  cone.max_normal = test.max_normal / (weight * scale);
  if (test.slide_object.squaredNorm() > 0.0) {
    const Vec3 ray = frame.push + friction * load.pose_world.turn(test.slide_object);
    set_column(arm, ray, length, scale, 0, cone);
    cone.friction = 0.0;
    return;
  }
  set_column(arm, frame.push, length, scale, 0, cone);
  set_column(arm, frame.tangent, length, scale, 1, cone);
  set_column(arm, frame.other, length, scale, 2, cone);
  cone.wrench_map.col(3) << Vec3::Zero(), scale / length * frame.push;
  cone.friction = friction;
  cone.torsional_friction = kTorsion * friction / std::max(1e-9, load.object->friction);
}

void DynamicTest::add_support(const Load& load, const SupportPoint& point, double friction) {
  const double length = lever(*load.object);
  const Vec3 arm = load.pose_world.turn(point.point_object - load.object->center_of_mass);
  const Frame frame = frame_of(point.normal_world);
  if (point.slide_world.squaredNorm() > 0.0) {
    for (const double part : {kLeastRubbing, 1.0}) {
      optimize::ConeContact& cone = cones_.emplace_back();
      set_column(arm, frame.push - part * friction * point.slide_world, length, 1.0, 0, cone);
      cone.friction = 0.0;
    }
    return;
  }
  optimize::ConeContact& cone = cones_.emplace_back();
  set_column(arm, frame.push, length, 1.0, 0, cone);
  set_column(arm, frame.tangent, length, 1.0, 1, cone);
  set_column(arm, frame.other, length, 1.0, 2, cone);
  cone.friction = friction;
}

double DynamicTest::solve(const Load& load, std::span<TestContact> contacts,
                          std::span<const SupportPoint> supports, double friction_part) {
  const double weight = load.object->mass * kStandardGravity;
  const double friction = kFrictionUsed * friction_part * load.object->friction;
  cones_.clear();
  for (const TestContact& contact : contacts) add_contact(load, contact, friction);
  for (const SupportPoint& point : supports) add_support(load, point, friction);
  Eigen::Matrix<double, 6, 1> wanted;
  wanted << load.wanted.force / weight, load.wanted.torque / (weight * lever(*load.object));
  optimize::ConeProgramOptions options;
  options.tolerance = 1e-4;
  program_.solve(cones_, wanted, result_, options);

  total_normal_ = 0.0;
  size_t next = 0;
  for (TestContact& test : contacts) {
    const Eigen::Vector4d f = result_.forces[next++] * weight / std::max(kLeastWeight, test.weight);
    const Frame frame = frame_of(load.pose_world.turn(test.contact.normal_object));
    Vec3 force = f[0] * frame.push;
    if (test.slide_object.squaredNorm() > 0.0) {
      force += friction * f[0] * load.pose_world.turn(test.slide_object);
    } else {
      force += f[1] * frame.tangent + f[2] * frame.other;
    }
    test.contact.force_world = force;
    test.contact.torque_normal = f[3];
    total_normal_ += f[0];
  }
  support_forces_.clear();
  for (const SupportPoint& point : supports) {
    const Frame frame = frame_of(point.normal_world);
    const Eigen::Vector4d f = weight * result_.forces[next++];
    Vec3 force = f[0] * frame.push + f[1] * frame.tangent + f[2] * frame.other;
    if (point.slide_world.squaredNorm() > 0.0) {
      const double most = weight * result_.forces[next++][0];
      force =
          (f[0] + most) * frame.push - (kLeastRubbing * f[0] + most) * friction * point.slide_world;
    }
    support_forces_.push_back({point, force});
  }
  return result_.residual.norm();
}

std::vector<bool> frames_that_need_hands(const Object& object,
                                         const std::vector<Transform>& poses_world,
                                         const ObjectMotion& motion,
                                         const std::vector<std::vector<SupportPoint>>& supports) {
  DynamicTest test;
  std::vector<bool> needed(poses_world.size());
  for (size_t f = 0; f < poses_world.size(); ++f) {
    needed[f] =
        test.solve({&object, poses_world[f], motion.wanted[f]}, {}, supports[f]) > kExplained;
  }
  return needed;
}

}  // namespace prehend::contact_sampling
