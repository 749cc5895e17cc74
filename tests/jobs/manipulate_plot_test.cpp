// The plot of a motion shows what moved: another motion gives another picture.
#include "jobs/manipulate_plot.h"

#include <gtest/gtest.h>

#include "prehend/geometry/primitive.h"

namespace prehend::jobs {
namespace {

// A ball that goes up at this speed, m/s, beside a table that stands still.
manipulation::Report rising(double speed) {
  manipulation::Report report;
  report.clip.frame_rate = 120.0;
  Object ball = *geometry::object_from_primitive("ball", ShapeKind::kSphere, {0.03, 0, 0}, 0.1);
  Object table = *geometry::object_from_primitive("table", ShapeKind::kBox, {1, 0.1, 1}, 1.0);
  table.fixed = true;
  report.clip.objects.push_back({std::make_shared<const Object>(std::move(ball)), {}});
  report.clip.objects.push_back({std::make_shared<const Object>(std::move(table)), {}});
  for (int f = 0; f < 60; ++f) {
    report.clip.objects[0].poses_world.push_back(
        Transform::from_position({0.0, speed * f / 120.0, 0.0}));
    report.clip.objects[1].poses_world.emplace_back();
  }
  return report;
}

int differing(const picture::Image& a, const picture::Image& b) {
  int count = 0;
  for (size_t i = 0; i < a.rgb.size(); ++i) count += a.rgb[i] != b.rgb[i];
  return count;
}

TEST(ManipulatePlot, AnotherMotionIsAnotherPicture) {
  const picture::Image slow = manipulate_plot(rising(0.1), "up"),
                       fast = manipulate_plot(rising(0.2), "up"),
                       again = manipulate_plot(rising(0.1), "up");
  ASSERT_EQ(slow.rgb.size(), fast.rgb.size());
  ASSERT_FALSE(slow.rgb.empty());
  EXPECT_EQ(differing(slow, again), 0);
  EXPECT_GT(differing(slow, fast), 100);
}

// A motion that ended before the hands had gripped has nothing to show, and that is no error.
TEST(ManipulatePlot, NothingAfterTheGripIsAnEmptyPlot) {
  manipulation::Report report = rising(0.1);
  report.task_start = 10.0;
  EXPECT_FALSE(manipulate_plot(report, "up").rgb.empty());
}

}  // namespace
}  // namespace prehend::jobs
