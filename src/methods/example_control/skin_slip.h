// Beyond the paper: whether two hands that shake really hold each other. Wrists on rails keep their
// places whatever the skins do, so skins are looked at.
#pragma once

#include "prehend/core/clip.h"

namespace prehend::example_control {

struct SkinContact {
  double slip = 0.0;           // m, farthest that a segment slid over one of the other hand
  double palms_touched = 0.0;  // share of the frames in which each palm feels the other hand
  double palm_on_palm = 0.0;   // share of the frames in which palm lies on palm
};

// From the contacts that the clip records, from one time to another.
SkinContact skin_contact(const Clip& clip, double from, double to);

}  // namespace prehend::example_control
