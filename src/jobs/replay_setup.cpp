#include "jobs/replay_setup.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "jobs/scene_object.h"
#include "prehend/core/text.h"
#include "prehend/geometry/builtin.h"
#include "prehend/geometry/primitive.h"
#include "prehend/io/scene.h"
#include "prehend/jobs/compliance_file.h"
#include "prehend/jobs/interaction_file.h"

namespace prehend::jobs {
namespace {

using interaction::GripAdjustment;
using Kind = io::ValueKind;

constexpr double kTableThickness = 0.04;  // m

class SetupMaker {
 public:
  explicit SetupMaker(const ReplayJob& job) : job_(job) {}

  Result<ReplaySetup> make() {
    const std::string ending = file_ending(job_.input);
    if (ending != ".toml" && ending != ".json")
      return Error{printable(job_.input, 200) +
                   ": replay takes a scene (.toml) or an interaction (.json)"};
    made_.inputs = {job_.input};
    const Status read = ending == ".toml" ? from_scene() : from_interaction();
    if (!read) return read.error();
    if (const Status set = set_options(); !set) return set.error();
    return std::move(made_);
  }

 private:
  Status from_scene() {
    auto scene = io::read_scene(job_.input);
    if (!scene) return scene.error();
    auto table = io::scene_options(*scene, "replay", replay_keys());
    if (!table) return table.error();
    table_ = std::move(*table);
    made_.title = scene->title;
    std::string file = job_.interaction;
    if (const io::Value* given = table_.find("interaction"); file.empty() && given)
      file = (std::filesystem::path(job_.input).parent_path() / *given->string())
                 .lexically_normal()
                 .string();
    if (file.empty())
      return Error{printable(job_.input, 200) +
                   ": give an interaction, in [options.replay] or by --interaction"};
    if (const Status loaded = load(file); !loaded) return loaded;
    if (!scene->hands.empty() && scene->hands[0].placed)
      return io::error_at(
          scene->file, scene->hands[0].place,
          "the interaction moves the hand: leave its place out and move the objects");
    bool first = true;
    for (io::SceneObject object : scene->objects) {
      if (first && !object.fixed) {
        replace(object);
        first = false;
      }
      auto loaded = load_scene_object(object, 0.0);
      if (!loaded) return loaded.error();
      for (std::string& warning : loaded->warnings) made_.notes.push_back(std::move(warning));
      add(std::move(loaded->object), object.pose_world);
    }
    auto& environment = scene->environment;
    made_.problem.gravity = environment.gravity;
    made_.problem.floor_height = environment.floor_height;
    made_.problem.floor_friction = environment.floor_friction;
    return environment.table ? add_table(*environment.table) : Status{};
  }

  // On what the interaction was made with, or on another object in the place of the first.
  Status from_interaction() {
    if (const Status loaded = load(job_.input); !loaded) return loaded;
    bool first = true;
    for (const interaction::TrajectoryObject& there : made_.problem.trajectory.objects) {
      if (!first || there.object->fixed || (job_.object.empty() && !job_.scale)) {
        Object object = *there.object;
        if (first && !object.fixed) {
          object = with_mass(std::move(object), job_.mass.value_or(object.mass));
          object.friction = job_.friction.value_or(object.friction);
          first = false;
        }
        add(std::move(object), there.pose_world);
        continue;
      }
      first = false;
      if (const Status added = add_other(there); !added) return added;
    }
    if (made_.problem.objects.empty())
      return Error{printable(job_.input, 200) + ": no object was there; give a scene"};
    return {};
  }

  // Another object stands where the first one stood, if something was under that; else it is held
  // about the same center.
  Transform in_place_of(const interaction::TrajectoryObject& there, const Object& object) const {
    bool standing = false;
    for (const auto& other : made_.problem.trajectory.objects) standing |= other.object->fixed;
    Transform pose = there.pose_world;
    if (!standing) {
      pose.position += pose.turn(there.object->center_of_mass - object.center_of_mass);
      return pose;
    }
    const auto lowest = [&](const Object& o) {
      double y = HUGE_VAL;
      for (const Vec3& v : o.shape.mesh->vertices) y = std::min(y, pose.turn(v).y());
      return y;
    };
    pose.position.y() += lowest(*there.object) - lowest(object);
    return pose;
  }

  // Another object, or the same one scaled, where the first stood.
  Status add_other(const interaction::TrajectoryObject& there) {
    if (!job_.object.empty()) {
      io::SceneObject object;
      object.pose_world = there.pose_world;
      object.mass = there.object->mass;
      object.friction = there.object->friction;
      replace(object);
      auto loaded = load_scene_object(object, 0.0);
      if (!loaded) return loaded.error();
      const Transform pose = in_place_of(there, loaded->object);
      add(std::move(loaded->object), pose);
      return {};
    }
    const double s = *job_.scale;
    Object object = *there.object;
    auto mesh = std::make_shared<TriangleMesh>(*object.shape.mesh);
    for (Vec3& v : mesh->vertices) v = object.center_of_mass + s * (v - object.center_of_mass);
    if (object.shape.kind != ShapeKind::kMesh && object.center_of_mass.norm() > 1e-9)
      return Error{"--scale: only an object whose center of mass is its middle"};
    object.shape.mesh = std::move(mesh);
    object.shape.size *= s;
    object.inertia *= s * s;
    object = with_mass(std::move(object), job_.mass.value_or(object.mass));
    object.friction = job_.friction.value_or(object.friction);
    const Transform pose = in_place_of(there, object);
    add(std::move(object), pose);
    return {};
  }

  Status load(const std::string& file) {
    auto loaded = load_interaction(file, job_.hand);
    if (!loaded) return loaded.error();
    if (file != job_.input) made_.inputs.push_back(file);
    made_.problem.trajectory = std::move(*loaded);
    return job_.compliance.empty() ? Status{} : set_compliance();
  }

  // Where the hand means to go stays; only how it gives way is another's.
  Status set_compliance() {
    auto& trajectory = made_.problem.trajectory;
    auto joints = load_compliances(job_.compliance);
    if (!joints) return joints.error();
    made_.inputs.push_back(job_.compliance);
    const interaction::HandCompliance own = trajectory.compliance;
    for (auto& [target, pick] : {std::pair{&trajectory.compliance, &NamedCompliance::compliance},
                                 {&trajectory.low, &NamedCompliance::low},
                                 {&trajectory.high, &NamedCompliance::high}}) {
      std::vector<NamedCompliance> picked = *joints;
      for (NamedCompliance& joint : picked) joint.compliance = joint.*pick;
      auto found = compliance_for(*trajectory.hand, picked, own, job_.compliance);
      if (!found) return found.error();
      *target = std::move(*found);
    }
    return {};
  }

  // What the person asked for in place of the scene's first movable object.
  void replace(io::SceneObject& object) const {
    if (!job_.object.empty()) {
      object.shape.clear();
      object.file.clear();
      object.scale = Vec3::Ones();
      object.density.reset();
      const auto& known = geometry::builtin_names();
      if (std::find(known.begin(), known.end(), job_.object) != known.end())
        object.name = object.shape = job_.object;
      else
        object.name = std::filesystem::path(object.file = job_.object).stem().string();
    }
    if (job_.scale) object.scale *= *job_.scale;
    if (job_.mass) {
      object.mass = job_.mass;
      object.density.reset();
    }
    if (job_.friction) object.friction = job_.friction;
  }

  void add(Object object, const Transform& pose) {
    made_.problem.objects.push_back(
        {geometry::prepare(std::make_shared<const Object>(std::move(object))), pose});
  }

  Status add_table(const io::SceneTable& top) {
    const Vec3 half(0.5 * top.width, 0.5 * kTableThickness, 0.5 * top.depth);
    auto made = geometry::object_from_primitive("table", ShapeKind::kBox, half, 10.0);
    if (!made) return made.error();
    made->fixed = true;
    made->friction = top.friction;
    add(std::move(*made),
        Transform::from_position({top.center.x(), top.height - half.y(), top.center.z()}));
    return {};
  }

  Status set_options() {
    auto& options = made_.options;
    const auto number = [&](const char* key, double fallback) {
      const io::Value* v = table_.find(key);
      return v ? *v->number() : fallback;
    };
    options.timestep = job_.timestep.value_or(number("timestep", options.timestep));
    options.frame_rate = number("frame_rate", options.frame_rate);
    options.pyramid_edges =
        job_.edges.value_or(static_cast<int>(number("pyramid_edges", options.pyramid_edges)));
    if (const io::Value* grip = table_.find("grip")) {
      const std::string& word = *grip->string();
      options.grip = word == "after-slip"    ? GripAdjustment::kAfterSlip
                     : word == "anticipated" ? GripAdjustment::kAnticipated
                                             : GripAdjustment::kNone;
    }
    options.grip = job_.grip.value_or(options.grip);
    if (job_.hold)
      made_.problem.trajectory = interaction::come_to_rest(made_.problem.trajectory, *job_.hold);
    const double scale = number("compliance", 1.0);
    for (auto* c : {&made_.problem.trajectory.compliance, &made_.problem.trajectory.low,
                    &made_.problem.trajectory.high})
      c->joints *= scale;
    return {};
  }

  const ReplayJob& job_;
  io::Value table_ = io::Value::table();
  ReplaySetup made_;
};

}  // namespace

const std::vector<io::SchemaKey>& replay_keys() {
  static const std::vector<io::SchemaKey> keys = {
      {"interaction", Kind::kFile, "a file of `prehend measure`"},
      {.name = "grip",
       .kind = Kind::kChoice,
       .meaning = "how the grip answers a slip: see docs/methods/interaction.md",
       .fallback = "\"none\"",
       .choices = {"none", "after-slip", "anticipated"}},
      {"compliance", Kind::kNumber, "times the compliance of every joint", "1", false, 0.001,
       1000.0},
      {"pyramid_edges", Kind::kInteger, "of a friction pyramid: even", "8", false, 4, 64},
      {"timestep", Kind::kNumber, "seconds", "0.002", false, 1e-5, 0.02},
      {"frame_rate", Kind::kNumber, "of the clip, Hz", "60", false, 1.0, 1000.0},
  };
  return keys;
}

Result<ReplaySetup> replay_setup(const ReplayJob& job) {
  if (job.mass && !(*job.mass > 0.0 && *job.mass <= 1000.0))
    return Error{fmt::format("--mass: {:g} should be above 0 and up to 1000 kg", *job.mass)};
  if (job.scale && !(*job.scale >= 0.01 && *job.scale <= 100.0))
    return Error{fmt::format("--scale: {:g} should be from 0.01 to 100", *job.scale)};
  if (job.friction && !(*job.friction >= 0.0 && *job.friction <= 10.0))
    return Error{fmt::format("--friction: {:g} should be from 0 to 10", *job.friction)};
  if (job.hold && !(*job.hold >= 0.0 && *job.hold <= 60.0))
    return Error{fmt::format("--hold: {:g} should be from 0 to 60 s", *job.hold)};
  return SetupMaker(job).make();
}

}  // namespace prehend::jobs
