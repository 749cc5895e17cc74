// Where the contacts of a finished clip are, measured again from its poses alone: neither the gap
// that a method wrote down nor the field that its inner loops read is used.
#pragma once

#include "prehend/core/clip.h"

namespace prehend::jobs {

struct ContactPlaces {
  // Farthest that the point of a contact that pushes is from the object's surface, by the exact
  // distance, and from the skin of the segment that is said to push there, m.
  double off_object_m = 0.0;
  double off_skin_m = 0.0;
  int worst_frame = -1;  // -1: no hand pushes an object
  int pushing = 0;       // contacts that were looked at

  double worst_m() const { return off_object_m > off_skin_m ? off_object_m : off_skin_m; }
};

// Contacts of hands on objects whose force is more than `least_force`, N.
ContactPlaces contact_places(const Clip& clip, double least_force);

}  // namespace prehend::jobs
