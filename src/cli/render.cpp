// prehend render: still pictures, sheets over time and films of clips, hands and objects.
#include "prehend/jobs/render.h"
#include "cli/load_arguments.h"
#include "cli/picture_arguments.h"
#include "cli/verbs.h"

namespace prehend::cli {
namespace {

struct Arguments {
  jobs::RenderJob job;
  PictureArguments picture;
};

void declare(Arguments& a, OptionSet& options) {
  options.inputs(
      "INPUT", &a.job.inputs, 1, 64,
      "Clips (.glb .bvh .csv), a hand (.xml) or an OBJECT (mesh file or built-in's name)");
  options.number("--time", &a.job.time, "SECONDS", "When a still is taken [the middle]");
  options.integer("--frame", &a.job.frame, "N", "The same as a frame, from 0");
  options.integer("--sheet", &a.job.sheet, "N", "N pictures over time on one sheet");
  options.number("--from", &a.job.first, "SECONDS", "Where films and sheets begin [0]");
  options.number("--to", &a.job.last, "SECONDS", "Where they end [the end]");
  options.number("--fps", &a.job.film_rate, "N", "Frames a second of a film [30]");
  options.number("--speed", &a.job.speed, "X", "Of a film: 0.25 is slow motion [1]");
  options.flag("--skin", &a.job.skin, "Hands with skin [so it is, where the hand has all joints]");
  options.flag("--capsules", &a.job.capsules, "Hands as their contact shapes");
  options.flag("--forces", &a.job.forces,
               "Insist on contact forces: an input without any is an error");
  options.flag("--no-forces", &a.job.no_forces, "Leave out contact points and forces");
  options.number("--force-scale", &a.job.force_scale, "M/N", "Meters a newton [the largest 7 cm]");
  options.number("--object-opacity", &a.job.object_opacity, "X",
                 "Below 1 objects are see-through [1]");
  options.flag("--no-floor", &a.job.no_floor, "Without the floor and its shadows");
  a.picture.declare(options);
  declare_load(a.job.load, options);
}

Result<int> run(Arguments& a, Session& session) {
  const auto picture = a.picture.request();
  if (!picture) return picture.error();
  a.job.picture = *picture;
  return session.carry_out(a.job);
}

}  // namespace

Verb render_verb() {
  Verb verb = verb_with(declare, run);
  verb.name = "render";
  verb.summary = "Pictures and films of clips, hands and objects";
  verb.examples = {
      {"prehend render bunny -o bunny.png --camera 20,30", "a built-in object"},
      {"prehend render clip.glb -o sheet.png --sheet 8", "eight pictures over time"},
      {"prehend render clip.glb -o clip.mp4 --size 1280x720 --speed 0.5", "a film in half speed"},
      {"prehend render clip.glb -o shapes.png --capsules --time 1.5", "the contact shapes"},
  };
  verb.endings = {".png", ".mp4"};
  return verb;
}

}  // namespace prehend::cli
