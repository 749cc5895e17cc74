// prehend hand: make the parametric hand, or look into a hand's file.
#include "prehend/jobs/hand.h"
#include "cli/picture_arguments.h"
#include "cli/verbs.h"
#include "prehend/hands/posture.h"

namespace prehend::cli {
namespace {

struct Arguments {
  jobs::HandJob job;
  std::vector<std::string> inputs;
  std::string side, profile;
  PictureArguments picture;
};

void declare(Arguments& a, OptionSet& options) {
  options.inputs("FILE", &a.inputs, 0, 1, "A hand to look into (.xml .glb); none: one is made");
  options.number("--length", &a.job.length, "M", "Wrist crease to middle fingertip, meters [0.19]");
  options.number("--breadth", &a.job.breadth, "M",
                 "Across the metacarpal heads [0.44 of the length]");
  options.choice("--side", &a.side, {"left", "right"}, "Which hand [right]");
  options.choice("--profile", &a.profile, {"ball", "anatomical", "arm"},
                 "What may move: 57, 30 or 35 degrees of freedom [anatomical]");
  std::vector<std::string> postures = hands::posture_names();
  postures.push_back(jobs::kAllPostures);
  options.choice("--posture", &a.job.posture, postures, "How it is held [rest]");
  options.flag("--capsules", &a.job.capsules, "With --posture all: contact shapes instead of skin");
  a.picture.declare(options);
}

Result<int> run(Arguments& a, Session& session) {
  const auto picture = a.picture.request();
  if (!picture) return picture.error();
  a.job.picture = *picture;
  if (!a.inputs.empty()) {
    if (a.inputs[0].empty()) return Error{"hand: the name of the file is empty"};
    a.job.file = a.inputs[0];
  }
  if (!a.side.empty()) a.job.side = a.side == "left" ? Side::kLeft : Side::kRight;
  if (!a.profile.empty())
    a.job.profile = a.profile == "ball"  ? HandProfile::kBall
                    : a.profile == "arm" ? HandProfile::kArm
                                         : HandProfile::kAnatomical;
  return session.carry_out(a.job);
}

}  // namespace

Verb hand_verb() {
  Verb verb = verb_with(declare, run);
  verb.name = "hand";
  verb.summary = "Make a hand from its size, or look into a hand's file";
  verb.examples = {
      {"prehend hand", "the average right hand, as a table"},
      {"prehend hand --length 0.172 --side left --profile ball -o left.glb", "a small left hand"},
      {"prehend hand --posture pinch -o pinch.png", "a picture of a posture"},
      {"prehend hand --posture all -o postures.png", "all of them"},
      {"prehend hand myhand.xml", "what an MJCF hand holds, and how it was understood"},
      {"prehend hand left.glb --json", "the same for other programs"},
  };
  verb.endings = {".glb", ".png", ".json", ".xml", ".bvh", ".html"};
  return verb;
}

}  // namespace prehend::cli
