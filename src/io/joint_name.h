// The parts of a joint's name, before the rig as a whole says what its numbers mean.
#pragma once

#include <string>
#include <vector>

#include "prehend/io/rig_map.h"

namespace prehend::io {

struct NameParts {
  JointName name;
  bool finger = false;             // the word "finger": a number then says which
  bool counts_from_index = false;  // "palm.01" and "carpal1" are the index finger's
  bool body = false;               // a word of another part of the body
  bool finger_number_seen = false;
  std::vector<std::string> numbers;
};

NameParts name_parts(const std::string& full_name);

}  // namespace prehend::io
