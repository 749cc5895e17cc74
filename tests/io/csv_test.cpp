#include "prehend/io/csv.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

#include "prehend/core/atomic_file.h"
#include "prehend/core/hand_builder.h"
#include "prehend/io/clip_csv.h"
#include "tests/io/mutate.h"
#include "tests/io/test_clip.h"
#include "tests/recordings.h"

namespace prehend::io {
namespace {

namespace fs = std::filesystem;

TEST(Csv, ReadsNamesUnitsQuotesAndGaps) {
  const auto table = parse_csv(
      "# recorded by hand\r\n"
      "time_s,ARTx_mm,\"flex, ion_deg\",label,grip (N)\r\n"
      "0,1000,90,a,1\r\n"
      "\r\n"
      "0.02, 2000 ,nan,\"b \"\"x\"\"\",\r\n",
      "t.csv");
  ASSERT_TRUE(table.ok()) << table.message();
  ASSERT_EQ(table->columns.size(), 5u);
  EXPECT_EQ(table->row_count, 2);
  EXPECT_EQ(table->columns[1].base, "ARTx");
  EXPECT_EQ(table->columns[1].unit, "mm");
  EXPECT_EQ(table->columns[2].base, "flex, ion");
  EXPECT_EQ(table->columns[4].base, "grip");
  EXPECT_EQ(table->columns[3].texts[1], "b \"x\"");
  EXPECT_EQ(table->missing_cells, 2);
  EXPECT_TRUE(std::isnan(table->columns[2].values[1]));
  EXPECT_DOUBLE_EQ((*table->si("ARTx"))[1], 2.0);
  EXPECT_DOUBLE_EQ((*table->si("flex, ion"))[0], kPi / 2);
  EXPECT_EQ(table->si("ARTy").message(), "t.csv: no column \"ARTy\"; did you mean \"ARTx\"?");
}

TEST(Csv, TakesOtherSeparatorsAndTablesWithoutNames) {
  const auto semicolons = parse_csv("a;b\n1;2\n3;4", "s");
  ASSERT_TRUE(semicolons.ok());
  EXPECT_EQ(semicolons->columns[1].values[1], 4.0);
  const auto tabs = parse_csv("1\t2\t3\n4\t5\t6\n", "s");
  ASSERT_TRUE(tabs.ok());
  EXPECT_EQ(tabs->row_count, 2);
  EXPECT_EQ(tabs->columns[2].name, "2");
}

TEST(Csv, NamesLineAndColumnOfAMistake) {
  EXPECT_EQ(parse_csv("a,b\n1,2\n3,x\n", "t.csv").message(),
            "t.csv:3: column 2: \"x\" is not a number");
  EXPECT_EQ(parse_csv("a,b\n1,2\n3\n", "t.csv").message(),
            "t.csv:3: 1 cells where the first line has 2");
  EXPECT_EQ(parse_csv("a,b\n1,\"2\n", "t.csv").message(),
            "t.csv:2: column 2: a quote that never closes");
  EXPECT_EQ(parse_csv("a,b\n", "t.csv").message(), "t.csv: names of columns, but no rows");
}

TEST(Csv, SaysWhenTimeRestartsOrIsUneven) {
  const auto times = [](const char* text) { return csv_times(*parse_csv(text, "t")); };
  CsvTimes even = times("time_ms,x\n100,1\n120,1\n140,1\n");
  EXPECT_TRUE(even.uniform);
  EXPECT_DOUBLE_EQ(even.frame_rate, 50.0);
  EXPECT_DOUBLE_EQ(even.seconds[1], 0.02);
  EXPECT_TRUE(even.note.empty());
  CsvTimes restart = times("Time,x\n0,1\n0.1,1\n0,1\n0.1,1\n");
  EXPECT_EQ(restart.restarts, std::vector<int>{2});
  EXPECT_EQ(restart.note, "time does not advance at row 3 (1 such rows)");
  CsvTimes uneven = times("t,x\n0,1\n0.1,1\n0.25,1\n0.35,1\n");
  EXPECT_FALSE(uneven.uniform);
  EXPECT_EQ(uneven.note, "uneven times: steps of 0.1 to 0.15 s");
  EXPECT_EQ(times("x\n1\n").column, -1);
}

TEST(Csv, AnswersDamagedFilesWithAValueOrOneLine) {
  const std::string good = "time_s,a_m,\"b\"\n0,1,2\n0.1,2,3\n0.2,-1e-3,4\n# end\n0.3,4,\"5\"\n";
  const double refused = testing::expect_value_or_one_line(good, [](const std::string& bytes) {
    auto table = parse_csv(bytes, "m.csv");
    if (table) csv_times(*table);
    return table;
  });
  EXPECT_GT(refused, 0.15);
}

class ClipCsv : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("csv_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    path_ = (folder_ / "clip.csv").string();
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
  std::string path_;
};

TEST_F(ClipCsv, ComesBackBitForBit) {
  const Clip clip = testing::test_clip();
  const auto written = write_clip_csv(path_, clip);
  ASSERT_TRUE(written.ok()) << written.message();
  ASSERT_EQ(written->size(), 2u);
  const auto back = read_clip_csv(path_, clip);
  ASSERT_TRUE(back.ok()) << back.message();
  EXPECT_EQ(back->frame_rate, clip.frame_rate);
  ASSERT_EQ(back->hands.size(), 2u);
  ASSERT_EQ(back->objects.size(), 2u);
  EXPECT_TRUE(back->forces_recorded);
  EXPECT_EQ(back->floor_height, clip.floor_height);
  for (int f = 0; f < clip.frame_count(); ++f) {
    for (int h = 0; h < 2; ++h) {
      const HandPose& want = clip.hands[h].poses[f];
      const HandPose& got = back->hands[h].poses[f];
      EXPECT_EQ(got.root_world.position, want.root_world.position);
      EXPECT_EQ(got.root_world.rotation.coeffs(), want.root_world.rotation.coeffs());
      for (std::size_t s = 1; s < want.rotations.size(); ++s)
        EXPECT_EQ(got.rotations[s].coeffs(), want.rotations[s].coeffs());
    }
    for (int o = 0; o < 2; ++o)
      EXPECT_EQ(back->objects[o].poses_world[f].position, clip.objects[o].poses_world[f].position);
    ASSERT_EQ(back->contacts[f].size(), clip.contacts[f].size());
    for (std::size_t c = 0; c < clip.contacts[f].size(); ++c) {
      const Contact& want = clip.contacts[f][c];
      const Contact& got = back->contacts[f][c];
      EXPECT_TRUE(got.between(want.by, want.on));
      EXPECT_EQ(got.point_on, want.point_on);
      EXPECT_EQ(got.normal_world, want.normal_world);
      EXPECT_EQ(got.force_world, want.force_world);
      EXPECT_EQ(got.torque_normal, want.torque_normal);
      EXPECT_EQ(got.gap, want.gap);
    }
  }
}

// The form before contacts had two sides: the first rows have no segment, which is how a table of
// the old form read as words only from a later row on.
TEST_F(ClipCsv, ContactsOfTheOldFormAreRead) {
  Clip clip = testing::test_clip();
  for (auto& contacts : clip.contacts) contacts.clear();
  ASSERT_TRUE(write_clip_csv(path_, clip).ok());
  const std::string segment = clip.hands[1].hand->segments[2].name;
  ASSERT_TRUE(write_file((folder_ / "clip.contacts.csv").string(),
                         "# prehend contacts, forces_recorded true\n"
                         "frame,time_s,hand,segment,object,point_x_m,point_y_m,point_z_m,normal_x,"
                         "normal_y,normal_z,force_x_N,force_y_N,force_z_N,torque_normal_Nm,gap_m\n"
                         "1,0.1,environment,-,box,1,2,3,0,1,0,4,5,6,7,-0.5\n"
                         "1,0.1,environment,table,box,1,2,3,0,1,0,4,5,6,7,0\n"
                         "2,0.2,left," +
                             segment + ",table,1,2,3,0,1,0,4,5,6,7,0\n"));
  const auto back = read_clip_csv(path_, clip);
  ASSERT_TRUE(back.ok()) << back.message();
  EXPECT_TRUE(back->forces_recorded);
  ASSERT_EQ(back->contacts[1].size(), 2u);
  const Contact& first = back->contacts[1][0];
  EXPECT_TRUE(first.between(ContactSide::surroundings(), ContactSide::object(0)));
  EXPECT_EQ(first.point_on, Vec3(1, 2, 3));
  EXPECT_EQ(first.force_world, Vec3(4, 5, 6));
  EXPECT_EQ(first.torque_normal, 7.0);
  EXPECT_EQ(first.gap, -0.5);
  EXPECT_TRUE(back->contacts[1][1].between(ContactSide::object(1), ContactSide::object(0)));
  ASSERT_EQ(back->contacts[2].size(), 1u);
  EXPECT_TRUE(back->contacts[2][0].between(ContactSide::hand(1, 2), ContactSide::object(1)));
}

TEST_F(ClipCsv, ObjectsWithoutAShapeAreLeftOutAndNamed) {
  const Clip clip = testing::test_clip();
  ASSERT_TRUE(write_clip_csv(path_, clip).ok());
  Clip like = clip;
  like.objects.erase(like.objects.begin());
  const auto back = read_clip_csv(path_, like);
  ASSERT_TRUE(back.ok()) << back.message();
  ASSERT_EQ(back->objects.size(), 1u);
  EXPECT_EQ(objects_without_shape(*read_csv(path_), *back), std::vector<std::string>{"box"});
  EXPECT_TRUE(objects_without_shape(*read_csv(path_), clip).empty());
  // Contacts of the hands with each other and with the table stay, those of the box go.
  int kept = 0, wanted = 0;
  for (const auto& contacts : back->contacts) kept += static_cast<int>(contacts.size());
  for (const auto& contacts : clip.contacts)
    for (const Contact& contact : contacts) wanted += !contact.on.is_object(0);
  EXPECT_EQ(kept, wanted);
  EXPECT_GT(kept, 0);
}

TEST_F(ClipCsv, WhatIsFixedStaysFixed) {
  Clip clip = testing::test_clip();
  Object table = *clip.objects[1].object;
  table.fixed = true;
  const Clip like = clip;
  clip.objects[1].object = std::make_shared<const Object>(table);
  ASSERT_TRUE(write_clip_csv(path_, clip).ok());
  const auto back = read_clip_csv(path_, like);
  ASSERT_TRUE(back.ok()) << back.message();
  EXPECT_FALSE(back->objects[0].object->fixed);
  EXPECT_TRUE(back->objects[1].object->fixed);
}

TEST_F(ClipCsv, NumbersOfItsHeaderMustBeBelievable) {
  Clip clip;
  const Hand hand = *build_hand();
  clip.frame_rate = 60.0;
  clip.hands = {{std::make_shared<const Hand>(hand), {rest_pose(hand), rest_pose(hand)}}};
  ASSERT_TRUE(write_clip_csv(path_, clip).ok());
  const std::string good = *read_file(path_);
  ASSERT_TRUE(read_clip_csv(path_, {}).ok());
  for (const char* label : {"frame_rate ", " length "}) {
    const auto first = good.find(label) + std::strlen(label);
    const auto last = good.find_first_of(" \n", first);
    for (const char* bad : {"0", "nan", "-60", "1e300", "inf", "x"}) {
      ASSERT_TRUE(write_file(path_, good.substr(0, first) + bad + good.substr(last)).ok());
      const auto read = read_clip_csv(path_, {});
      ASSERT_FALSE(read.ok()) << label << bad;
      EXPECT_EQ(read.message().find('\n'), std::string::npos);
    }
  }
}

TEST_F(ClipCsv, NothingIsWrittenThatIsNotFinite) {
  Clip clip = testing::test_clip();
  clip.objects[0].poses_world[1].position.x() = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(write_clip_csv(path_, clip).ok());
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(ClipCsv, AnswersDamagedFilesWithAValueOrOneLine) {
  const Clip clip = testing::test_clip(3);
  ASSERT_TRUE(write_clip_csv(path_, clip).ok());
  const std::string motion = *read_file(path_);
  const std::string contacts_path = (folder_ / "clip.contacts.csv").string();
  const std::string contacts = *read_file(contacts_path);
  const auto read = [&](const std::string& target) {
    return [&, target](const std::string& bytes) -> Result<Clip> {
      if (const Status s = write_file(target, bytes); !s) return s.error();
      return read_clip_csv(path_, clip);
    };
  };
  EXPECT_GT(testing::expect_value_or_one_line(motion, read(path_)), 0.4);
  ASSERT_TRUE(write_file(path_, motion).ok());
  EXPECT_GT(testing::expect_value_or_one_line(contacts, read(contacts_path)), 0.3);
}

TEST(CsvRecordings, AreRead) {
  const fs::path folder = recording("myodm");
  PREHEND_SKIP_WITHOUT(folder);
  int files = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".csv") continue;
    const auto table = read_csv(entry.path().string());
    ASSERT_TRUE(table.ok()) << table.message();
    EXPECT_EQ(table->columns[table->find("mcp2_flexion")].unit, "rad");
    EXPECT_EQ(table->missing_cells, 0);
    EXPECT_DOUBLE_EQ(csv_times(*table).frame_rate, 50.0) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 10);
}

}  // namespace
}  // namespace prehend::io
