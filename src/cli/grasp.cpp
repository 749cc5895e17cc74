// prehend grasp: natural grasps of an object that hold.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/picture_arguments.h"
#include "cli/verbs.h"
#include "prehend/jobs/grasp.h"
#include "prehend/methods/grasp_space/examples.h"

namespace prehend::cli {
namespace {

struct Arguments {
  jobs::GraspJob job;
  std::vector<std::string> inputs;
  bool no_verify = false;
  std::string optimizer, search, wrist, region, side, protocol, up;
  PictureArguments picture;
};

std::vector<std::string> optimizer_names() {
  std::vector<std::string> names;
  for (const auto method : optimize::black_box_methods()) names.push_back(to_string(method));
  return names;
}

void declare(Arguments& a, OptionSet& options) {
  jobs::GraspJob& job = a.job;
  options.inputs("OBJECT", &a.inputs, 1, 1,
                 "A built-in's name, a mesh file, or a scene (.toml): its first object and hand");
  options.integer("--count", &job.count, "N", "Grasps that hold, all different [1]");
  options.text("--model", &job.model, "NAME|FILE",
               fmt::format("Which shapes are natural: {}, or a file of prehend train [general]",
                           fmt::join(grasp_space::model_names(), ", ")));
  options.flag("--no-verify", &a.no_verify, "Do not prove grasps by simulation");
  options.flag("--full-proof", &job.full_proof,
               "Every push lasts its two seconds, even when the object rests");
  options.flag("--referee", &job.referee,
               "Prove again what held: the engine's own solver, half the step, whole pushes");
  options.flag("--margins", &job.margins,
               "Find the least friction, the greatest mass and the wrist's offset at which each "
               "grasp still holds, and the digits that it could spare");
  options.choice("--protocol", &a.protocol, {"fingertip", "benchmark"},
                 "Torsional friction of contacts: a fingertip's 0.003 m, or the public benchmark's "
                 "0.02 m [fingertip]; docs/physics.md has all constants");
  options.choice("--optimizer", &a.optimizer, optimizer_names(), "How grasps are searched [dhc]");
  options.integer("--evaluations", &job.evaluations, "N", "Of the metric, a search [600]");
  options.integer("--candidates", &job.candidates, "N", "Searches at most [2000]");
  options.text(
      "--search", &a.search, "WHAT",
      "Besides the shape: some of rotation,position,distance, or none [rotation,distance]");
  options.text("--wrist", &a.wrist, "X,Y,Z[,W,X,Y,Z]",
               "Where the wrist should be, in the object's frame; alone it reaches, back up");
  options.text("--region", &a.region, "X,Y,Z,R", "Only what is in this ball is grasped, meters");
  options.text("--hand", &job.hand, "FILE", "A hand of your own (.xml .glb)");
  options.number("--hand-length", &job.hand_length, "M", "Wrist crease to middle fingertip [0.19]");
  options.number("--hand-breadth", &job.hand_breadth, "M",
                 "Across the knuckles [0.44 of the length]");
  options.choice("--side", &a.side, {"left", "right"}, "Which hand [right]");
  options.number("--mass", &job.mass, "KG", "Of the object [0.1, or the scene's]");
  options.flag("--usual-mass", &job.usual_mass,
               "Without --mass: a built-in's own, or what a thing of that volume usually weighs");
  options.choice("--up", &a.up, {"y", "z"},
                 "The object's axis that points up where it stands on a table [that with which it "
                 "stands best]");
  options.flag("--in-air", &job.in_air, "Without a table: hands may come from below");
  options.number("--friction", &job.friction, "MU", "Of the object on skin [0.6, or the scene's]");
  options.text("--units", &job.units, "UNIT", "Of a mesh file: m, cm, mm, in, ft [m]");
  options.integer("--search-faces", &job.search_faces, "N",
                  "Faces of the mesh that the search looks at [3000]");
  a.picture.declare(options);
}

// "1,2,3" as what the numbers mean; nothing where nothing is given.
template <typename Target, typename Parse>
Status parse_text(const std::string& text, const char* option, Parse parse,
                  std::optional<Target>& target) {
  if (text.empty()) return {};
  const auto numbers = parse_numbers(text, option);
  if (!numbers) return numbers.error();
  const auto parsed = parse(*numbers);
  if (!parsed) return Error{fmt::format("{}: {}", option, parsed.message())};
  target = *parsed;
  return {};
}

Status fill_in(Arguments& a) {
  jobs::GraspJob& job = a.job;
  job.object = a.inputs[0];
  job.verify = !a.no_verify;
  if (!a.side.empty()) job.side = a.side == "left" ? Side::kLeft : Side::kRight;
  if (!a.up.empty()) job.up = jobs::up_axis(a.up);
  if (!a.protocol.empty()) job.protocol = jobs::grasp_protocol(a.protocol);
  for (const auto method : optimize::black_box_methods())
    if (a.optimizer == to_string(method)) job.optimizer = method;
  if (!a.search.empty()) {
    const auto search = jobs::searched_placement(split_words(a.search));
    if (!search) return Error{"--search: " + search.message()};
    job.search = *search;
  }
  if (const Status done = parse_text(a.wrist, "--wrist", jobs::wrist_goal, job.wrist); !done)
    return done;
  return parse_text(a.region, "--region", jobs::region_of, job.region);
}

Result<int> run(Arguments& a, Session& session) {
  const auto picture = a.picture.request();
  if (!picture) return picture.error();
  a.job.picture = *picture;
  if (const Status filled = fill_in(a); !filled) return filled.error();
  return session.carry_out(a.job);
}

}  // namespace

Verb grasp_verb() {
  Verb verb = verb_with(declare, run);
  verb.name = "grasp";
  verb.summary = "Natural grasps of any object, each proven to hold by simulation";
  verb.examples = {
      {"prehend grasp bunny -o bunny.glb", "one grasp, as a clip: reach, close, lift, hold"},
      {"prehend grasp mug --count 10 -o mug.png -o mug.json",
       "ten different ones as a sheet of pictures, and as data"},
      {"prehend grasp hammer --region -0.2,0,0,0.07 -o hammer.html", "by its handle"},
      {"prehend grasp bottle --count 3 -o bottle-{}.glb", "a clip each: bottle-1.glb, ..."},
      {"prehend grasp part.stl --units mm --mass 0.3 --model tip", "a mesh in millimeters"},
      {"prehend grasp scenes/grasp/mug.toml -o mug.glb", "a scene's object and hand"},
      {"prehend grasp sphere --optimizer cma-es --evaluations 2000 --json", "for programs"},
  };
  verb.endings = clip_and_data_endings();
  return verb;
}

}  // namespace prehend::cli
