// Kry and Pai 2006, section 7.1: the environment's bodies and the proximity detection that gives
// contact points, normals and distances s.
// Departs: angular momentum is what is integrated, so that it balances the contact torques exactly;
//          eq. 3 in body coordinates, stepped by Euler's rule, does so to first order only.
#include "methods/interaction/replay_body.h"

#include <algorithm>
#include <cmath>

namespace prehend::interaction {
namespace {

// Directions in which a mesh's farthest vertices are kept as corners: enough that the rim of a
// bottle's foot has twelve.
constexpr int kDirections = 256;
// Contacts between two objects; more would not change where they stand.
constexpr int kMostCorners = 5;

class FloorField : public geometry::SignedDistance {
 public:
  geometry::DistanceSample sample(const Vec3& point_object) const override {
    return {point_object.y(), Vec3::UnitY()};
  }
};

std::vector<Vec3> corners_of(const Object& object) {
  std::vector<Vec3> corners;
  if (object.shape.kind == ShapeKind::kSphere) return corners;
  if (object.shape.kind == ShapeKind::kBox) {
    for (int i = 0; i < 8; ++i)
      corners.push_back(object.shape.size.cwiseProduct(
          Vec3(i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0)));
    return corners;
  }
  const std::vector<Vec3>& vertices = object.shape.mesh->vertices;
  std::vector<char> kept(vertices.size(), 0);
  const double golden = kPi * (3.0 - std::sqrt(5.0));
  for (int i = 0; i < kDirections; ++i) {
    const double y = 1.0 - (2.0 * i + 1.0) / kDirections, r = std::sqrt(1.0 - y * y);
    const Vec3 direction(r * std::cos(golden * i), y, r * std::sin(golden * i));
    std::size_t best = 0;
    for (std::size_t v = 1; v < vertices.size(); ++v)
      if (direction.dot(vertices[v]) > direction.dot(vertices[best])) best = v;
    kept[best] = 1;
  }
  for (std::size_t v = 0; v < vertices.size(); ++v)
    if (kept[v]) corners.push_back(vertices[v]);
  return corners;
}

// Normal first; one tangent points up as far as it can, so that the edge of a friction pyramid lies
// where gravity pulls.
Mat3 pyramid_frame(const Vec3& normal, const Vec3& up) {
  Vec3 tangent = up - up.dot(normal) * normal;
  if (tangent.squaredNorm() < 0.01) tangent = Vec3::UnitX() - normal.x() * normal;
  if (tangent.squaredNorm() < 0.01) tangent = Vec3::UnitZ() - normal.z() * normal;
  tangent.normalize();
  Mat3 frame;
  frame << normal, tangent, normal.cross(tangent);
  return frame;
}

}  // namespace

Mat3 ReplayBody::inverse_inertia_world() const {
  const Mat3 turn = pose_world.rotation.toRotationMatrix();
  return turn * inverse_inertia * turn.transpose();
}

void ReplayBody::set_mass(double kilograms) {
  const double factor = kilograms / mass;
  linear *= factor;
  angular *= factor;
  inertia *= factor;
  inverse_inertia /= factor;
  mass = kilograms;
}

void ReplayBody::advance(const Vec3& impulse, const Vec3& turning, double timestep) {
  const Vec3 center_before = center_world();
  linear += impulse;
  angular += turning;
  const Vec3 turn = timestep * (inverse_inertia_world() * angular);
  pose_world.rotation = (exp_map(turn) * pose_world.rotation).normalized();
  pose_world.position = center_before + timestep / mass * linear - pose_world.turn(center);
}

ReplayBody make_body(const ReplayObject& object) {
  const Object& source = object.object->object();
  ReplayBody body;
  body.object = object.object;
  body.field = object.object->contact();
  body.movable = !source.fixed;
  body.friction = source.friction;
  body.mass = source.mass;
  body.center = source.center_of_mass;
  body.inertia = source.inertia;
  body.inverse_inertia = source.inertia.inverse();
  body.pose_world = object.pose_world;
  body.corners = corners_of(source);
  for (const Vec3& v : source.shape.mesh->vertices)
    body.radius = std::max(body.radius, (v - body.center).norm());
  return body;
}

ReplayBody make_floor(double height, double friction) {
  ReplayBody body;
  body.field = std::make_shared<const FloorField>();
  body.friction = friction;
  body.pose_world.position.y() = height;
  body.radius = HUGE_VAL;
  return body;
}

void ContactFinder::hand_on_body(int body, const ReplayBody& surface,
                                 const HandKinematics& kinematics, double margin, const Vec3& up,
                                 std::vector<LiveContact>& contacts) {
  hands::HandGaps::Found found;
  for (int c = 0; c < static_cast<int>(gaps_.capsules().size()); ++c) {
    const int count = gaps_.near_obstacle(c, *surface.field, surface.pose_world, margin, found);
    for (int i = 0; i < count; ++i) {
      LiveContact& live = contacts.emplace_back();
      live.report = {found[i].segment,
                     -1,
                     body,
                     found[i].point_world,
                     found[i].normal_world,
                     Vec3::Zero(),
                     found[i].gap,
                     surface.friction,
                     0.0};
      live.capsule = c;
      live.frame = pyramid_frame(found[i].normal_world, up);
      live.point_segment =
          kinematics.frames_world()[found[i].segment].inverse() * found[i].point_world;
    }
  }
}

void ContactFinder::body_on_body(int first, int second, const std::vector<ReplayBody>& bodies,
                                 double margin, const Vec3& up,
                                 std::vector<LiveContact>& contacts) {
  const ReplayBody& a = bodies[first];
  const ReplayBody& b = bodies[second];
  const Transform b_from_a = b.pose_world.inverse() * a.pose_world;
  near_.clear();
  if (a.object->object().shape.kind == ShapeKind::kSphere) {
    const auto sample = b.field->sample(b_from_a.position);
    const double gap = sample.distance - a.object->object().shape.size.x();
    const Vec3 normal = sample.gradient.normalized();
    if (gap < margin)
      near_.push_back({b.pose_world * (b_from_a.position - (sample.distance - 0.5 * gap) * normal),
                       b.pose_world.turn(normal), gap});
  }
  for (const Vec3& corner : a.corners) {
    const Vec3 point = b_from_a * corner;
    const auto sample = b.field->sample(point);
    if (sample.distance < margin)
      near_.push_back(
          {b.pose_world * point, b.pose_world.turn(sample.gradient.normalized()), sample.distance});
  }
  // The deepest first, then each time the one farthest from those taken.
  std::vector<Corner>::size_type taken = 0;
  for (; taken < near_.size() && taken < kMostCorners; ++taken) {
    std::size_t best = taken;
    double farthest = -HUGE_VAL;
    for (std::size_t i = taken; i < near_.size(); ++i) {
      double apart = taken == 0 ? -near_[i].gap : HUGE_VAL;
      for (std::size_t k = 0; k < taken; ++k)
        apart = std::min(apart, (near_[i].point_world - near_[k].point_world).norm());
      if (apart > farthest) {
        farthest = apart;
        best = i;
      }
    }
    std::swap(near_[taken], near_[best]);
  }
  for (std::size_t i = 0; i < taken; ++i) {
    LiveContact& live = contacts.emplace_back();
    live.report = {-1,
                   first,
                   second,
                   near_[i].point_world,
                   near_[i].normal_world,
                   Vec3::Zero(),
                   near_[i].gap,
                   std::min(a.friction, b.friction),
                   0.0};
    live.frame = pyramid_frame(near_[i].normal_world, up);
  }
}

void ContactFinder::find(const HandKinematics& kinematics, const std::vector<ReplayBody>& bodies,
                         double timestep, const Vec3& up, std::vector<LiveContact>& contacts) {
  contacts.clear();
  gaps_.place(kinematics.frames_world());
  const auto moving_margin = [&](const ReplayBody& body) {
    return margin_ + (body.movable ? timestep * body.velocity().norm() : 0.0);
  };
  const int count = static_cast<int>(bodies.size());
  for (int b = 0; b < count; ++b)
    hand_on_body(b, bodies[b], kinematics, moving_margin(bodies[b]), up, contacts);
  for (int a = 0; a < count; ++a) {
    if (!bodies[a].movable) continue;
    for (int b = 0; b < count; ++b) {
      if (a == b) continue;
      const double margin = moving_margin(bodies[a]) + (bodies[b].movable ? margin_ : 0.0);
      if (bodies[b].object && (bodies[a].center_world() - bodies[b].center_world()).norm() >
                                  bodies[a].radius + bodies[b].radius + margin)
        continue;
      body_on_body(a, b, bodies, margin, up, contacts);
    }
  }
}

}  // namespace prehend::interaction
