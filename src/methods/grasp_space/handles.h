// Handles of an object: bars, straight or bent, that a hand closes around.
#pragma once

#include <span>
#include <vector>

#include "prehend/geometry/prepared_object.h"
#include "prehend/methods/grasp_space/grasp.h"

namespace prehend::grasp_space {

// Bars this long, over the longest, are handles to begin at.
inline constexpr double kHandle = 0.6;

// Points of the whole surface. Bars are parts that are long, about as thick as wide, and thin
// enough for a hand to close around them. An object that is a bar as a whole has no handle.
std::vector<PartPoint> find_handles(const geometry::PreparedObject& prepared,
                                    const TriangleMesh& mesh);
double handle_at(std::span<const PartPoint> parts, const Vec3& point_object);

}  // namespace prehend::grasp_space
