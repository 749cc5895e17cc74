// Where things touch or overlap, found with the exact distance.
#pragma once

#include <memory>
#include <vector>

#include "prehend/core/clip.h"
#include "prehend/geometry/signed_distance.h"

namespace prehend::audit {

// An object made ready to be asked: its exact distance and what a broad test needs.
struct Probe {
  std::shared_ptr<const geometry::ExactDistance> distance;
  Vec3 center = Vec3::Zero();  // of a ball around the mesh, object frame
  double radius = 0.0;
  std::vector<Vec3> corners;  // vertices that stand for the surface against other objects
};
Probe make_probe(const Object& object);

// Contacts of one capsule with one object: the deepest point and, along a touching stretch, its
// ends. `reach` is how far apart surfaces may be. Contacts carry everything but forces; none if all
// is farther.
void capsule_contacts(const Capsule& capsule_world, const Probe& probe,
                      const Transform& object_world, double reach, std::vector<Contact>& contacts);

// Contacts of `object` with another: corners of each near the surface of the other, spread out.
void object_contacts(const Probe& probe, const Transform& pose, const Probe& other,
                     const Transform& other_pose, double reach, std::vector<Contact>& contacts);

// Contacts with a level floor.
void floor_contacts(const Probe& probe, const Transform& pose, double height, double reach,
                    std::vector<Contact>& contacts);

}  // namespace prehend::audit
