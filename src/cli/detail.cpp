// prehend detail: fingers for wrists and objects that were captured without them.
#include "prehend/jobs/detail.h"
#include "cli/load_arguments.h"
#include "cli/picture_arguments.h"
#include "cli/verbs.h"

namespace prehend::cli {
namespace {

struct Arguments {
  jobs::DetailJob job;
  std::string baseline;
  PictureArguments picture;
};

void declare(Arguments& a, OptionSet& options) {
  jobs::DetailJob& job = a.job;
  options.inputs("INPUT", &job.inputs, 1, 64,
                 "Clips of hands or whole bodies: .bvh .glb .csv; or one scene (.toml)");
  options.integer("--count", &job.count, "N", "Different solutions [10]");
  declare_load(job.load, options);
  options.text("--cut", &job.cut, "FROM:TO", "Seconds to keep, such as 1.5:4; frames as 10f:200f");
  options.flag("--strip-fingers", &job.strip_fingers, "Replace the fingers that the input has");
  options.number("--mass", &job.mass, "KG", "Of the objects [water's density, 0.05 to 0.3]");
  options.number("--friction", &job.friction, "MU", "Of the objects on skin [0.6]");
  options.number("--toward-palm", &job.toward_palm, "M",
                 "Moves the objects toward the palm after capture [0]");
  options.number("--floor", &job.floor_height, "M",
                 "Height of the floor [what objects rest on is found]");
  options.number("--time-offset", &job.time_offset, "S",
                 "By which objects move before the hands that carry them [found]");
  options.list("--strategy", &job.strategies, "WORD[@FROM:TO]",
               "Preferred: static, slide, roll or relocate, in these seconds. May be repeated");
  options.flag("--rigid-wrist", &job.rigid_wrist,
               "Wrists stay as captured [they give by 15 mm and 8 degrees]");
  options.number("--wrist-give", &job.wrist_give, "M",
                 "How far wrists may give [0.015, then 0.03 where that is too little]");
  options.number("--wrist-turn", &job.wrist_turn, "DEG",
                 "How far wrists may turn [8, then 16 where that is too little]");
  options.text("--prior", &job.prior, "NAME|FILE",
               "Which shapes of the hand are natural: a file of prehend train [general]");
  options.flag("--no-prior", &job.no_prior, "Any shape will do");
  options.choice("--baseline", &a.baseline, {"nearest", "plain"},
                 "Instead of the search: close on what is nearest, or the paper's plain search");
  options.number("--window", &job.window, "FRAMES",
                 "For which digits keep their strategies, on average [20]");
  options.number("--smoothing", &job.smoothing, "S",
                 "To either side, over which capture is smoothed [0.05]");
  options.number("--seconds", &job.seconds, "S", "Of search at most");
  options.flag("--as-clip", &job.as_clip,
               "Write .bvh and .glb with hands and objects, not the file that came in");
  a.picture.declare(options);
}

Result<int> run(Arguments& a, Session& session) {
  const auto picture = a.picture.request();
  if (!picture) return picture.error();
  a.job.picture = *picture;
  using contact_sampling::SearchKind;
  if (a.baseline == "nearest") a.job.search = SearchKind::kNearest;
  if (a.baseline == "plain") a.job.search = SearchKind::kPlain;
  return session.carry_out(a.job);
}

}  // namespace

Verb detail_verb() {
  Verb verb = verb_with(declare, run);
  verb.name = "detail";
  verb.summary = "Fingers for body capture that has none: many ways, each audited";
  verb.examples = {
      {"prehend detail body.bvh --object ball.bvh=sphere:0.24 --mass 0.6 -o body-with-fingers.bvh",
       "fingers put into the file that came in; every other channel stays as it was"},
      {"prehend detail scenes/sampling/milk-pick.toml -o sheet.png -o milk-{}.glb",
       "different solutions at the same moments, and a clip of each"},
      {"prehend detail scenes/sampling/spatula.toml --object spatula=hammer --toward-palm 0.02",
       "another thing along the same motion, nearer to the palm"},
      {"prehend detail angles.csv --hand hand.xml --object obj=mug.stl --strip-fingers --count 1",
       "compared with the fingers that were recorded"},
      {"prehend detail body.csv --body humanoid.xml --object ball=sphere -o body.bvh",
       "a whole body as a table of joint rotations"},
      {"prehend detail clip.glb --strip-fingers --strategy slide@1:2 -o tree.tree.png",
       "fingers that rather slide from the first second to the second; the search as a picture"},
  };
  verb.endings = clip_and_data_endings();
  return verb;
}

}  // namespace prehend::cli
