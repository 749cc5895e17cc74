// The files that hands came in, for whoever puts fingers back into them.
#pragma once

#include <string>
#include <vector>

#include "prehend/jobs/load.h"

namespace prehend::jobs {

// How the options say that a rig is to be read.
Result<io::RigHints> rig_hints(const LoadOptions& options);

// A file of a rig and which of the hands of all files together are its own.
struct RigSource {
  std::string path;
  bool glb = false;    // else BVH
  std::string text;    // of a body that was recorded as a table: the same as BVH
  io::RigHints hints;  // as it was read with
  int first_hand = 0;
  int hand_count = 0;
};

// Of clips that load_clips has read with these options. Clips of this program's own, and tables of
// one hand, have no rig.
Result<std::vector<RigSource>> rig_sources(const std::vector<std::string>& paths,
                                           const LoadOptions& options);

}  // namespace prehend::jobs
