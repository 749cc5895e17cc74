// The same object in another size.
#pragma once

#include "prehend/core/object.h"
#include "prehend/core/result.h"

namespace prehend::geometry {

// Of the same density. Scaled alike along all axes a primitive stays one, and a box always does;
// of anything else the mesh is what is left.
Result<Object> scaled(Object object, const Vec3& scale);

}  // namespace prehend::geometry
