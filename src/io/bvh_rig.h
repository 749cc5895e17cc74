// The hands of a BVH file and how its joints carry them.
#pragma once

#include <string>
#include <vector>

#include "io/rig_hand.h"
#include "prehend/io/bvh.h"

namespace prehend::io {

struct BvhRig {
  Bvh bvh;  // reflected, where the hints say so
  RigSkeleton skeleton;
  UpAxis up = UpAxis::kY;
  double meters_per_unit = 1.0;
  std::vector<RigHandModel> models;  // one a hand
};

// `name` tells the side of a rig whose joints do not, and stands in messages.
Result<BvhRig> bvh_rig(const Bvh& file, const std::string& name, const RigHints& hints);

}  // namespace prehend::io
