// prehend train: from motion of hands, or from the built-in examples, to a grasp space.
#include "prehend/jobs/train.h"
#include "cli/load_arguments.h"
#include "cli/picture_arguments.h"
#include "cli/verbs.h"
#include "prehend/methods/grasp_space/examples.h"

namespace prehend::cli {
namespace {

struct Arguments {
  jobs::TrainJob job;
  PictureArguments picture;
  std::string picture_kind = "both";
};

void declare(Arguments& a, OptionSet& options) {
  options.inputs("INPUT", &a.job.inputs, 0, 100000,
                 "Motion of hands (.bvh .glb .csv), or tables of 45 numbers a pose (.csv)");
  options.choice("--example", &a.job.example, grasp_space::model_names(),
                 "The built-in motions of this kind instead of files");
  options.integer("--dimensions", &a.job.dimensions, "N", "Of the space [3]");
  options.number("--variance", &a.job.variance, "F", "Instead: the fewest that keep this fraction");
  options.integer("--max-gaussians", &a.job.max_gaussians, "N", "Most that are tried [24]");
  options.number("--outliers", &a.job.outliers, "F",
                 "Of the samples, left out as unnatural [0.01]");
  options.number("--least-change", &a.job.least_change, "RAD",
                 "Frames nearer to the last are left out; 0 takes all [0.02]");
  options.text("--name", &a.job.name, "NAME", "Of the model [the example's, or the model file's]");
  options.choice("--picture", &a.picture_kind, {"density", "hands", "both"},
                 "What a .png shows [both]");
  a.picture.declare(options);
  declare_load(a.job.load, options);
}

Result<int> run(Arguments& a, Session& session) {
  const auto picture = a.picture.request();
  if (!picture) return picture.error();
  a.job.picture = *picture;
  a.job.picture_kind = a.picture_kind == "density" ? jobs::TrainPicture::kDensity
                       : a.picture_kind == "hands" ? jobs::TrainPicture::kHands
                                                   : jobs::TrainPicture::kBoth;
  return session.carry_out(a.job);
}

}  // namespace

Verb train_verb() {
  Verb verb = verb_with(declare, run);
  verb.name = "train";
  verb.summary = "Learn which shapes of a hand are natural, from motion";
  verb.examples = {
      {"prehend train --example general -o general.json -o general.png",
       "the model that the program brings, and what it looks like"},
      {"prehend train rightHand.bvh -o mine.json", "from a recording"},
      {"prehend train *.csv --hand hand.xml --variance 0.9 -o mine.json",
       "from many, as joint angles of a hand; as many dimensions as keep 90 %"},
      {"prehend train poses.csv --dimensions 2 -o mine.json -o mine.png --picture density",
       "from a table of poses, 45 numbers each"},
      {"prehend train --example tip -o tip.glb", "the built-in motions, to look at"},
  };
  verb.endings = {".json", ".png", ".glb", ".html", ".bvh", ".csv", ".mp4"};
  return verb;
}

}  // namespace prehend::cli
