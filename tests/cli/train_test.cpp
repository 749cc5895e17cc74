#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stop_token>

#include <gtest/gtest.h>

#include "prehend/core/atomic_file.h"
#include "prehend/io/glb.h"
#include "prehend/jobs/grasp_model.h"
#include "prehend/methods/grasp_space/examples.h"
#include "tests/cli/command.h"
#include "tests/recordings.h"

namespace prehend::cli {
namespace {

namespace fs = std::filesystem;

class TrainCommand : public Command {
 protected:
  TrainCommand() : Command("train") {}

  // A hand that closes in `rows` steps, the fingers ahead of the thumb.
  void write_poses(const std::string& path, int rows, double amplitude = 1.0) const {
    std::ofstream file(path);
    for (int c = 0; c < 45; ++c) file << (c ? "," : "") << "v" << c;
    file << "\n";
    for (int r = 0; r < rows; ++r) {
      const double t = double(r) / rows;
      for (int c = 0; c < 45; ++c) {
        const double turn = c % 3 ? 0.1 * std::sin(9.0 * t + c) : c < 9 ? -t * t : -t;
        file << (c ? "," : "") << amplitude * turn;
      }
      file << "\n";
    }
  }
};

TEST_F(TrainCommand, MakesAModelAReportAndAPictureFromATable) {
  write_poses(at("poses.csv"), 200);
  ASSERT_EQ(call({at("poses.csv"), "--dimensions", "2", "-o", at("mine.json"), "-o", at("mine.png"),
                  "--picture", "density", "--report", at("report.json")}),
            kExitDone)
      << err;
  const auto space = jobs::load_grasp_model(at("mine.json"));
  ASSERT_TRUE(space.ok()) << space.message();
  EXPECT_EQ(space->name, "mine");
  EXPECT_EQ(space->hand, "table");
  EXPECT_EQ(space->samples, 200);
  EXPECT_EQ(space->dimension(), 2);
  EXPECT_GT(fs::file_size(at("mine.png")), 10000u);
  const auto report = io::parse_json(*read_file(at("report.json")), "report");
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->find("samples")->integer(), 200);
  EXPECT_NEAR(*report->find("variance")->items()[1].find("cumulative")->number(),
              space->pca.kept(2), 1e-12);
  EXPECT_EQ(*report->find("literature")->find("variance_kept_by_3")->number(), 0.87);
  EXPECT_EQ(report->find("bic")->items().size() >= 1, true);
}

TEST_F(TrainCommand, ReadsItsOwnExamplesBackFromAClip) {
  ASSERT_EQ(call({"--example", "hook", "-o", at("hook.glb"), "-o", at("hook.json")}), kExitDone)
      << err;
  const auto clip = io::read_glb(at("hook.glb"));
  ASSERT_TRUE(clip.ok()) << clip.message();
  EXPECT_EQ(clip->hands.size(), clip->objects.size());
  ASSERT_EQ(call({at("hook.glb"), "-o", at("again.json")}), kExitDone) << err;
  const auto first = jobs::load_grasp_model(at("hook.json")).value();
  const auto again = jobs::load_grasp_model(at("again.json")).value();
  // Single precision in the file, and a pose now and then on the other side of the least change.
  EXPECT_NEAR(again.samples, first.samples, 0.02 * first.samples);
  EXPECT_LT((again.pca.mean - first.pca.mean).norm(), 0.02);
  EXPECT_NEAR(again.pca.kept(3), first.pca.kept(3), 0.005);
}

TEST_F(TrainCommand, TakesTheDimensionsThatKeepAFraction) {
  write_poses(at("poses.csv"), 150);
  ASSERT_EQ(call({at("poses.csv"), "--variance", "0.9", "-o", at("a.json")}), kExitDone) << err;
  const auto space = jobs::load_grasp_model(at("a.json")).value();
  EXPECT_GE(space.pca.kept(space.dimension()), 0.9);
  EXPECT_LT(space.pca.kept(space.dimension() - 1), 0.9);
}

TEST_F(TrainCommand, StopsWhenAskedAndLeavesNothing) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(call({"--example", "hook", "-o", at("a.json")}, stop.get_token()), kExitInterrupted);
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST_F(TrainCommand, RefusesBadInputInOneLine) {
  write_poses(at("few.csv"), 3);
  write_poses(at("still.csv"), 100, 1e-4);
  std::ofstream(at("hole.csv")) << std::string(44, ',') << "\n";
  expect_error({}, "--example");
  expect_error({"--example", "pinch"}, "pinch");
  expect_error({at("few.csv"), "--example", "hook"}, "--example");
  expect_error({at("few.csv")}, "too few");
  expect_error({at("still.csv")}, "no finger motion");
  expect_error({at("missing.bvh")}, "missing.bvh");
  expect_error({at("few.csv"), "--dimensions", "46"}, "1 to 45");
  expect_error({at("few.csv"), "--dimensions", "2", "--variance", "0.9"}, "exclude");
  expect_error({at("few.csv"), "--outliers", "1.5"}, "--outliers");
  expect_error({at("few.csv"), "-o", at("x.glb")}, "--example");
  expect_error({at("few.csv"), "-o", at("x.txt")}, ".txt");
  std::ofstream table(at("nan.csv"));
  for (int c = 0; c < 45; ++c) table << (c ? "," : "") << "v" << c;
  table << "\n";
  for (int c = 0; c < 45; ++c) table << (c ? "," : "") << (c == 7 ? "nan" : "1");
  table << "\n";
  table.close();
  expect_error({at("nan.csv")}, "column v7");
}

TEST_F(TrainCommand, LearnsFromRecordings) {
  const fs::path recorded = recording("myodm");
  PREHEND_SKIP_WITHOUT(recorded);
  std::vector<std::string> arguments;
  for (const auto& entry : fs::directory_iterator(recorded)) {
    if (entry.path().extension() == ".csv") arguments.push_back(entry.path().string());
  }
  std::sort(arguments.begin(), arguments.end());
  arguments.resize(3);
  arguments.insert(arguments.end(),
                   {"--hand", recording("myohand/myohand.xml").string(), "-o", at("m.json")});
  ASSERT_EQ(call(arguments), kExitDone) << err;
  EXPECT_GT(jobs::load_grasp_model(at("m.json"))->pca.kept(3), 0.6);
}

}  // namespace
}  // namespace prehend::cli
