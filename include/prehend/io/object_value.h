// A whole object as plain values, for files that must bring their object along.
#pragma once

#include <string>

#include "prehend/core/object.h"
#include "prehend/io/value.h"

namespace prehend::io {

// With its mesh and a hash of it.
Value object_value(const Object& object);
// Fails on missing or mistyped fields, indices out of range and a mesh that is not the one that was
// written; `where` begins the message.
Result<Object> object_from_value(const Value& value, const std::string& where);

}  // namespace prehend::io
