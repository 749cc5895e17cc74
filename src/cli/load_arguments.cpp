#include "cli/load_arguments.h"

namespace prehend::cli {

void declare_load(jobs::LoadOptions& load, OptionSet& options) {
  options.text("--map", &load.map, "FILE.toml",
               "Which joint of a rig is which of the hand, where the guess is wrong");
  options.text("--units", &load.units, "UNIT", "Of BVH: m, dm, cm, mm, inch [guessed]");
  options.choice("--up", &load.up, {"y", "z"}, "Of BVH [guessed]");
  options.text("--object-units", &load.object_units, "UNIT",
               "Of mesh files [meters, or those of the motion]");
  options.flag("--mirror", &load.mirror, "BVH files are in left-handed coordinates: reflect x");
  options.flag("--no-mirror", &load.no_mirror,
               "Never, even where a hand bends as the other side's");
  options.choice("--side", &load.side, {"left", "right"}, "Of a rig whose names do not tell");
  options.text("--hand,--body", &load.hand, "FILE.xml",
               "MJCF hand or body whose joints a CSV's columns name");
  options.list("--object", &load.objects, "MOTION=OBJECT",
               "An OBJECT (mesh or built-in) moved by a .bvh file, or of that name in a CSV. May "
               "be repeated");
}

}  // namespace prehend::cli
