// The generic hand's skin that travels inside the binary.
#pragma once

#include "prehend/core/skin.h"

namespace prehend::io {

// The WebXR generic hand: about 2,000 vertices and OpenXR's 25 joints, in the frame of its wrist at
// bind time (-Z towards the fingers, +Y out of the back of the hand). Its tips lie inside the
// fingertips.
const SkinAsset& generic_hand_skin(Side side);

// Where the joints of that skin stand at bind time, in the wrist's frame.
using RestFrames = std::array<Transform, kXrJointCount>;
const RestFrames& generic_hand_frames(Side side);

}  // namespace prehend::io
