// Distance from a point to a closed surface, negative inside, with its gradient.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "prehend/core/object.h"

namespace prehend::geometry {

struct DistanceSample {
  double distance = 0.0;          // meters, negative inside
  Vec3 gradient = Vec3::UnitY();  // of the distance: unit, points out of the object
};

struct ClosestPoint {
  Vec3 point = Vec3::Zero();    // on the surface, in the object's frame
  Vec3 normal = Vec3::UnitY();  // unit, out of the surface
  double distance = 0.0;        // signed
  int face = -1;                // of the mesh; -1 for a primitive
};

// All points in the object's frame. Calls from many threads at once are fine.
class SignedDistance {
 public:
  virtual ~SignedDistance() = default;
  virtual DistanceSample sample(const Vec3& point_object) const = 0;
};

// A cube of nodes, x running fastest. Cubes that count from one origin agree to the last bit on
// where the nodes are that they share.
struct NodeCube {
  Vec3 origin = Vec3::Zero();
  double spacing = 0.0;
  Vec3 first = Vec3::Zero();  // node, in whole numbers
  int side = 0;               // nodes along each axis

  int count() const { return side * side * side; }
  Vec3 point(int x, int y, int z) const { return origin + spacing * (first + Vec3(x, y, z)); }
};

// The truth: closed form for a primitive; for a mesh the closest point through Embree, its sign by
// the generalized winding number, so that small holes and self-crossings do no harm.
class ExactDistance : public SignedDistance {
 public:
  virtual ClosestPoint closest(const Vec3& point_object) const = 0;
  // The answer of `sample`, sooner, for one who knows it at a point near by: distance changes no
  // faster than the point moves, and so bounds the search.
  virtual DistanceSample sample_beside(const Vec3& point_object, const Vec3& known_point_object,
                                       const DistanceSample& known) const;
  // The answers of `sample` at all nodes, sooner.
  virtual void sample_cube(const NodeCube& nodes_object, std::span<DistanceSample> samples) const;
};
std::shared_ptr<const ExactDistance> exact_distance(const Shape& shape);

struct BrickFieldOptions {
  // Distance between samples; 0 picks it from the object's size: a 350th of its diagonal,
  // but between 0.25 and 1 mm.
  double spacing = 0.0;
};

// For inner loops: a smooth (C1) field whose bricks are sampled from `exact` when first touched, by
// whichever thread comes first; what they hold does not depend on it. The gradient is the field's
// own (it passes a finite-difference test) and unit up to the field's error. More than 2 cm from
// the surface the samples are eight times sparser; more than 5 cm outside the object's bounding box
// the answer is the distance to that box, a lower bound.
class BrickField : public SignedDistance {
 public:
  virtual double spacing() const = 0;
  // What was filled so far.
  virtual std::size_t brick_count() const = 0;
  virtual std::size_t memory_bytes() const = 0;
};
std::shared_ptr<const BrickField> brick_field(std::shared_ptr<const ExactDistance> exact,
                                              const Shape& shape,
                                              const BrickFieldOptions& options = {});

// The one for inner loops: closed form for a primitive, a brick field for a mesh.
std::shared_ptr<const SignedDistance> fast_distance(const Shape& shape);

}  // namespace prehend::geometry
