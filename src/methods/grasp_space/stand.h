// A stand of pins that keeps an object where it is, by springs, and what its pushes are: within the
// friction cones, at places of the object's surface.
#pragma once

#include <memory>
#include <vector>

#include "prehend/core/clip.h"
#include "prehend/geometry/prepared_object.h"
#include "prehend/physics/state.h"

namespace prehend::grasp_space {

class Stand {
 public:
  Stand(const geometry::PreparedObject& prepared, const Transform& pose_world);

  // Bears the weight and draws the object back to its pose; torque about the center of mass.
  Wrench wrench(const Transform& pose_world, const physics::Twist& twist_world) const;
  // Prefers pins that neither the hands nor the object, object 0, run into in all of this clip.
  void keep_clear_of(const Clip& clip);
  // Pushes on object number `index` that sum to the wrench, as contacts of the surroundings.
  std::vector<Contact> contacts(const Transform& pose_world, const Wrench& wrench_world,
                                int index) const;
  // The pins that gave these pushes, as a fixed object of a clip.
  ObjectTrack pins(const std::vector<Contact>& pushes, int frames) const;

 private:
  struct Place {
    Vec3 point, normal;  // in the object's frame
  };
  std::vector<Place> draw_places(int count) const;
  bool stays_clear(const Place& place, const Clip& clip,
                   const std::vector<ClipMoment>& moments) const;
  // Contacts at these places; returns what they leave of the wrench, as a part of it.
  double push_at(const std::vector<Place>& places, const Transform& pose_world,
                 const Eigen::Matrix<double, 6, 1>& wanted, int index,
                 std::vector<Contact>& contacts) const;

  const Object& object_;
  std::shared_ptr<const geometry::ExactDistance> exact_;
  std::shared_ptr<const geometry::SignedDistance> near_;
  Transform pose_world_;
  std::vector<Place> places_, clear_places_;
};

// What the stand gave, as the mean over the time that each frame of a clip stands for.
class StandRecord {
 public:
  void add(int frame, const Wrench& wrench_world);
  // Adds the pushes on object 0 to the clip's contacts, and the pins that gave them to its objects.
  void write(Stand stand, Clip& clip) const;

 private:
  struct Sum {
    Wrench wrench;
    int steps = 0;
  };
  std::vector<Sum> sums_;
};

}  // namespace prehend::grasp_space
