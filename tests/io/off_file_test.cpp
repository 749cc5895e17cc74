#include "io/off_file.h"

#include <gtest/gtest.h>

namespace prehend::io {
namespace {

constexpr const char* kTriangle = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";

TEST(OffFile, IsReadInItsManyForms) {
  for (const char* text :
       {kTriangle, "OFF 3 1 3\r\n0 0 0\r\n1 0 0\r\n0 1 0\r\n3 0 1 2\r\n",
        "# made by hand\nCOFF # with colors\n\n3 1\n0 0 0 255 0 0 255\n1 0 0 0 0 0 0\n"
        "# the last\n0 +1 0 1 1 1 1\n 3  0 1 2  0.5 0.5 0.5\n",
        "NOFF\n3 1 0\n0 0 0 0 0 1\n1 0 0 0 0 1\n0 1 0 0 0 1\n3 0 1 2"}) {
    const auto mesh = parse_off(text);
    ASSERT_TRUE(mesh.ok()) << mesh.message() << "\n" << text;
    ASSERT_EQ(mesh->vertices.size(), 3u);
    EXPECT_EQ(mesh->vertices[2], Vec3(0, 1, 0));
    ASSERT_EQ(mesh->polygons.size(), 1u);
    EXPECT_EQ(mesh->polygons[0], (std::vector<int>{0, 1, 2}));
  }
}

// Coordinates where faces should be, in more lines than are promised: this ended the program.
TEST(OffFile, CoordinatesInThePlaceOfFacesAreRefused) {
  std::string text = "OFF\n4 6 0\n";
  for (int i = 0; i < 12; ++i) text += "0.03 -0.03 0.03\n";
  const auto mesh = parse_off(text);
  ASSERT_FALSE(mesh.ok());
  EXPECT_EQ(mesh.message(), "line 7: face 0 has \"0.03\" corners; a number up to 1000 is expected");
}

TEST(OffFile, WhatIsWrongIsSaidWithItsLine) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "empty"},
      {"OOF\n3 1 0\n", "first line"},
      {"OFF BINARY\n3 1 0\n", "binary"},
      {"4OFF\n3 1 0\n0 0 0 1\n1 0 0 1\n0 1 0 1\n3 0 1 2\n", "dimension"},
      {"OFF\n-3 1 0\n", "counts"},
      {"OFF\n3 1 0\n0 0 0\n1 0\n0 1 0\n3 0 1 2\n", "line 4: vertex 1 needs three numbers"},
      {"OFF\n3 1 0\n0 0 0\n1 0 nan\n0 1 0\n3 0 1 2\n", "line 4: vertex 1"},
      {"OFF\n3 1 0\n0 0 0\n1 0 1e999\n0 1 0\n3 0 1 2\n", "line 4: vertex 1"},
      {"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", "line 6: face 0 names vertex \"3\""},
      {"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n", "line 6: face 0 names vertex \"-1\""},
      {"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n4 0 1 2\n", "line 6: face 0 names vertex \"\""},
      {"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n4294967299 0 1 2\n", "corners"},
      {"OFF\n3 2 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", "cut short: 1 of 2 faces"},
      {"OFF\n9999999 1 0\n0 0 0\n", "cut short"},
  };
  for (const auto& [text, says] : cases) {
    const auto mesh = parse_off(text);
    ASSERT_FALSE(mesh.ok()) << text;
    EXPECT_NE(mesh.message().find(says), std::string::npos) << mesh.message();
  }
}

}  // namespace
}  // namespace prehend::io
