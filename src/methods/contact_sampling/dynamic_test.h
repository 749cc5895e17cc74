// Ye and Liu 2012, section 4.3, eq. 4 to 8: are there contact forces that move the object as it
// was captured?
#pragma once

#include <span>
#include <vector>

#include "methods/contact_sampling/supports.h"
#include "prehend/methods/contact_sampling/solution.h"
#include "prehend/optimize/cone_program.h"

namespace prehend::contact_sampling {

// A contact as the dynamic test sees it.
struct TestContact {
  HandContact contact;
  Vec3 skin_normal_segment = -Vec3::UnitY();  // unit, out of the skin
  // Unit direction in which the skin slides over the object, in the object's frame; zero: it
  // sticks.
  Vec3 slide_object = Vec3::Zero();
  double weight = 1.0;      // eq. 4's w
  double max_normal = 0.0;  // N; 0: no bound
};

struct SupportForce {
  SupportPoint point;
  Vec3 force_world = Vec3::Zero();
};

// Torsion over normal force of a fingertip, m: that of a patch of about 5 mm.
inline constexpr double kTorsion = 0.003;
// What of the wanted wrench may be left over, as a part of the object's weight. Less than half of
// what differentiating good capture leaves.
inline constexpr double kExplained = 0.04;

// One object a thread.
class DynamicTest {
 public:
  struct Load {
    const Object* object = nullptr;
    Transform pose_world;
    Wrench wanted;  // about the center of mass
  };
  // Sets the forces of contacts and supports. Returns what is left over, as a part of the weight
  // (torques over the object's lever). `friction_part` scales all friction.
  double solve(const Load& load, std::span<TestContact> contacts,
               std::span<const SupportPoint> supports, double friction_part = 1.0);
  const std::vector<SupportForce>& support_forces() const { return support_forces_; }
  double total_normal() const { return total_normal_; }  // of the hands, N

 private:
  void add_contact(const Load& load, const TestContact& contact, double friction);
  void add_support(const Load& load, const SupportPoint& point, double friction);

  std::vector<optimize::ConeContact> cones_;
  std::vector<SupportForce> support_forces_;
  optimize::ConeProgram program_;
  optimize::ConeProgramResult result_;
  double total_normal_ = 0.0;
};

// Frames that the supports alone do not explain.
std::vector<bool> frames_that_need_hands(const Object& object,
                                         const std::vector<Transform>& poses_world,
                                         const ObjectMotion& motion,
                                         const std::vector<std::vector<SupportPoint>>& supports);

}  // namespace prehend::contact_sampling
