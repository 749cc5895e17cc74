// prehend convert: any clip form to any other, several inputs into one clip.
#include "prehend/jobs/convert.h"
#include "cli/load_arguments.h"
#include "cli/verbs.h"
#include "prehend/jobs/save.h"

namespace prehend::cli {
namespace {

using Arguments = jobs::ConvertJob;

void declare(Arguments& job, OptionSet& options) {
  options.inputs("INPUT", &job.inputs, 1, 64, "Clips: .glb .bvh .csv; several become one");
  declare_load(job.load, options);
  options.text("--onto", &job.onto, "HAND",
               "Bring all hands onto this one, contacts kept: a file (.xml .glb .bvh), or "
               "anatomical, ball, arm. Without a .csv among the inputs --hand says the same");
  options.number("--rate", &job.rate, "HZ", "Frames a second of the output [the input's]");
  options.text("--cut", &job.cut, "FROM:TO", "Seconds to keep, such as 1.5:4; frames as 10f:200f");
  options.flag("--capsules", &job.capsules, "Hands as contact shapes instead of skin, in .glb");
}

Result<int> run(Arguments& job, Session& session) { return session.carry_out(job); }

}  // namespace

Verb convert_verb() {
  Verb verb = verb_with(declare, run);
  verb.name = "convert";
  verb.summary = "Clips from any form to any other; several inputs become one clip";
  verb.examples = {
      {"prehend convert hand.bvh -o hand.glb", "motion capture for a viewer or an engine"},
      {"prehend convert leftHand.bvh rightHand.bvh --object cyl.bvh=cylinder -o clip.glb",
       "two hands and what they hold"},
      {"prehend convert hand.bvh --map names.toml --cut 2:5 --rate 60 -o part.html",
       "three seconds as a page that plays"},
      {"prehend convert angles.csv --hand hand.xml --object obj=mug.stl -o clip.glb",
       "joint angles by name, and an object's pose"},
      {"prehend convert rightHand.bvh --object cyl.bvh=cyl.obj --onto anatomical -o mine.glb",
       "onto another hand, whose digits touch the same places of the object"},
      {"prehend convert clip.glb -o clip.bvh", "for programs that read BVH"},
  };
  verb.endings = jobs::clip_endings();
  return verb;
}

}  // namespace prehend::cli
