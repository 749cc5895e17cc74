#include "prehend/io/value.h"

#include <gtest/gtest.h>

#include <limits>

#include "prehend/io/report.h"
#include "tests/io/mutate.h"

namespace prehend::io {
namespace {

const char* const kToml =
    "title = \"a \\u00e9\"\n[zoo]\nsize = 3\nat = [1, 2.5, -3e-1]\n[[zoo.animal]]\nname = "
    "'x'\n[[zoo.animal]]\nname = \"y\"\nflag = true\ninline = { b = 1, a = 2 }\n";

TEST(Toml, KeepsKindsOrderAndPlaces) {
  const auto value = parse_toml(kToml, "a.toml");
  ASSERT_TRUE(value.ok()) << value.message();
  const Value* zoo = value->find("zoo");
  ASSERT_TRUE(zoo);
  EXPECT_EQ(zoo->find("size")->integer(), 3);
  EXPECT_EQ(zoo->find("size")->place.line, 3);
  EXPECT_EQ(zoo->find("at")->vector(), Vec3(1, 2.5, -0.3));
  ASSERT_EQ(zoo->find("animal")->items().size(), 2u);
  const Value& second = zoo->find("animal")->items()[1];
  EXPECT_EQ(*second.find("name")->string(), "y");
  EXPECT_EQ(second.find("inline")->members()[0].first, "b");
  EXPECT_EQ(second.find("flag")->boolean(), true);
  EXPECT_FALSE(second.find("flag")->number());
}

TEST(Toml, NamesThePlaceOfAMistake) {
  const auto value = parse_toml("a = 1\nb = = 2\n", "a.toml");
  ASSERT_FALSE(value.ok());
  EXPECT_EQ(value.message().find("a.toml:2:5: "), 0u) << value.message();
}

TEST(Toml, AnswersDamagedFilesWithAValueOrOneLine) {
  const double refused = testing::expect_value_or_one_line(
      kToml, [](const std::string& b) { return parse_toml(b, "m.toml"); });
  EXPECT_GT(refused, 0.2);
  std::string deep = "a";
  for (int i = 0; i < 50000; ++i) deep += ".a";
  EXPECT_FALSE(parse_toml(deep + " = 1", "deep").ok());
  EXPECT_FALSE(parse_toml("[" + deep + "]", "deep").ok());
  EXPECT_FALSE(parse_toml("x = " + std::string(50000, '['), "deep").ok());
}

TEST(Json, WritesWhatIsNotFiniteAsNull) {
  Value value;
  value["nan"] = std::numeric_limits<double>::quiet_NaN();
  value["inf"].push_back(-std::numeric_limits<double>::infinity());
  value["third"] = 1.0 / 3.0;
  value["bytes"] = "a\xff";
  const auto again = parse_json(to_json(value), "x.json");
  ASSERT_TRUE(again.ok()) << again.message();
  EXPECT_TRUE(again->find("nan")->is_null());
  EXPECT_TRUE(again->find("inf")->items()[0].is_null());
  EXPECT_EQ(again->find("third")->number(), 1.0 / 3.0);
}

TEST(Json, AnswersDamagedFilesWithAValueOrOneLine) {
  const std::string good = to_json(*parse_toml(kToml, "a.toml"));
  const double refused = testing::expect_value_or_one_line(
      good, [](const std::string& b) { return parse_json(b, "m.json"); });
  EXPECT_GT(refused, 0.2);
  EXPECT_FALSE(parse_json(std::string(100000, '['), "deep").ok());
}

TEST(Report, HasTheCommonMembersFirst) {
  Report report;
  report.verb = "audit";
  report.inputs = {"a.glb"};
  report.summary.termination = Termination::kInterrupted;
  report.details["frames"] = 12;
  const Value value = to_value(report);
  const char* const order[] = {"verb",    "version", "seed",  "inputs",
                               "seconds", "summary", "audit", "frames"};
  ASSERT_EQ(value.members().size(), std::size(order));
  for (std::size_t i = 0; i < std::size(order); ++i) EXPECT_EQ(value.members()[i].first, order[i]);
  EXPECT_EQ(*value.find("summary")->find("termination")->string(), "interrupted");
}

TEST(NearestWord, FindsSlipsAndNothingFar) {
  EXPECT_EQ(nearest_word("frictoin", {"mass", "friction"}), "friction");
  EXPECT_EQ(nearest_word("masss", {"mass", "friction"}), "mass");
  EXPECT_FALSE(nearest_word("wheel", {"mass", "friction"}));
}

TEST(Json, RowsPutEachListOfNumbersOnALineAndNothingElse) {
  Value value = Value::table();
  value["turn"] = Vec3(1.0, -2.5, 1e-9);
  value["odd [1,\n 2] \"text"] = std::vector<std::string>{"a, b", "[ ]"};
  value["poses"].push_back(std::vector<double>{1.0, 2.0});
  value["poses"].push_back(std::vector<double>{});
  const std::string rows = to_json_rows(value);
  EXPECT_NE(rows.find("\"turn\": [1.0, -2.5, 1e-09],\n"), std::string::npos) << rows;
  EXPECT_NE(rows.find("    [1.0, 2.0],\n    []\n"), std::string::npos) << rows;
  EXPECT_EQ(to_json(parse_json(rows, "rows").value()), to_json(value));
}

}  // namespace
}  // namespace prehend::io
