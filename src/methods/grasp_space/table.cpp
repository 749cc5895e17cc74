// Beyond the paper, whose objects float: the table that an object stands on.
#include "prehend/methods/grasp_space/table.h"

#include <cmath>

namespace prehend::grasp_space {
namespace {

// The angle between forearm and hand that is allowed to any side. Wrists bend by 80 and 70 degrees
// to palm and back and by 20 and 30 to the sides; this is the mean of the two sides.
constexpr double kWristBend = radians(25.0);

}  // namespace

Capsule forearm_object(const Transform& wrist_object, const Vec3& up_object) {
  const Vec3 straight = wrist_object.turn(Vec3::UnitZ());
  const Vec3 rise = up_object - up_object.dot(straight) * straight;
  const double angle =
      std::min(kWristBend, std::acos(std::clamp(up_object.dot(straight), -1., 1.)));
  const Vec3 bent = rise.norm() > 1e-9
                        ? Vec3(std::cos(angle) * straight + std::sin(angle) * rise.normalized())
                        : straight;
  return {wrist_object.position + kForearmRadius * bent,
          wrist_object.position + kForearmLength * bent, kForearmRadius};
}

}  // namespace prehend::grasp_space
