#include "jobs/same_mesh.h"

#include <gtest/gtest.h>

#include "prehend/geometry/builtin.h"
#include "prehend/geometry/mirrored_object.h"
#include "prehend/geometry/scaled_object.h"

namespace prehend::jobs {
namespace {

TEST(SameMesh, OneThingInOtherUnitsOrMirroredIsKnownAgain) {
  const Object mug = *geometry::builtin_object("mug");
  const Object large = *geometry::scaled(mug, Vec3::Constant(10.0));
  const auto scaled = same_mesh(*large.shape.mesh, *mug.shape.mesh);
  ASSERT_TRUE(scaled);
  EXPECT_NEAR(scaled->unit, 0.1, 1e-9);
  EXPECT_FALSE(scaled->mirrored);
  const auto mirrored = same_mesh(*large.shape.mesh, *geometry::mirrored(mug).shape.mesh);
  ASSERT_TRUE(mirrored);
  EXPECT_NEAR(mirrored->unit, 0.1, 1e-9);
  // A mug whose handle lies along x differs from its mirror image.
  const auto itself = same_mesh(*mug.shape.mesh, *mug.shape.mesh);
  ASSERT_TRUE(itself);
  EXPECT_FALSE(itself->mirrored);
}

TEST(SameMesh, OtherThingsAreNot) {
  const Object mug = *geometry::builtin_object("mug");
  EXPECT_FALSE(same_mesh(*geometry::builtin_object("bottle")->shape.mesh, *mug.shape.mesh));
  const Object wide = *geometry::scaled(mug, Vec3(1.1, 1.0, 1.0));
  EXPECT_FALSE(same_mesh(*wide.shape.mesh, *mug.shape.mesh));
}

}  // namespace
}  // namespace prehend::jobs
