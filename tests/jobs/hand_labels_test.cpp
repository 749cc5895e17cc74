#include "prehend/jobs/hand_labels.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "prehend/core/hand_builder.h"

namespace prehend::jobs {
namespace {

TEST(HandLabels, NameBodiesAndTheSide) {
  const auto labels = parse_hand_labels(
      "side = \"left\"\nname = \"mine\"\n[bodies]\nwrist = \"root\"\nindex-tip = \"site_1\"\n",
      "h.toml");
  ASSERT_TRUE(labels.ok()) << labels.message();
  EXPECT_EQ(labels->side, Side::kLeft);
  EXPECT_EQ(labels->bodies[0], "root");
  EXPECT_EQ(labels->bodies[xr_tip_of(Digit::kIndex)], "site_1");
}

TEST(HandLabels, MistakesAreOneLineWithTheirPlace) {
  for (const char* text : {"[bodies]\nindex-proximl = \"a\"\n", "[bodies]\nwrist = 3\n",
                           "sid = \"left\"\n", "side = \"up\"\n", "bodies = 4\n", "name = [\n"}) {
    const auto labels = parse_hand_labels(text, "h.toml");
    ASSERT_FALSE(labels.ok()) << text;
    EXPECT_EQ(labels.message().rfind("h.toml:", 0), 0u) << labels.message();
    EXPECT_EQ(labels.message().find('\n'), std::string::npos);
  }
  EXPECT_NE(
      parse_hand_labels("[bodies]\nindex-proximl = \"a\"\n", "h").message().find("index-proximal"),
      std::string::npos);
}

TEST(HandLabels, ASidecarThatNamesAMissingBodyIsRefused) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "hand_labels";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "hand.xml") << physics::hand_to_mjcf(build_hand().value());
  std::ofstream(folder / "hand.toml") << "side = \"right\"\n";
  EXPECT_TRUE(load_mjcf_hand((folder / "hand.xml").string()).ok());
  std::ofstream(folder / "hand.toml") << "[bodies]\nindex-distal = \"elbow\"\n";
  const auto hand = load_mjcf_hand((folder / "hand.xml").string());
  ASSERT_FALSE(hand.ok());
  EXPECT_NE(hand.message().find("elbow"), std::string::npos) << hand.message();
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace prehend::jobs
