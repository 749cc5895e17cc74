#include "jobs/grasp_setup.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "jobs/scene_object.h"
#include "prehend/core/hand_builder.h"
#include "prehend/core/text.h"
#include "prehend/geometry/builtin.h"
#include "prehend/geometry/repair.h"
#include "prehend/hands/palm.h"
#include "prehend/hands/standing.h"
#include "prehend/jobs/grasp_model.h"
#include "prehend/jobs/load.h"
#include "prehend/methods/grasp_space/examples.h"

namespace prehend::jobs {
namespace {

using grasp_space::GraspOptions;
using grasp_space::GraspProblem;

// Things that nobody weighed have the density of water, as most things to hold do, and are within
// these bounds, kg: of almost 10,000 grasps at work 92 % are of 500 g or less (Feix, Bullock and
// Dollar, IEEE Trans. Haptics 7(3), 2014), and a hollow thing's mesh may enclose much air or, where
// it is thin, next to nothing.
constexpr double kLightest = 0.02, kHeaviest = 0.5;
constexpr double kProtocolMass =
    0.1;  // kg, of the proof's protocol, where nobody weighs the object
// A file whose object stands after it was tipped by less than this was drawn as it stands.
constexpr double kAsDrawn = radians(10.0);

std::vector<std::string> optimizer_names() {
  std::vector<std::string> names;
  for (const auto method : optimize::black_box_methods()) names.push_back(to_string(method));
  return names;
}

std::vector<io::SchemaKey> scene_keys() {
  using Kind = io::ValueKind;
  return {
      {"count", Kind::kInteger, "grasps that hold", "1", false, 1, 100000},
      {.name = "protocol",
       .kind = Kind::kChoice,
       .meaning = "torsional friction: the object's, or the benchmark's 0.02 m (docs/physics.md)",
       .fallback = "\"fingertip\"",
       .choices = {"fingertip", "benchmark"}},
      {"model", Kind::kString, "a model's name or file", "\"general\""},
      {.name = "up",
       .kind = Kind::kChoice,
       .meaning = "the object's axis that points up on its table",
       .fallback = "as the scene has it",
       .choices = {"y", "z"}},
      {"in_air", Kind::kBoolean, "no table: hands may come from below", "false"},
      {"verify", Kind::kBoolean, "prove each grasp by simulation", "true"},
      {.name = "optimizer",
       .kind = Kind::kChoice,
       .meaning = "how grasps are searched",
       .fallback = "\"dhc\"",
       .choices = optimizer_names()},
      {"evaluations", Kind::kInteger, "of the metric, a search", "600", false, 1, 1e7},
      {"candidates", Kind::kInteger, "searches at most", "2000", false, 1, 1e7},
      {"search", Kind::kStrings, "of rotation, position, distance", "rotation, distance"},
      {"wrist", Kind::kNumbers, "where it should be, in the object's frame: x y z [w x y z]"},
      {"region", Kind::kNumbers, "ball to grasp within, in the object's frame: x y z radius"},
      {"search_faces", Kind::kInteger, "faces that the search looks at", "3000", false, 50, 1e7}};
}

// Numbers of a scene, as what they mean; a mistake names the place in the file.
template <typename Target, typename Parse>
Status fill_numbers(const io::Scene& scene, const io::Value& table, const char* key, Parse parse,
                    std::optional<Target>& target) {
  const io::Value* value = table.find(key);
  if (!value || target) return {};
  auto parsed = parse(*value->numbers());
  if (!parsed) return io::error_at(scene.file, value->place, parsed.message());
  target = std::move(*parsed);
  return {};
}

std::optional<optimize::BlackBoxMethod> optimizer_named(const std::string& name) {
  for (const auto method : optimize::black_box_methods())
    if (name == to_string(method)) return method;
  return std::nullopt;
}

// A table of the scene into what the job leaves empty.
Status fill_in(const io::Scene& scene, const io::Value& table, GraspJob& job) {
  const auto whole = [&](const char* key, std::optional<int>& target) {
    const io::Value* value = table.find(key);
    if (value && !target) target = static_cast<int>(*value->integer());
  };
  whole("count", job.count);
  whole("evaluations", job.evaluations);
  whole("candidates", job.candidates);
  whole("search_faces", job.search_faces);
  if (const Status done = fill_numbers(scene, table, "wrist", wrist_goal, job.wrist); !done)
    return done;
  if (const Status done = fill_numbers(scene, table, "region", region_of, job.region); !done)
    return done;
  if (const io::Value* value = table.find("protocol"); value && !job.protocol)
    job.protocol = grasp_protocol(*value->string());
  if (const io::Value* value = table.find("up"); value && !job.up)
    job.up = up_axis(*value->string());
  if (const io::Value* value = table.find("in_air")) job.in_air |= *value->boolean();
  if (const io::Value* value = table.find("verify")) job.verify &= *value->boolean();
  if (const io::Value* value = table.find("optimizer"); value && !job.optimizer)
    job.optimizer = optimizer_named(*value->string());
  if (const io::Value* value = table.find("search"); value && !job.search) {
    const auto search = searched_placement(*value->strings());
    if (!search) return io::error_at(scene.file, value->place, search.message());
    job.search = *search;
  }
  if (const io::Value* value = table.find("model"); value && job.model.empty()) {
    const auto& known = grasp_space::model_names();
    job.model = *value->string();
    if (std::find(known.begin(), known.end(), job.model) == known.end())
      job.model = (std::filesystem::path(scene.file).parent_path() / job.model).string();
  }
  return {};
}

Status set_numbers(const GraspJob& job, GraspOptions& options) {
  struct Number {
    std::optional<int> given;
    int least;
    int* target;
    const char* option;
  };
  for (const Number& number : {Number{job.count, 1, &options.count, "--count"},
                               {job.evaluations, 1, &options.search.evaluations, "--evaluations"},
                               {job.candidates, 1, &options.max_candidates, "--candidates"},
                               {job.search_faces, 50, &options.search_faces, "--search-faces"}}) {
    if (number.given && *number.given < number.least)
      return Error{
          fmt::format("{}: {} should be {} or more", number.option, *number.given, number.least)};
    *number.target = number.given.value_or(*number.target);
  }
  return {};
}

Result<GraspOptions> grasp_options(const GraspJob& job) {
  GraspOptions options;
  options.seed = job.settings.seed;
  options.verify = job.verify;
  if (job.full_proof) options.proof.rest_speed = 0.0;
  if (const Status set = set_numbers(job, options); !set) return set.error();
  if (job.search) {
    options.search.rotation = job.search->rotation;
    options.search.position = job.search->position;
    options.search.distance = job.search->distance;
  }
  options.search.method = job.optimizer.value_or(options.search.method);
  return options;
}

Result<HandPtr> choose_hand(const GraspJob& job, const io::SceneHand* scene,
                            std::vector<std::string>& notes) {
  const bool sized = job.hand_length || job.hand_breadth || job.side;
  if (!job.hand.empty()) {
    if (sized)
      return Error{"grasp: --hand-length, --hand-breadth and --side make a hand; leave out --hand"};
    return load_hand(job.hand, notes);
  }
  if (scene && !scene->file.empty() && !sized) return load_hand(scene->file, notes);
  HandOptions options = scene && scene->file.empty() ? scene->build : HandOptions{};
  // An arm's shoulder stands somewhere; here the hand may come from anywhere.
  if (options.profile == HandProfile::kArm) options.profile = HandProfile::kAnatomical;
  options.size.length = job.hand_length.value_or(options.size.length);
  options.size.breadth = job.hand_breadth.value_or(options.size.breadth);
  options.side = job.side.value_or(options.side);
  auto hand = build_hand(options);
  if (!hand) return Error{"hand: " + hand.message()};
  return std::make_shared<const Hand>(std::move(*hand));
}

Status check_hand(const Hand& hand) {
  for (const int joint : grasp_space::pose_joints()) {
    if (hand.xr_segments[joint] < 0)
      return Error{
          fmt::format("hand {}: has no {}; a grasp needs three joints in each of five digits",
                      printable(hand.name), xr_joint_names()[joint])};
  }
  if (hand.dof() == 0)
    return Error{fmt::format("hand {}: none of its joints moves", printable(hand.name))};
  return {};
}

Status check_positive(std::optional<double> value, double most, const char* option,
                      const char* unit) {
  if (!value || (*value > 0.0 && *value <= most)) return {};
  return Error{fmt::format("{}: {} should be above 0 and up to {}{}", option, *value, most, unit)};
}

bool is_builtin(const std::string& name) {
  const auto& known = geometry::builtin_names();
  return std::find(known.begin(), known.end(), name.substr(0, name.find(':'))) != known.end();
}

// Who says what the object weighs.
void weigh(const GraspJob& job, const io::SceneObject* scene, Object& object,
           std::string& mass_from) {
  if (job.mass) {
    mass_from = "--mass";
  } else if (scene && (scene->mass || scene->density)) {
    mass_from = "the scene";
  } else if (is_builtin(scene ? scene->shape : job.object) && (scene || job.usual_mass)) {
    mass_from = "built-in";
  } else if (job.usual_mass) {
    const double usual = std::clamp(object.mass, kLightest, kHeaviest);
    object = with_mass(std::move(object), usual);
    mass_from = "what a thing of its volume usually weighs";
  } else {
    object = with_mass(std::move(object), kProtocolMass);
    mass_from = "the proof's protocol";
  }
}

Result<io::LoadedObject> choose_object(const GraspJob& job, const io::SceneObject* scene,
                                       std::string& mass_from) {
  io::ObjectOptions options;
  options.mass = job.mass.value_or(0.0);
  if (!job.units.empty()) {
    const auto unit = io::parse_unit(job.units);
    if (!unit) return Error{"--units: " + unit.message()};
    options.meters_per_unit = *unit;
  }
  auto loaded = scene ? load_scene_object(*scene, 0.0) : io::load_object(job.object, options);
  if (!loaded) return loaded.error();
  Object& object = loaded->object;
  if (scene && job.mass) object = with_mass(std::move(object), *job.mass);
  weigh(job, scene, object, mass_from);
  object.friction = job.friction.value_or(object.friction);
  if (job.protocol == GraspProtocol::kBenchmark)
    object.torsional_friction = kBenchmarkTorsionalFriction;
  if (object.fixed) return Error{object.name + ": is fixed in the scene; nothing can hold it"};
  return loaded;
}

// With a place alone, the hand reaches for the object's middle with its back up.
Quat reaching(const Hand& hand, const Vec3& wrist, const Vec3& middle) {
  const Vec3 grip_wrist = hands::palm_in_wrist(hand) * Vec3(0.0, -0.2 * hand.length, 0.0);
  const Vec3 towards = middle - wrist;
  if (towards.norm() < 1e-6) return Quat::Identity();
  const Vec3 aim = towards.normalized();
  const Quat first = Quat::FromTwoVectors(grip_wrist, aim);
  const Vec3 back = first * Vec3::UnitY();
  const Vec3 flat_back = back - back.dot(aim) * aim, flat_up = Vec3::UnitY() - aim.y() * aim;
  if (flat_back.norm() < 1e-6 || flat_up.norm() < 1e-6) return first;
  const double angle = std::atan2(aim.dot(flat_back.cross(flat_up)), flat_back.dot(flat_up));
  return exp_map(angle * aim) * first;
}

// How the object stands with this axis up, and by how much it had to be tipped for it.
struct Standing {
  hands::RestingPose pose;
  double tipped = 0.0;  // rad
};
Standing standing(const Object& object, UpAxis axis) {
  const Vec3 up = axis == UpAxis::kY ? Vec3::UnitY() : Vec3::UnitZ();
  const Quat given = Quat::FromTwoVectors(up, Vec3::UnitY());
  Standing found{hands::put_down(object, given), 0.0};
  // What rolls stands as it was drawn: a ball's mesh has corners that it would tip over.
  if (object.shape.kind == ShapeKind::kSphere) found.pose.rotation = given;
  found.tipped = std::acos(std::clamp((found.pose.rotation * up).y(), -1.0, 1.0));
  return found;
}

// The object stands as the scene has it; with the axis that the job names up; or with that of Y and
// Z, as files are drawn, which needs less tipping; of two that need none, the firmer.
void set_on_table(const GraspJob& job, bool in_scene, GraspSetup& setup) {
  const Object& object = *setup.problem.object;
  Quat rotation = setup.object_world.rotation;
  if (in_scene && !job.up) {
    setup.stands = "as in the scene";
  } else if (is_builtin(job.object) && !job.up) {
    setup.stands = "y up, as built";
  } else {
    const Standing y = standing(object, UpAxis::kY), z = standing(object, UpAxis::kZ);
    const bool both = y.tipped < kAsDrawn && z.tipped < kAsDrawn;
    const bool z_best = both ? z.pose.tip > y.pose.tip : z.tipped < y.tipped;
    const bool take_z = job.up ? *job.up == UpAxis::kZ : z_best;
    const Standing& taken = take_z ? z : y;
    rotation = taken.pose.rotation;
    setup.object_world.rotation = rotation;
    setup.stands = fmt::format(
        "{} up{}{}", take_z ? "z" : "y", job.up ? ", as asked" : ", with which it stands best",
        taken.tipped < kAsDrawn
            ? ""
            : fmt::format(", tipped over by {:.0f} degrees to stand", degrees(taken.tipped)));
  }
  grasp_space::Table table;
  table.up = rotation.conjugate() * Vec3::UnitY();
  table.height = INFINITY;
  for (const Vec3& v : object.shape.mesh->vertices)
    table.height = std::min(table.height, table.up.dot(v));
  setup.problem.table = table;
}

void place(const GraspJob& job, GraspProblem& problem) {
  if (job.wrist) {
    const geometry::Box3 box = geometry::bounding_box(*problem.object->shape.mesh);
    const Quat turn = job.wrist->rotation
                          ? *job.wrist->rotation
                          : reaching(*problem.hand, job.wrist->position, box.center());
    problem.wrist_object = Transform{turn, job.wrist->position};
  }
  problem.region = job.region;
}

}  // namespace

std::optional<UpAxis> up_axis(const std::string& name) {
  if (name == "y") return UpAxis::kY;
  if (name == "z") return UpAxis::kZ;
  return std::nullopt;
}

std::optional<GraspProtocol> grasp_protocol(const std::string& name) {
  if (name == "fingertip") return GraspProtocol::kFingertip;
  if (name == "benchmark") return GraspProtocol::kBenchmark;
  return std::nullopt;
}

Result<WristGoal> wrist_goal(const std::vector<double>& n) {
  if (n.size() != 3 && n.size() != 7)
    return Error{
        fmt::format("{} numbers should be x,y,z or x,y,z,w,x,y,z (a quaternion)", n.size())};
  WristGoal goal;
  goal.position = Vec3(n[0], n[1], n[2]);
  if (n.size() == 3) return goal;
  const Quat turn(n[3], n[4], n[5], n[6]);
  if (!(std::abs(turn.norm() - 1.0) < 0.01))
    return Error{
        fmt::format("the rotation {:g},{:g},{:g},{:g} should be a unit quaternion, w first", n[3],
                    n[4], n[5], n[6])};
  goal.rotation = turn.normalized();
  return goal;
}

Result<grasp_space::Region> region_of(const std::vector<double>& n) {
  if (n.size() != 4 || !(n[3] > 0.0))
    return Error{"should be x,y,z,radius, with a radius above zero"};
  return grasp_space::Region{{n[0], n[1], n[2]}, n[3]};
}

Result<SearchedPlacement> searched_placement(const std::vector<std::string>& words) {
  SearchedPlacement search;
  for (const std::string& word : words) {
    if (word == "none" && words.size() == 1) continue;
    bool* const target = word == "rotation"   ? &search.rotation
                         : word == "position" ? &search.position
                         : word == "distance" ? &search.distance
                                              : nullptr;
    if (!target)
      return Error{fmt::format("'{}' should be some of rotation,position,distance, or none",
                               printable(word))};
    *target = true;
  }
  return search;
}

Result<GraspSetup> grasp_setup(GraspJob job) {
  for (const Status& good : {check_positive(job.mass, 1000.0, "--mass", " kg"),
                             check_positive(job.friction, 10.0, "--friction", "")}) {
    if (!good) return good.error();
  }
  std::optional<io::Scene> scene;
  if (file_ending(job.object) == ".toml") {
    auto read = io::read_scene(job.object);
    if (!read) return read.error();
    if (read->objects.empty())
      return Error{printable(job.object, 200) + ": has no [[object]] to grasp"};
    const auto table = io::scene_options(*read, "grasp", scene_keys());
    if (!table) return table.error();
    if (const Status filled = fill_in(*read, *table, job); !filled) return filled.error();
    scene = std::move(*read);
  }
  GraspSetup setup;
  auto options = grasp_options(job);
  if (!options) return options.error();
  setup.options = std::move(*options);
  auto space = load_grasp_model(job.model.empty() ? "general" : job.model);
  if (!space) return space.error();
  setup.problem.space = std::make_shared<const grasp_space::GraspSpace>(std::move(*space));
  auto hand =
      choose_hand(job, scene && !scene->hands.empty() ? &scene->hands[0] : nullptr, setup.notes);
  if (!hand) return hand.error();
  if (const Status good = check_hand(**hand); !good) return good.error();
  setup.problem.hand = std::move(*hand);
  auto object = choose_object(job, scene ? &scene->objects[0] : nullptr, setup.mass_from);
  if (!object) return object.error();
  for (std::string& warning : object->warnings) setup.notes.push_back(std::move(warning));
  setup.problem.object = std::make_shared<const Object>(std::move(object->object));
  setup.problem.prepared = geometry::prepare(setup.problem.object);
  if (scene) setup.object_world = scene->objects[0].pose_world;
  if (!job.in_air) set_on_table(job, scene.has_value(), setup);
  place(job, setup.problem);
  return setup;
}

}  // namespace prehend::jobs
