#include "cli/grasp_arguments.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/grasp_model.h"
#include "cli/picture_arguments.h"
#include "cli/scene_object.h"
#include "prehend/cli/load.h"
#include "prehend/core/hand_builder.h"
#include "prehend/core/text.h"
#include "prehend/geometry/repair.h"
#include "prehend/hands/palm.h"
#include "prehend/methods/grasp_space/examples.h"

namespace prehend::cli {
namespace {

using grasp_space::GraspOptions;
using grasp_space::GraspProblem;

constexpr int kNotGiven = GraspArguments::kNotGiven;
// Of the proof's protocol, when nobody weighs the object.
constexpr double kProtocolMass = 0.1;

std::vector<std::string> optimizer_names() {
  std::vector<std::string> names;
  for (const auto method : optimize::black_box_methods()) names.push_back(to_string(method));
  return names;
}

std::vector<io::SchemaKey> scene_keys() {
  using Kind = io::ValueKind;
  return {
      {"count", Kind::kInteger, "grasps that hold", "1", false, 1, 100000},
      {"model", Kind::kString, "a model's name or file", "\"general\""},
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

std::string joined(const std::vector<double>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ","));
}

// A table of the scene into arguments that were not given.
void fill_in(const io::Value& table, const std::string& scene_file, GraspArguments& a) {
  const auto whole = [&](const char* key, int& target) {
    const io::Value* value = table.find(key);
    if (value && target == kNotGiven) target = static_cast<int>(*value->integer());
  };
  const auto numbers = [&](const char* key, std::string& target) {
    const io::Value* value = table.find(key);
    if (value && target.empty()) target = joined(*value->numbers());
  };
  whole("count", a.count);
  whole("evaluations", a.evaluations);
  whole("candidates", a.candidates);
  whole("search_faces", a.search_faces);
  numbers("wrist", a.wrist);
  numbers("region", a.region);
  if (const io::Value* value = table.find("verify")) a.no_verify |= !*value->boolean();
  if (const io::Value* value = table.find("optimizer"); value && a.optimizer.empty())
    a.optimizer = *value->string();
  if (const io::Value* value = table.find("search"); value && a.search.empty()) {
    a.search = fmt::format("{}", fmt::join(*value->strings(), ","));
    if (a.search.empty()) a.search = "none";
  }
  if (const io::Value* value = table.find("model"); value && a.model.empty()) {
    const auto& known = grasp_space::model_names();
    a.model = *value->string();
    if (std::find(known.begin(), known.end(), a.model) == known.end())
      a.model = (std::filesystem::path(scene_file).parent_path() / a.model).string();
  }
}

Status parse_search(const std::string& text, grasp_space::SearchOptions& search) {
  search.rotation = search.position = search.distance = false;
  if (text == "none") return {};
  std::string_view rest = text;
  while (true) {
    const std::string_view word = rest.substr(0, rest.find(','));
    if (word == "rotation") {
      search.rotation = true;
    } else if (word == "position") {
      search.position = true;
    } else if (word == "distance") {
      search.distance = true;
    } else {
      return Error{fmt::format(
          "--search: '{}' should be some of rotation,position,distance, or none", printable(text))};
    }
    if (word.size() == rest.size()) return {};
    rest.remove_prefix(word.size() + 1);
  }
}

Result<int> whole_number(int given, int fallback, int least, const char* option) {
  if (given == kNotGiven) return fallback;
  if (given < least) return Error{fmt::format("{}: {} should be {} or more", option, given, least)};
  return given;
}

Status set_numbers(const GraspArguments& a, GraspOptions& options) {
  struct Number {
    int given, least;
    int* target;
    const char* option;
  };
  for (const Number& number : {Number{a.count, 1, &options.count, "--count"},
                               {a.evaluations, 1, &options.search.evaluations, "--evaluations"},
                               {a.candidates, 1, &options.max_candidates, "--candidates"},
                               {a.search_faces, 50, &options.search_faces, "--search-faces"}}) {
    const auto value = whole_number(number.given, *number.target, number.least, number.option);
    if (!value) return value.error();
    *number.target = *value;
  }
  return {};
}

Result<GraspOptions> grasp_options(const GraspArguments& a, std::uint64_t seed) {
  GraspOptions options;
  options.seed = seed;
  options.verify = !a.no_verify;
  if (a.full_proof) options.proof.rest_speed = 0.0;
  if (const Status set = set_numbers(a, options); !set) return set.error();
  if (!a.search.empty()) {
    if (const Status set = parse_search(a.search, options.search); !set) return set.error();
  }
  for (const auto method : optimize::black_box_methods()) {
    if (a.optimizer == to_string(method)) options.search.method = method;
  }
  return options;
}

Result<HandPtr> choose_hand(const GraspArguments& a, const io::SceneHand* scene,
                            std::vector<std::string>& notes) {
  const bool sized = a.hand_length != 0.0 || a.hand_breadth != 0.0 || !a.side.empty();
  if (!a.hand.empty()) {
    if (sized)
      return Error{"grasp: --hand-length, --hand-breadth and --side make a hand; leave out --hand"};
    return load_hand(a.hand, notes);
  }
  if (scene && !scene->file.empty() && !sized) return load_hand(scene->file, notes);
  HandOptions options = scene && scene->file.empty() ? scene->build : HandOptions{};
  // An arm's shoulder stands somewhere; here the hand may come from anywhere.
  if (options.profile == HandProfile::kArm) options.profile = HandProfile::kAnatomical;
  if (a.hand_length != 0.0) options.size.length = a.hand_length;
  if (a.hand_breadth != 0.0) options.size.breadth = a.hand_breadth;
  if (!a.side.empty()) options.side = a.side == "left" ? Side::kLeft : Side::kRight;
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

Status check_positive(double value, double most, const char* option, const char* unit) {
  if (std::isnan(value) || (value > 0.0 && value <= most)) return {};
  return Error{fmt::format("{}: {} should be above 0 and up to {}{}", option, value, most, unit)};
}

Result<io::LoadedObject> choose_object(const GraspArguments& a, const io::SceneObject* scene) {
  io::ObjectOptions options;
  options.mass = std::isnan(a.mass) ? kProtocolMass : a.mass;
  if (!a.units.empty()) {
    const auto unit = io::parse_unit(a.units);
    if (!unit) return Error{"--units: " + unit.message()};
    options.meters_per_unit = *unit;
  }
  auto loaded = scene ? load_scene_object(*scene, scene->file.empty() ? 0.0 : kProtocolMass)
                      : io::load_object(a.inputs[0], options);
  if (!loaded) return loaded.error();
  Object& object = loaded->object;
  if (scene && !std::isnan(a.mass)) {
    object.inertia *= a.mass / object.mass;
    object.mass = a.mass;
  }
  if (!std::isnan(a.friction)) object.friction = a.friction;
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

Status place(const GraspArguments& a, GraspProblem& problem) {
  if (!a.wrist.empty()) {
    const auto n = parse_numbers(a.wrist, "--wrist");
    if (!n) return n.error();
    if (n->size() != 3 && n->size() != 7)
      return Error{fmt::format("--wrist: '{}' should be x,y,z or x,y,z,w,x,y,z (a quaternion)",
                               printable(a.wrist))};
    Transform wrist = Transform::from_position({(*n)[0], (*n)[1], (*n)[2]});
    if (n->size() == 3) {
      const geometry::Box3 box = geometry::bounding_box(*problem.object->shape.mesh);
      wrist.rotation = reaching(*problem.hand, wrist.position, box.center());
    } else {
      const Quat turn((*n)[3], (*n)[4], (*n)[5], (*n)[6]);
      if (!(std::abs(turn.norm() - 1.0) < 0.01))
        return Error{
            fmt::format("--wrist: the rotation in '{}' should be a unit quaternion, w first",
                        printable(a.wrist, 80))};
      wrist.rotation = turn.normalized();
    }
    problem.wrist_object = wrist;
  }
  if (!a.region.empty()) {
    const auto n = parse_numbers(a.region, "--region");
    if (!n) return n.error();
    if (n->size() != 4 || !((*n)[3] > 0.0))
      return Error{fmt::format("--region: '{}' should be x,y,z,radius", printable(a.region))};
    problem.region = grasp_space::Region{{(*n)[0], (*n)[1], (*n)[2]}, (*n)[3]};
  }
  return {};
}

}  // namespace

void GraspArguments::declare(OptionSet& options) {
  options.inputs("OBJECT", &inputs, 1, 1,
                 "A built-in's name, a mesh file, or a scene (.toml): its first object and hand");
  options.integer("--count", &count, "N", "Grasps that hold, all different [1]");
  options.text("--model", &model, "NAME|FILE",
               fmt::format("Which shapes are natural: {}, or a file of prehend train [general]",
                           fmt::join(grasp_space::model_names(), ", ")));
  options.flag("--no-verify", &no_verify, "Do not prove grasps by simulation");
  options.flag("--full-proof", &full_proof,
               "Every push lasts its two seconds, even when the object rests");
  options.choice("--optimizer", &optimizer, optimizer_names(), "How grasps are searched [dhc]");
  options.integer("--evaluations", &evaluations, "N", "Of the metric, a search [600]");
  options.integer("--candidates", &candidates, "N", "Searches at most [2000]");
  options.text(
      "--search", &search, "WHAT",
      "Besides the shape: some of rotation,position,distance, or none [rotation,distance]");
  options.text("--wrist", &wrist, "X,Y,Z[,W,X,Y,Z]",
               "Where the wrist should be, in the object's frame; alone it reaches, back up");
  options.text("--region", &region, "X,Y,Z,R", "Only what is in this ball is grasped, metres");
  options.text("--hand", &hand, "FILE", "A hand of your own (.xml .glb)");
  options.number("--hand-length", &hand_length, "M", "Wrist crease to middle fingertip [0.19]");
  options.number("--hand-breadth", &hand_breadth, "M", "Across the knuckles [0.44 of the length]");
  options.choice("--side", &side, {"left", "right"}, "Which hand [right]");
  options.number("--mass", &mass, "KG", "Of the object [0.1, or the scene's]");
  options.number("--friction", &friction, "MU", "Of the object on skin [0.6, or the scene's]");
  options.text("--units", &units, "UNIT", "Of a mesh file: m, cm, mm, in, ft [m]");
  options.integer("--search-faces", &search_faces, "N",
                  "Faces of the mesh that the search looks at [3000]");
}

Result<GraspJob> grasp_job(GraspArguments a, std::uint64_t seed) {
  for (const Status& good : {check_positive(a.mass, 1000.0, "--mass", " kg"),
                             check_positive(a.friction, 10.0, "--friction", "")}) {
    if (!good) return good.error();
  }
  std::optional<io::Scene> scene;
  if (file_ending(a.inputs[0]) == ".toml") {
    auto read = io::read_scene(a.inputs[0]);
    if (!read) return read.error();
    if (read->objects.empty())
      return Error{printable(a.inputs[0], 200) + ": has no [[object]] to grasp"};
    const auto table = io::scene_options(*read, "grasp", scene_keys());
    if (!table) return table.error();
    fill_in(*table, a.inputs[0], a);
    scene = std::move(*read);
  }
  GraspJob job;
  auto options = grasp_options(a, seed);
  if (!options) return options.error();
  job.options = std::move(*options);
  auto space = load_grasp_model(a.model.empty() ? "general" : a.model);
  if (!space) return space.error();
  job.problem.space = std::make_shared<const grasp_space::GraspSpace>(std::move(*space));
  auto hand =
      choose_hand(a, scene && !scene->hands.empty() ? &scene->hands[0] : nullptr, job.notes);
  if (!hand) return hand.error();
  if (const Status good = check_hand(**hand); !good) return good.error();
  job.problem.hand = std::move(*hand);
  auto object = choose_object(a, scene ? &scene->objects[0] : nullptr);
  if (!object) return object.error();
  for (std::string& warning : object->warnings) job.notes.push_back(std::move(warning));
  job.problem.object = std::make_shared<const Object>(std::move(object->object));
  if (scene) job.object_world = scene->objects[0].pose_world;
  if (const Status placed = place(a, job.problem); !placed) return placed.error();
  return job;
}

}  // namespace prehend::cli
