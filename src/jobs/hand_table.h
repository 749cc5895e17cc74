// A hand for people and for programs: a table, and values.
#pragma once

#include <string>

#include "prehend/core/hand.h"
#include "prehend/io/value.h"

namespace prehend::jobs {

std::string hand_text(const Hand& hand);
io::Value hand_value(const Hand& hand);

}  // namespace prehend::jobs
