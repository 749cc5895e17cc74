// How far touching segments slide over objects, other hands and the floor.
#pragma once

#include <vector>

#include "audit/frame_finding.h"
#include "prehend/core/clip.h"

namespace prehend::audit {

// contacts[f] lists who touches in frame f. A stretch of contact is a run of frames in which two
// sides, at least one of them a hand's segment, keep touching; its slip is the net tangential way
// of the one's surface over the other's. The way of a frame ends where the next one begins.
void add_slips(const Clip& clip, const std::vector<std::vector<Contact>>& contacts,
               std::vector<FrameFindings>& findings);

}  // namespace prehend::audit
