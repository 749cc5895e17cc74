// Where objects rest although nothing that the clip holds bears them: there was a table or a floor
// that nobody recorded.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "prehend/core/clip.h"

namespace prehend::audit {

struct RestOptions {
  // s that an object must keep still, and how far its lowest point and any other may stray
  // meanwhile, m. Optical capture of a thing at rest strays by tenths of a millimeter.
  double least_time = 0.25;
  double stray = 0.001;
  // s of it that nothing may bear the object, in one run: what keeps still while nothing touches it
  // stands on something, also after a hand has come to take it.
  double least_free_time = 0.04;
  // An object nearer to a hand than this may be held by it, m.
  double hand_distance = 0.01;
  // Heights within this of each other are of one support, m.
  double same_support = 0.008;
};

// One stretch of rest.
struct Rest {
  int object = 0;
  int first = 0;        // frame
  int last = 0;         // frame, included
  double height = 0.0;  // of the object's lowest point, m
};
// All rests for a part of which neither hand, floor nor another object bears, by object and time.
std::vector<Rest> unborne_rests(const Clip& clip, const RestOptions& options = {});

// The level support that explains the most time of rest.
struct Support {
  double height = 0.0;   // m
  double seconds = 0.0;  // of rest on it, of all objects
  std::vector<std::string> objects;
};
std::optional<Support> find_support(const Clip& clip, const RestOptions& options = {});

}  // namespace prehend::audit
