// An object as a mirror shows it.
#pragma once

#include "prehend/core/object.h"

namespace prehend::geometry {

// Reflected in the plane x = 0 of its frame.
Object mirrored(Object object);

}  // namespace prehend::geometry
