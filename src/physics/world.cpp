#include "prehend/physics/world.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "physics/distance_collision.h"
#include "physics/mjcf_text.h"
#include "physics/world_impl.h"

namespace prehend::physics {
namespace {

std::string hand_prefix(size_t hand) { return fmt::format("h{}/", hand); }
std::string drive_name(size_t hand) { return fmt::format("drive{}", hand); }
std::string object_name(size_t object) { return fmt::format("o{}", object); }

// Contact bits: 1 is the surroundings and the objects, each hand has its own.
int hand_bit(size_t hand) { return 2 << (hand % 29); }

double servo_stiffness(const HandSetup& setup, size_t joint) {
  return joint < setup.servo_stiffness_of_joints.size() ? setup.servo_stiffness_of_joints[joint]
                                                        : setup.servo_stiffness;
}

// See World::Impl.
double implicit_damping(const HandSetup& setup, const Joint& joint, size_t index, double timestep) {
  const double servo = servo_stiffness(setup, index);
  const double stiffness = servo + (setup.passive_joints ? joint.passive_stiffness : 0.0);
  const double damping = servo * setup.servo_time + (setup.passive_joints ? joint.damping : 0.0);
  return damping + timestep * stiffness;
}

Status check(std::span<const HandSetup> hands, std::span<const ObjectSetup> objects,
             const WorldOptions& options) {
  if (!(options.timestep > 0.0 && options.timestep <= 0.1)) {
    return Error{fmt::format("world: timestep {} s: want 0 to 0.1", options.timestep)};
  }
  if (!options.gravity.allFinite()) return Error{"world: gravity is not a number"};
  for (const HandSetup& setup : hands) {
    if (!(setup.strength.force > 0.0 && setup.strength.torque > 0.0))
      return Error{fmt::format("world: a wrist of {} N and {} N m; want both above zero, or inf",
                               setup.strength.force, setup.strength.torque)};
    if (!setup.hand || setup.hand->segments.empty()) return Error{"world: a hand without segments"};
    const Hand& hand = *setup.hand;
    for (int i = 0; i < hand.segment_count(); ++i) {
      const Segment& s = hand.segments[static_cast<size_t>(i)];
      if (i == 0 ? s.parent != -1 : (s.parent < 0 || s.parent >= i)) {
        return Error{
            fmt::format("hand {}: segment {} ({}) has parent {}; one root first, parents "
                        "before children",
                        hand.name, i, s.name, s.parent)};
      }
      if (i == 0 && !s.joints.empty()) {
        return Error{fmt::format("hand {}: the root segment {} has joints; its pose is the root's",
                                 hand.name, s.name)};
      }
    }
  }
  for (const ObjectSetup& setup : objects) {
    if (!setup.object) return Error{"world: an object is missing"};
    const Object& object = *setup.object;
    if (!(object.mass > 0.0) || !object.inertia.allFinite()) {
      return Error{fmt::format("object {}: mass {} kg; want a positive mass and a finite inertia",
                               object.name, object.mass)};
    }
    if (object.shape.kind == ShapeKind::kMesh &&
        (!object.shape.mesh || object.shape.mesh->vertices.size() < 4)) {
      return Error{fmt::format("object {}: its mesh has no body", object.name)};
    }
  }
  return {};
}

std::string hand_text(const HandSetup& setup, size_t index, double timestep) {
  HandText text;
  text.prefix = hand_prefix(index);
  if (setup.root == RootMotion::kFixed) {
    text.root_attributes = " mocap=\"true\"";
  } else {
    text.root_joint = "<freejoint/>\n";
  }
  const int bit = hand_bit(index);
  const int affinity = setup.self_collision ? 0x7fffffff : 0x7fffffff & ~bit;
  text.geom_attributes =
      fmt::format(" contype=\"{}\" conaffinity=\"{}\" condim=\"{}\" friction=\"{} 0.005 0.0001\"",
                  bit, affinity, setup.skin_friction > 0.0 ? 3 : 1, number(setup.skin_friction));
  text.limits = setup.joint_limits;
  text.stiffness = setup.passive_joints;
  text.damping = false;
  text.collides = setup.collides;
  if (!setup.collides) text.geom_attributes.clear();
  size_t joint = 0;
  for (const Segment& segment : setup.hand->segments) {
    for (const Joint& j : segment.joints) {
      text.armature.push_back(added_inertia(setup, joint) +
                              timestep * implicit_damping(setup, j, joint, timestep));
      ++joint;
    }
  }
  return hand_bodies(*setup.hand, text);
}

std::string object_text(const ObjectSetup& setup, size_t index) {
  const Object& object = *setup.object;
  const bool fixed = setup.fixed || object.fixed;
  std::string out =
      fmt::format("<body name=\"{}\"{}>\n", object_name(index), fixed ? " mocap=\"true\"" : "");
  out += inertial(object.mass, object.center_of_mass, object.inertia);
  if (!fixed) out += "<freejoint/>\n";
  // Priority: between a hand and an object the object's friction counts.
  const std::string attributes = fmt::format(
      " name=\"{}\" priority=\"1\" condim=\"{}\" friction=\"{} {} 0.0001\" contype=\"1\" "
      "conaffinity=\"2147483647\"",
      object_name(index), object.torsional_friction > 0.0 ? 4 : 3, number(object.friction),
      number(std::max(object.torsional_friction, 1e-5)));
  out += shape_geom(object.shape, "mesh_" + object_name(index), attributes);
  return out + "</body>\n";
}

int constraint_rows(std::span<const HandSetup> hands, const WorldOptions& options) {
  int rows = 4 * options.max_contacts;
  for (const HandSetup& setup : hands) {
    rows += 6;
    for (const Segment& s : setup.hand->segments) rows += static_cast<int>(s.joints.size());
  }
  return rows;
}

// Measured on a hand of 57 degrees of freedom around a cylinder: a dense constraint Jacobian steps
// almost twice as fast as the sparse one that the engine picks from 60 on.
constexpr int kDenseUpTo = 150;

const char* jacobian_kind(std::span<const HandSetup> hands, std::span<const ObjectSetup> objects) {
  int dof = 6 * static_cast<int>(hands.size() + objects.size());
  for (const HandSetup& setup : hands) dof += setup.hand->dof();
  return dof <= kDenseUpTo ? "dense" : "sparse";
}

// Of contacts and of the welds that drive roots: overlaps and lags vanish within it.
double contact_time(const WorldOptions& options) {
  return std::max(options.contact_time, 2.0 * options.timestep);
}

std::string world_text(std::span<const HandSetup> hands, std::span<const ObjectSetup> objects,
                       const WorldOptions& options) {
  std::string out = fmt::format(
      "<mujoco model=\"prehend\">\n<compiler angle=\"radian\" balanceinertia=\"true\"/>\n"
      "<option timestep=\"{}\" gravity=\"{}\" cone=\"elliptic\" impratio=\"{}\" "
      "solver=\"Newton\" iterations=\"{}\" tolerance=\"{}\" noslip_iterations=\"{}\" "
      "jacobian=\"{}\"/>\n"
      "<size nconmax=\"{}\" njmax=\"{}\" nuser_geom=\"{}\"/>\n"
      "<default><geom solref=\"{} 1\" solimp=\"0.95 0.99 0.001\"/></default>\n",
      number(options.timestep), numbers(options.gravity), number(options.impedance_ratio),
      options.solver_iterations, number(options.solver_tolerance), options.noslip_iterations,
      jacobian_kind(hands, objects), options.max_contacts, constraint_rows(hands, options),
      kGeomUserSize, number(contact_time(options)));
  std::string assets, bodies, excludes, welds;
  if (options.floor_height) {
    bodies += fmt::format(
        "<geom name=\"floor\" type=\"plane\" zaxis=\"0 1 0\" pos=\"0 {} 0\" size=\"10 10 1\" "
        "contype=\"1\" conaffinity=\"2147483647\" condim=\"4\" friction=\"{} {} 0.0001\"/>\n",
        number(*options.floor_height), number(options.floor_friction), number(kTorsionalFriction));
  }
  for (size_t i = 0; i < hands.size(); ++i) {
    bodies += hand_text(hands[i], i, options.timestep);
    excludes += hand_excludes(*hands[i].hand, hand_prefix(i));
    if (hands[i].root != RootMotion::kDriven) continue;
    bodies += fmt::format("<body name=\"{}\" mocap=\"true\"/>\n", drive_name(i));
    welds += fmt::format(
        "<weld body1=\"{}{}\" body2=\"{}\" solref=\"{} 1\" solimp=\"0.99 0.999 0.001\"/>\n",
        hand_prefix(i), escaped(hands[i].hand->segments[0].name), drive_name(i),
        number(contact_time(options)));
  }
  for (size_t i = 0; i < objects.size(); ++i) {
    const Shape& shape = objects[i].object->shape;
    if (shape.kind == ShapeKind::kMesh) {
      assets += mesh_asset(*shape.mesh, "mesh_" + object_name(i));
    }
    bodies += object_text(objects[i], i);
  }
  return out + "<asset>\n" + assets + "</asset>\n<worldbody>\n" + bodies +
         "</worldbody>\n<contact>\n" + excludes + "</contact>\n<equality>\n" + welds +
         "</equality>\n</mujoco>\n";
}

void index_hand(World::Impl& world, size_t index, HandEntry& entry) {
  const mjModel* m = world.model.get();
  const Hand& hand = *entry.setup.hand;
  const std::string prefix = hand_prefix(index);
  entry.servo_first = world.servo_size;
  size_t joint_index = 0;
  for (int i = 0; i < hand.segment_count(); ++i) {
    const Segment& segment = hand.segments[static_cast<size_t>(i)];
    const int body = mj_name2id(m, mjOBJ_BODY, (prefix + segment.name).c_str());
    PREHEND_ASSERT(body >= 0);
    entry.bodies.push_back(body);
    entry.segment_dofs.push_back(i > 0 && !segment.joints.empty() ? m->body_dofadr[body] : -1);
    int joint = m->body_jntadr[body];
    for (const Joint& j : segment.joints) {
      const int dof = m->jnt_dofadr[joint];
      entry.joints.push_back({i, j.type, m->jnt_qposadr[joint], dof,
                              servo_stiffness(entry.setup, joint_index), j.max_torque});
      world.armature.segment(dof, j.dof()).array() -= added_inertia(entry.setup, joint_index);
      world.implicit_damping.segment(dof, j.dof())
          .setConstant(implicit_damping(entry.setup, j, joint_index, m->opt.timestep));
      ++joint_index;
      ++joint;
    }
  }
  world.servo_size += 4 * static_cast<int>(entry.joints.size());
  const int root = entry.bodies[0];
  const bool fixed = entry.setup.root == RootMotion::kFixed;
  if (fixed) {
    entry.root_mocap = m->body_mocapid[root];
  } else {
    entry.root_qpos = m->jnt_qposadr[m->body_jntadr[root]];
  }
  if (entry.setup.root == RootMotion::kDriven) {
    entry.root_mocap = m->body_mocapid[mj_name2id(m, mjOBJ_BODY, drive_name(index).c_str())];
  }
  entry.dofs.root = fixed ? 0 : 6;
  entry.dofs.count = entry.dofs.root + hand.dof();
}

// Hulls may be smaller than their meshes by what a large mesh's left-out vertices reach beyond.
void widen_bound(mjModel* m, const ObjectEntry& entry) {
  const Shape& shape = entry.setup.object->shape;
  if (shape.kind != ShapeKind::kMesh) return;
  const Vec3 center = to_vec3(m->geom_pos + 3 * entry.geom);
  double& bound = m->geom_rbound[entry.geom];
  for (const Vec3& v : shape.mesh->vertices) bound = std::max(bound, (v - center).norm());
}

void index_object(mjModel* m, size_t index, ObjectEntry& entry) {
  entry.body = mj_name2id(m, mjOBJ_BODY, object_name(index).c_str());
  entry.geom = mj_name2id(m, mjOBJ_GEOM, object_name(index).c_str());
  PREHEND_ASSERT(entry.body >= 0 && entry.geom >= 0);
  if (entry.setup.fixed || entry.setup.object->fixed) {
    entry.mocap = m->body_mocapid[entry.body];
  } else {
    entry.qpos = m->jnt_qposadr[m->body_jntadr[entry.body]];
    entry.dofs = {m->body_dofadr[entry.body], 6, 6};
  }
  const Shape& shape = entry.setup.object->shape;
  const bool ours = shape.kind == ShapeKind::kMesh || shape.kind == ShapeKind::kCylinder;
  if (!ours) return;
  entry.distance = entry.setup.distance ? entry.setup.distance : geometry::fast_distance(shape);
  attach_distance(m, entry.geom, entry.distance.get());
  widen_bound(m, entry);
}

}  // namespace

namespace {

// Digit by digit, then what joins a hand's digits, then the objects that join hands.
std::vector<int> solver_order(const World::Impl& world) {
  std::vector<int> order, joining;
  for (const HandEntry& entry : world.hands) {
    std::vector<char> placed(static_cast<size_t>(entry.dofs.count), 0);
    for (const Digit digit : kDigits) {
      for (const JointEntry& joint : entry.joints) {
        const Segment& segment = entry.setup.hand->segments[static_cast<size_t>(joint.segment)];
        if (segment.digit != digit) continue;
        for (int k = 0; k < (joint.type == JointType::kBall ? 3 : 1); ++k) {
          order.push_back(joint.dof + k);
          placed[static_cast<size_t>(joint.dof + k - entry.dofs.first)] = 1;
        }
      }
    }
    for (int k = 0; k < entry.dofs.count; ++k)
      if (!placed[static_cast<size_t>(k)]) joining.push_back(entry.dofs.first + k);
  }
  order.insert(order.end(), joining.begin(), joining.end());
  for (int dof = static_cast<int>(order.size()); dof < world.model->nv; ++dof) order.push_back(dof);
  return order;
}

}  // namespace

RootStrength RootStrength::unlimited() {
  return {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
}
bool RootStrength::bounded() const { return std::isfinite(force) || std::isfinite(torque); }

World::World() : impl_(std::make_unique<Impl>()) {}
World::~World() = default;

Result<WorldPtr> World::build(std::span<const HandSetup> hands,
                              std::span<const ObjectSetup> objects, const WorldOptions& options) {
  if (Status status = check(hands, objects, options); !status) return status.error();
  Result<ModelPtr> model = compile_text(world_text(hands, objects, options), "world");
  if (!model) return model.error();
  std::shared_ptr<World> world(new World());
  Impl& impl = *world->impl_;
  impl.options = options;
  impl.model = std::move(*model);
  mjModel* m = impl.model.get();
  impl.owners.resize(static_cast<size_t>(m->nbody));
  impl.implicit_damping.setZero(m->nv);
  impl.weld_time = contact_time(options);
  impl.armature = Eigen::Map<const Eigen::VectorXd>(m->dof_armature, m->nv);
  int first = 0;
  for (size_t i = 0; i < hands.size(); ++i) {
    HandEntry& entry = impl.hands.emplace_back();
    entry.setup = hands[i];
    index_hand(impl, i, entry);
    entry.dofs.first = first;
    first += entry.dofs.count;
    if (entry.setup.root == RootMotion::kDriven) {
      impl.weld_strengths.push_back(entry.setup.strength);
      impl.bounded_welds = impl.bounded_welds || entry.setup.strength.bounded();
    }
    for (size_t s = 0; s < entry.bodies.size(); ++s) {
      impl.owners[static_cast<size_t>(entry.bodies[s])] = {static_cast<int>(i), static_cast<int>(s),
                                                           -1};
    }
  }
  for (size_t i = 0; i < objects.size(); ++i) {
    ObjectEntry& entry = impl.objects.emplace_back();
    entry.setup = objects[i];
    index_object(m, i, entry);
    impl.owners[static_cast<size_t>(entry.body)].object = static_cast<int>(i);
  }
  impl.solver_structure = solver_structure(*m, solver_order(impl));
  return WorldPtr(std::move(world));
}

const WorldOptions& World::options() const { return impl_->options; }
int World::hand_count() const { return static_cast<int>(impl_->hands.size()); }
int World::object_count() const { return static_cast<int>(impl_->objects.size()); }
const Hand& World::hand(int index) const {
  return *impl_->hands.at(static_cast<size_t>(index)).setup.hand;
}
const Object& World::object(int index) const {
  return *impl_->objects.at(static_cast<size_t>(index)).setup.object;
}
int World::dof() const { return impl_->model->nv; }
DofRange World::hand_dofs(int hand) const {
  return impl_->hands.at(static_cast<size_t>(hand)).dofs;
}
int World::segment_dof(int hand, int segment) const {
  return impl_->hands.at(static_cast<size_t>(hand)).segment_dofs.at(static_cast<size_t>(segment));
}

}  // namespace prehend::physics
