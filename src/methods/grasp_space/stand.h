// A stand that keeps an object where it is, by springs, and what its pushes are: within the
// friction cones, at places of the object's surface.
#pragma once

#include <vector>

#include "prehend/core/clip.h"
#include "prehend/geometry/prepared_object.h"
#include "prehend/physics/state.h"

namespace prehend::grasp_space {

class Stand {
 public:
  Stand(const geometry::PreparedObject& prepared, const Transform& pose_world);

  // Bears the weight and draws the object back to its pose; torque about the centre of mass.
  Wrench wrench(const Transform& pose_world, const physics::Twist& twist_world) const;
  // Pushes on object number `index` that sum to the wrench, as contacts of the surroundings.
  std::vector<Contact> contacts(const Transform& pose_world, const Wrench& wrench_world,
                                int index) const;

 private:
  struct Place {
    Vec3 point, normal;  // in the object's frame
  };
  const Object& object_;
  Transform pose_world_;
  std::vector<Place> places_;
};

// What the stand gave, as the mean over the time that each frame of a clip stands for.
class StandRecord {
 public:
  void add(int frame, const Wrench& wrench_world);
  // Adds the pushes on object 0 to the clip's contacts.
  void write(const Stand& stand, Clip& clip) const;

 private:
  struct Sum {
    Wrench wrench;
    int steps = 0;
  };
  std::vector<Sum> sums_;
};

}  // namespace prehend::grasp_space
