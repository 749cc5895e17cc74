#include <cmath>
#include <functional>

#include "prehend/core/atomic_file.h"
#include "prehend/core/text.h"
#include "tests/cli/command.h"

namespace prehend::cli {
namespace {

namespace fs = std::filesystem;

// What the virtual subject's taps would have recorded, as files that a test changes.
class MeasureCommand : public Command {
 protected:
  MeasureCommand() : Command("measure") {}

  static void SetUpTestSuite() {
    shared = fs::temp_directory_path() / ("prehend_measure_" + std::to_string(getpid()));
    fs::create_directories(shared);
    std::ostringstream out, err;
    ASSERT_EQ(run({"measure", "--subject", "tap", "--capture", shared.string(), "-o",
                   (shared / "tap.json").string(), "-o", (shared / "tap.compliance.json").string()},
                  {out, err, false, {}}),
              kExitDone)
        << err.str();
  }
  static void TearDownTestSuite() { fs::remove_all(shared); }

  static std::string motion() { return (shared / "motion.csv").string(); }
  static std::string forces() { return (shared / "forces.csv").string(); }

  // The forces with every row's fields changed: time, finger, point, force.
  using Row = std::vector<std::string>;
  std::string forces_with(const std::string& name, const std::function<void(Row&)>& change) const {
    std::istringstream lines(read_file(forces()).value());
    std::string text, line;
    std::getline(lines, line);
    text = line + "\n";
    while (std::getline(lines, line)) {
      Row row;
      std::istringstream fields(line);
      for (std::string field; std::getline(fields, field, ',');) row.push_back(field);
      change(row);
      for (std::size_t i = 0; i < row.size(); ++i) text += (i == 0 ? "" : ",") + row[i];
      text += "\n";
    }
    return write(name, text);
  }

  static double compliance(const io::Value& report, const std::string& joint) {
    for (const io::Value& item : report.find("joints")->items())
      if (*item.find("name")->string() == joint) return *item.find("compliance")->number();
    ADD_FAILURE() << "no joint " << joint;
    return 0.0;
  }

  static inline fs::path shared;
};

TEST_F(MeasureCommand, FilesOfACaptureGiveWhatTheCaptureDid) {
  const Outcome outcome =
      call({motion(), "--forces", forces(), "--offset", "0", "-o", at("touch.json"), "--json"});
  ASSERT_EQ(outcome.code, kExitDone) << err;
  const io::Value report = outcome.json();
  const io::Value direct =
      io::parse_json(read_file((shared / "tap.json").string()).value(), "tap.json").value();
  // Files have six decimals.
  for (const char* joint : {"wrist-flexion", "index-proximal-flexion", "index-distal-flexion"})
    EXPECT_NEAR(compliance(report, joint), compliance(direct, joint),
                0.01 * compliance(direct, joint))
        << joint;
  EXPECT_TRUE(*report.find("compliance_measured")->boolean());
}

TEST_F(MeasureCommand, WhatIsWrittenIsReadAgainAsTheSameCompliances) {
  ASSERT_EQ(call({"--subject", "tap", "--assumed", "--compliance",
                  (shared / "tap.compliance.json").string(), "-o", at("again.compliance.json")}),
            kExitDone)
      << err;
  const auto first =
      io::parse_json(read_file((shared / "tap.compliance.json").string()).value(), "first");
  const auto again = io::parse_json(read_file(at("again.compliance.json")).value(), "again");
  ASSERT_TRUE(first.ok() && again.ok());
  ASSERT_EQ(first->find("joints")->items().size(), again->find("joints")->items().size());
  for (const io::Value& item : first->find("joints")->items())
    EXPECT_EQ(*item.find("compliance")->number(), compliance(*again, *item.find("name")->string()));
}

TEST_F(MeasureCommand, HalfACaptureIsAnError) {
  expect_error({"--forces", forces()}, "forces without motion");
  expect_error({motion()}, "motion and no forces");
  expect_error({}, "a capture or --subject");
  EXPECT_TRUE(empty());
}

TEST_F(MeasureCommand, ForcesOfAnotherTimeOrFingerAreAnError) {
  const std::string late =
      forces_with("late.csv", [](Row& row) { row[0] = std::to_string(std::stod(row[0]) + 100.0); });
  expect_error({motion(), "--forces", late}, "do not overlap");
  const std::string sixth = forces_with("sixth.csv", [](Row& row) { row[1] = "sixth-distal"; });
  expect_error({motion(), "--forces", sixth}, "no finger or segment 'sixth-distal'");
}

TEST_F(MeasureCommand, ARateThatIsTooLowSaysWhatIsNeeded) {
  std::istringstream lines(read_file(motion()).value());
  std::string text, line;
  for (int row = 0; std::getline(lines, line); ++row) {
    if (row == 0) line = "# prehend clip, frame_rate 100";
    if (row < 3 || (row - 3) % 5 == 0) text += line + "\n";
  }
  expect_error({write("slow.csv", text), "--forces", forces(), "--offset", "0"}, "124 Hz");
}

TEST_F(MeasureCommand, SensorsThatSaturateAreAnError) {
  const std::string flat = forces_with("flat.csv", [](Row& row) {
    row[5] = row[7] = "0";
    row[6] = std::to_string(std::min(0.3, std::stod(row[6])));
  });
  expect_error({motion(), "--forces", flat, "--offset", "0"}, "the sensor saturates");
}

TEST_F(MeasureCommand, ForcesThatTurnNoJointAreAnError) {
  // Through the wrist, so that no joint is loaded.
  const std::string through = forces_with("through.csv", [](Row& row) {
    row[1] = "wrist";
    row[2] = row[3] = row[4] = "0";
  });
  expect_error({motion(), "--forces", through, "--offset", "0"}, "near a singular posture");
}

class ReplayCommand : public Command {
 protected:
  ReplayCommand() : Command("replay") {}
};

TEST_F(ReplayCommand, ReportsWhatTheBoxDid) {
  const Outcome outcome = call({"scenes/interaction/box.toml", "--json"});
  ASSERT_EQ(outcome.code, kExitDone) << err;
  const io::Value report = outcome.json();
  for (const char* key : {"steps", "solved_fraction", "max_complementarity",
                          "equilibrium_error_rad", "slip_m", "realtime_factor", "grip_force_N"})
    EXPECT_TRUE(report.find(key) && report.find(key)->is_number()) << key;
  EXPECT_TRUE(*report.find("held")->boolean());
  EXPECT_EQ(*report.find("solved_fraction")->number(), 1.0);
}

TEST_F(ReplayCommand, SofterJointsOfAFileGripLess) {
  const io::Value own = call({"scenes/interaction/box.toml", "--json"}).json();
  std::string joints;
  for (const char* digit : {"thumb", "index", "middle", "ring", "little"})
    joints += std::string(joints.empty() ? "" : ", ") + "{\"name\": \"" + digit +
              "-distal-flexion\", \"compliance\": 20.0}";
  const std::string soft =
      write("soft.compliance.json",
            "{\"format\": \"prehend compliance\", \"version\": 1, \"joints\": [" + joints + "]}");
  const Outcome outcome = call({"scenes/interaction/box.toml", "--compliance", soft, "--json"});
  ASSERT_EQ(outcome.code, kExitDone) << err;
  EXPECT_LT(*outcome.json().find("grip_force_N")->number(),
            0.95 * *own.find("grip_force_N")->number());
}

TEST_F(ReplayCommand, BoundsOfCompliancesAreCarriedToTheGrip) {
  const std::string bounds = write(
      "bounds.compliance.json",
      R"({"format": "prehend compliance", "version": 1, "joints": [{"name": "thumb-metacarpal-flexion",
          "compliance": 0.25, "low": 0.1, "high": 1.0}]})");
  const Outcome outcome =
      call({"scenes/interaction/box.toml", "--compliance", bounds, "--uncertainty", "--json"});
  ASSERT_EQ(outcome.code, kExitDone) << err;
  const io::Value report = outcome.json();
  const double stiff = *report.find("grip_force_low_compliance_N")->number();
  const double soft = *report.find("grip_force_high_compliance_N")->number();
  const double middle = *report.find("grip_force_N")->number();
  EXPECT_GT(stiff, middle);
  EXPECT_LT(soft, middle);
}

TEST_F(ReplayCommand, BadInputIsOneLine) {
  expect_error({"scenes/interaction/box.toml", "--scale", "4"}, "mm inside object box");
  expect_error({"scenes/interaction/box.toml", "--mass", "0"}, "--mass");
  expect_error({at("none.json")}, "none.json");
  expect_error({write("other.json", "{\"format\": \"other\"}")}, "is no interaction");
  expect_error({"scenes/interaction/box.toml", "--compliance",
                write("six.json",
                      "{\"format\": \"prehend compliance\", \"version\": 1, "
                      "\"joints\": [{\"name\": \"sixth-distal-flexion\", "
                      "\"compliance\": 1.0}]}")},
               "no joint 'sixth-distal-flexion'");
  expect_error({"scenes/interaction/box.toml", "--compliance",
                write("negative.json",
                      "{\"format\": \"prehend compliance\", \"version\": 1, "
                      "\"joints\": [{\"name\": \"index-distal-flexion\", "
                      "\"compliance\": -1.0}]}")},
               "should not be below zero");
}

}  // namespace
}  // namespace prehend::cli
