// Liu 2008, section 4.2: contacts, found on the fly, and the forces that each kind of contact can
// give (figure 4).
// Implements: colliding, resting and slipping contacts; four-edge friction cones.
// Departs:    contact points may roll over both surfaces (Options::rolling): the paper keeps them
//             where they first were, and names that as its limit.
#pragma once

#include <vector>

#include "methods/manipulation/system.h"

namespace prehend::manipulation {

enum class ContactKind {
  kColliding,  // f = lambda n                          figure 4a
  kSlipping,   // f = lambda (n + mu slip direction)    figure 4b
  kResting,    // f = V lambda, V the cone's four edges figure 4c
  kIdle,       // no force: what the corrections of section 4.2 make of a contact that breaks
};

// Of a thing with a segment of a hand or with another thing. Forces act on `thing`, and their
// opposites on the other side.
struct ContactPoint {
  int thing = -1;
  int arm = -1, segment = -1, capsule = -1;  // or
  int other = -1;                            // another thing
  Vec3 point_thing = Vec3::Zero();           // in the thing's frame
  Vec3 point_other = Vec3::Zero();           // in the segment's or the other thing's frame
  Vec3 point_world = Vec3::Zero();
  Vec3 normal = Vec3::UnitY();  // out of `thing`, world
  double gap = 0.0;
  double friction = 0.6;
  ContactKind kind = ContactKind::kResting;
  Eigen::Matrix<double, 3, 4> edges = Eigen::Matrix<double, 3, 4>::Zero();
  int columns = 4;
  Vec3 drift = Vec3::Zero();     // m, how far the two points slid apart while they should hold
  Vec3 velocity = Vec3::Zero();  // m/s, of the other side's point against the thing's, tangential
  Eigen::Vector4d lambda = Eigen::Vector4d::Zero();
  int age = 0;        // steps
  bool kept = false;  // without its force things would overlap: it does not break

  bool of_hand() const { return arm >= 0; }
  Vec3 force() const { return edges.leftCols(columns) * lambda.head(columns); }
  double normal_force() const { return lambda.head(columns).sum(); }
};

// The columns that the contact's kind spans.
void set_edges(ContactPoint& contact);

class ContactSet {
 public:
  std::vector<ContactPoint> points;
  int broken = 0;  // since made

  // Brings the contacts up to date with where `system` is placed. `predicted` are gaps that a thing
  // on its present way would have after a step of `seconds`.
  void update(const System& system, const std::vector<Vec3>& velocities,
              const std::vector<Vec3>& spins, double seconds, bool rolling);

 private:
  void follow_hand(const System& system, bool rolling);
  void find_hand(const System& system);
  void find_things(const System& system, const std::vector<Vec3>& velocities,
                   const std::vector<Vec3>& spins, double seconds);
};

}  // namespace prehend::manipulation
