#include "prehend/jobs/grasp_model.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "prehend/methods/grasp_space/examples.h"
#include "prehend/methods/grasp_space/train.h"

namespace prehend::jobs {
namespace {

using grasp_space::GraspSpace;

TEST(GraspModel, ShippedOnesAreSound) {
  for (const std::string& name : grasp_space::model_names()) {
    const auto space = load_grasp_model(name);
    ASSERT_TRUE(space.ok()) << space.message();
    EXPECT_EQ(space->name, name);
    EXPECT_EQ(space->hand, "right");
    EXPECT_EQ(space->dimension(), 3);
    EXPECT_GT(space->samples, 300);
    EXPECT_GT(space->pca.kept(3), 0.8) << name;
    EXPECT_TRUE(space->natural(space->open)) << name;
  }
}

// Numbers of the iterations differ in their last digits between machines.
TEST(GraspModel, TrainingAgainGivesTheShippedOnes) {
  constexpr double kTolerance = 1e-6;
  for (const auto kind : {hands::GraspKind::kHook, hands::GraspKind::kLateral}) {
    const char* name = to_string(kind);
    const auto clips = grasp_space::example_motions(kind);
    grasp_space::TrainOptions options;
    options.name = name;
    const auto samples = grasp_space::pose_samples(clips, options.least_change).value();
    const auto again = grasp_space::train(samples, options);
    ASSERT_TRUE(again.ok()) << again.message();
    const GraspSpace shipped = load_grasp_model(name).value();
    EXPECT_EQ(again->space.samples, shipped.samples) << name;
    EXPECT_LT((again->space.pca.mean - shipped.pca.mean).norm(), kTolerance) << name;
    EXPECT_LT((again->space.pca.components - shipped.pca.components).norm(), kTolerance) << name;
    EXPECT_NEAR(again->space.log_threshold, shipped.log_threshold, kTolerance) << name;
    EXPECT_LT((again->space.open - shipped.open).norm(), kTolerance) << name;
  }
}

// Of other performances than it was trained on; in the middle of a clip the hand holds.
TEST(GraspModel, TheGeneralOneKnowsEveryKindOfGrasp) {
  const GraspSpace general = load_grasp_model("general").value();
  grasp_space::ExampleOptions options;
  options.seed = 7;
  options.repetitions = 1;
  int natural = 0, all = 0;
  const auto clips = grasp_space::example_motions({}, options);
  for (const Clip& clip : clips) {
    const HandTrack& track = clip.hands[0];
    const auto closed = grasp_space::pose_vector(*track.hand, track.poses[track.poses.size() / 2]);
    natural += general.natural(general.pca.project(closed)) ? 1 : 0;
    ++all;
  }
  EXPECT_GE(natural, 0.9 * all);
}

TEST(GraspModel, SurvivesTheWayThroughAFileExactly) {
  const GraspSpace space = load_grasp_model("tip").value();
  const std::string text = io::to_json(grasp_model_value(space));
  const auto value = io::parse_json(text, "x");
  ASSERT_TRUE(value.ok());
  const auto back = parse_grasp_model(*value, "x");
  ASSERT_TRUE(back.ok()) << back.message();
  EXPECT_EQ(io::to_json(grasp_model_value(*back)), text);
  EXPECT_EQ(back->pca.components, space.pca.components);
  EXPECT_EQ(back->mixture.log_density(space.open), space.mixture.log_density(space.open));
}

// A model with one member changed is refused in a line that names it.
void expect_refused(const std::function<void(io::Value&)>& spoil, const std::string& part) {
  io::Value value = grasp_model_value(load_grasp_model("tip").value());
  spoil(value);
  const auto read = parse_grasp_model(value, "bad.json");
  ASSERT_FALSE(read.ok()) << part;
  EXPECT_TRUE(read.message().starts_with("bad.json: ")) << read.message();
  EXPECT_NE(read.message().find(part), std::string::npos) << read.message();
  EXPECT_EQ(read.message().find('\n'), std::string::npos);
}

TEST(GraspModel, RefusesWhatIsWrongAndNamesIt) {
  const auto first = [](io::Value& v) -> io::Value& {
    return const_cast<io::Value&>(v.find("gaussians")->items()[0]);
  };
  expect_refused([](io::Value& v) { v["format"] = "other"; }, "format");
  expect_refused([](io::Value& v) { v = io::Value::table(); }, "format");
  expect_refused([](io::Value& v) { v["version"] = 2; }, "version");
  expect_refused([](io::Value& v) { v["mean"] = std::vector<double>(44); }, "mean");
  expect_refused([](io::Value& v) { v["mean"] = io::Value(); }, "mean");
  expect_refused([](io::Value& v) { v["dimensions"] = 4; }, "components");
  expect_refused([](io::Value& v) { v["dimensions"] = 1e9; }, "dimensions");
  expect_refused([](io::Value& v) { v["dimensions"] = 2.5; }, "dimensions");
  expect_refused([](io::Value& v) { v["joints"] = std::vector<std::string>{"wrist"}; }, "joints");
  expect_refused([](io::Value& v) { v["open"] = "wide"; }, "open");
  expect_refused([](io::Value& v) { v["log_threshold"] = NAN; }, "log_threshold");
  expect_refused([](io::Value& v) { v["lower"] = std::vector<double>(3, 99.0); }, "lower");
  expect_refused([](io::Value& v) { v["gaussians"] = io::Value::array(); }, "gaussians");
  expect_refused(
      [](io::Value& v) {
        io::Value columns = io::Value::array();
        for (int c = 0; c < 3; ++c) columns.push_back(std::vector<double>(45, 0.1));
        v["components"] = columns;
      },
      "right angles");
  expect_refused([&](io::Value& v) { first(v)["weight"] = -0.1; }, "gaussians[0].weight");
  expect_refused([&](io::Value& v) { first(v)["weight"] = 0.999; }, "add up");
  expect_refused(
      [&](io::Value& v) {
        io::Value columns = io::Value::array();
        for (int c = 0; c < 3; ++c) columns.push_back(std::vector<double>(3, 1.0));
        first(v)["covariance"] = columns;
      },
      "gaussians[0].covariance");
}

TEST(GraspModel, SaysWhatThereIsWhenThereIsNone) {
  const auto unknown = load_grasp_model("cylinder");
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.message().find("cylindrical"), std::string::npos);
  EXPECT_FALSE(load_grasp_model("missing.json").ok());
}

}  // namespace
}  // namespace prehend::jobs
