// Fingers put back into the file that wrists came from: finger joints that a skeleton has are
// turned anew, those that it lacks are added below its wrists at the hand's own size. Every other
// channel stays byte for byte as it was.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prehend/core/clip.h"
#include "prehend/core/result.h"
#include "prehend/io/rig_map.h"

namespace prehend::io {

struct FingersBack {
  // The hands in the order in which the file's reader gives them, moved as they now should.
  std::span<const HandTrack> hands;
  // Frame of the file at which these tracks begin. Before it fingers stay as they then are, and
  // after the last frame as they were at the end.
  int first_frame = 0;
};

struct WithFingers {
  std::string bytes;               // the whole file
  std::vector<std::string> notes;  // what was added or replaced, a line a hand
};

// `hints` as the file was read with. `name` stands in messages.
Result<WithFingers> bvh_with_fingers(std::string_view text, const std::string& name,
                                     const RigHints& hints, const FingersBack& fingers);
// A .glb that others wrote: joints become nodes, motion keys at the frames of the tracks.
Result<WithFingers> glb_with_fingers(std::string_view bytes, const std::string& name,
                                     const RigHints& hints, const FingersBack& fingers);

}  // namespace prehend::io
