// A whole hand as plain values, for files that must bring their hand along: the same fields that a
// GLB's extras have.
#pragma once

#include <string>

#include "prehend/core/hand.h"
#include "prehend/io/value.h"

namespace prehend::io {

Value hand_value(const Hand& hand);
// Fails on missing or mistyped fields and on indices out of range; `where` begins the message.
Result<Hand> hand_from_value(const Value& value, const std::string& where);

}  // namespace prehend::io
