#include "prehend/io/marker_file.h"

#include <gtest/gtest.h>

namespace prehend::io {
namespace {

const std::string kHeading =
    "NO_OF_FRAMES\t2\nFREQUENCY\t100\nMARKER_NAMES\tindex_tip\thand_top\nTRAJECTORY_"
    "TYPES\tMeasured\n"
    "Frame\tTime\tindex_tip X\tindex_tip Y\tindex_tip Z\thand_top X\thand_top Y\thand_top Z\n";

TEST(MarkerFile, ReadsMillimetersWithZUpAndGaps) {
  const auto read = parse_markers(
      kHeading + "1\t0.0\t1000\t2000\t3000\t1\t2\t3\r\n2\t0.01\t\t\t\t0\t0\t0\n", "m.tsv");
  ASSERT_TRUE(read.ok()) << read.message();
  EXPECT_EQ(read->frame_rate, 100.0);
  ASSERT_EQ(read->frame_count(), 2);
  EXPECT_TRUE(read->positions_world[0][0].isApprox(Vec3(1.0, 3.0, -2.0)));
  EXPECT_FALSE(read->positions_world[1][0].allFinite());
  EXPECT_FALSE(read->positions_world[1][1].allFinite());
}

TEST(MarkerFile, NamesLineAndMistake) {
  EXPECT_EQ(parse_markers(kHeading + "1\t0.0\t1\tx\t3\t1\t2\t3\n", "m.tsv").message(),
            "m.tsv:6: index_tip: \"x\" is not a number");
  EXPECT_EQ(parse_markers(kHeading + "1\t0.0\t1\t2\n", "m.tsv").message(),
            "m.tsv:6: 4 cells where 2 markers need 8");
  EXPECT_EQ(parse_markers("a\tb\n1\t2\n", "m.tsv").message().find("m.tsv: has no line"), 0u);
  EXPECT_EQ(parse_markers(kHeading, "m.tsv").message(), "m.tsv: has no frames");
}

}  // namespace
}  // namespace prehend::io
