// Wrists and objects that two systems captured, or that one filtered differently, are a little
// apart in time. A fast hand that comes 15 ms late is centimeters away from what it holds.
#pragma once

#include <string>
#include <vector>

#include "prehend/core/clip.h"

namespace prehend::jobs {

// How much earlier an object must be seen, s (below zero: later), for the hand that carries it to
// move least against it. 0 where that does not make it much calmer, or where nothing is carried.
double time_offset(const Clip& clip, int object);

// The object as it was `seconds` earlier.
void delay_object(double frame_rate, double seconds, ObjectTrack& track);

// Finds each object's offset and takes it away, with a note.
void align_objects(Clip& clip, std::vector<std::string>& notes);

}  // namespace prehend::jobs
