// Ctrl-C: every verb stops soon, says so by its exit code, and leaves good files alone.
#include <ctime>
#include <thread>

#include "prehend/core/atomic_file.h"
#include "tests/cli/command.h"

namespace prehend::cli {
namespace {

using Arguments = std::vector<std::string>;

class Interrupt : public Command {
 protected:
  std::string old_file(const std::string& name) const { return write(name, "a good file"); }
  bool untouched(const std::string& name) const {
    return read_file(at(name)).value() == "a good file";
  }
};

TEST_F(Interrupt, BeforeTheWorkLeavesOldFilesAsTheyAre) {
  ASSERT_EQ(call({"hand", "-o", at("hand.glb")}), kExitDone);
  ASSERT_EQ(call({"demo", "-o", at("demo.glb")}), kExitDone);
  const std::string clips = "scenes/control/clips/";
  const std::string object =
      clips + "cylinder_grasp.cylinder.bvh=" + clips + "cylinder_grasp.cylinder.obj";
  const std::vector<std::pair<Arguments, std::string>> cases = {
      {{"grasp", "sphere"}, "grasps.json"},
      {{"grasp", "sphere"}, "grasp.glb"},
      {{"grasp", "sphere"}, "grasps.png"},
      {{"simulate", "scenes/control/grasp.toml"}, "simulate.glb"},
      {{"simulate", "scenes/control/handshake.toml"}, "simulate.json"},
      {{"simulate", "scenes/control/drop-test.toml"}, "simulate.png"},
      {{"train", "--example", "hook"}, "model.json"},
      {{"fit", clips + "cylinder_grasp.right.bvh", "--object", object}, "controller.json"},
      {{"demo"}, "other.glb"},
      {{"demo"}, "other.csv"},
      {{"audit", at("demo.glb")}, "audit.json"},
      {{"render", at("hand.glb")}, "still.png"},
      {{"render", at("hand.glb"), "--sheet", "4"}, "sheet.png"},
      {{"render", at("hand.glb")}, "film.mp4"},
      {{"hand", "--posture", "all"}, "postures.png"},
      {{"hand"}, "views.png"},
      {{"convert", at("hand.glb")}, "copy.bvh"},
      {{"manipulate", "scenes/manipulation/push-fast.toml"}, "manipulate.glb"},
      {{"manipulate", "scenes/manipulation/push-fast.toml"}, "manipulate.json"},
      {{"replay", "scenes/interaction/box.toml"}, "replay.glb"},
      {{"replay", "scenes/interaction/box.toml"}, "replay.json"},
      {{"replay", "scenes/interaction/box.toml"}, "replay.png"},
      {{"measure", "--subject", "tap"}, "measure.json"},
      {{"measure", "--subject", "tap"}, "measure.glb"},
      {{"detail", "scenes/sampling/milk-pick.toml"}, "detail.json"},
      {{"detail", "scenes/sampling/milk-pick.toml"}, "detail.glb"},
  };
  std::stop_source source;
  source.request_stop();
  for (auto [arguments, name] : cases) {
    old_file(name);
    arguments.insert(arguments.end(), {"-o", at(name)});
    const Outcome outcome = call(arguments, source.get_token());
    EXPECT_EQ(outcome.code, kExitInterrupted) << name << ": " << outcome.err;
    EXPECT_TRUE(untouched(name)) << name;
    EXPECT_EQ(outcome.out.find("wrote"), std::string::npos) << name << ": " << outcome.out;
  }
}

// How long it takes until a stop is heeded, as processor time: the machine may be busy. Sanitizers
// make the program about ten times slower, so that the second is asked of a build without them.
#ifdef __SANITIZE_ADDRESS__
constexpr double kHeededWithin = 10.0;  // s
#else
constexpr double kHeededWithin = 1.0;  // s
#endif
TEST_F(Interrupt, IsHeededWithinASecond) {
  using namespace std::chrono_literals;
  ASSERT_EQ(call({"hand", "-o", at("hand.glb")}), kExitDone);
  const std::vector<std::pair<Arguments, std::string>> cases = {
      {{"render", at("hand.glb"), "--size", "4000x4000"}, "large.png"},
      {{"render", at("hand.glb"), "--sheet", "64", "--size", "1000x1000"}, "sheet.png"},
      {{"hand", "--posture", "all", "--size", "2000x2000"}, "postures.png"},
      {{"render", at("hand.glb"), "--size", "2000x2000"}, "film.mp4"},
      {{"train", "--example", "general"}, "model.json"},
      {{"grasp", "mug", "--count", "200"}, "grasps.glb"},
      {{"simulate", "scenes/control/grasp.toml", "--object", "mug"}, "simulate.glb"},
      {{"detail", "scenes/sampling/milk-pick.toml"}, "detail.json"},
  };
  for (auto [arguments, name] : cases) {
    old_file(name);
    arguments.insert(arguments.end(), {"-o", at(name)});
    std::stop_source source;
    std::clock_t asked = 0;
    std::thread person([&] {
      std::this_thread::sleep_for(400ms);
      asked = std::clock();
      source.request_stop();
    });
    const Outcome outcome = call(arguments, source.get_token());
    const std::clock_t ended = std::clock();
    person.join();
    EXPECT_EQ(outcome.code, kExitInterrupted) << name << ": " << outcome.err;
    EXPECT_LT(double(ended - asked) / CLOCKS_PER_SEC, kHeededWithin) << name;
    EXPECT_TRUE(untouched(name)) << name;
  }
}

}  // namespace
}  // namespace prehend::cli
