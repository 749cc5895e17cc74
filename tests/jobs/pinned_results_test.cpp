// Results that must not change by accident are pinned by hash. The functions of the C library
// differ in their last digit between processors, and a simulation makes much of a last digit, so
// hashes are pinned for the arithmetic that they were made with; on a machine that computes
// otherwise these tests are skipped. After a change that is meant, the hashes that a failure prints
// go here.
#include <gtest/gtest.h>

#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "prehend/core/atomic_file.h"
#include "prehend/jobs/fit.h"
#include "prehend/jobs/grasp.h"
#include "prehend/jobs/replay.h"
#include "prehend/jobs/simulate.h"
#include "prehend/jobs/train.h"

namespace prehend::jobs {
namespace {

namespace fs = std::filesystem;

// FNV-1a.
class Hash {
 public:
  void add(std::string_view bytes) {
    for (const char c : bytes) value_ = (value_ ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

// How this machine computes.
std::uint64_t arithmetic() {
  Hash hash;
  for (int i = 1; i <= 2000; ++i) {
    const double x = 0.00137 * i * i;
    for (const double y : {std::sin(x), std::cos(x), std::exp(-x), std::log(x), std::pow(x, 0.3),
                           std::atan2(x, 1.7), std::acos(std::sin(x))})
      hash.add({reinterpret_cast<const char*>(&y), sizeof y});
  }
  return hash.value();
}
constexpr std::uint64_t kPinnedArithmetic = 18037817992185970450u;

class PinnedResults : public testing::Test {
 protected:
  void SetUp() override {
    if (arithmetic() != kPinnedArithmetic)
      GTEST_SKIP() << "this machine computes otherwise: " << arithmetic();
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string at(const char* name) const { return (folder_ / name).string(); }
  template <typename Job>
  std::uint64_t hash_of(Job job, const char* name) const {
    job.settings.outputs = {at(name)};
    const auto done = run(job);
    EXPECT_TRUE(done.ok()) << done.message();
    Hash hash;
    hash.add(read_file(at(name)).value());
    return hash.value();
  }

  const fs::path folder_ =
      fs::temp_directory_path() / ("prehend-pinned-" + std::to_string(::getpid()));
};

TEST_F(PinnedResults, GraspsOfTheMug) {
  GraspJob job;
  job.object = "mug";
  job.count = 2;
  EXPECT_EQ(hash_of(job, "grasp.json"), 0x658815148e04f86du);
}

TEST_F(PinnedResults, ASimulatedGrasp) {
  SimulateJob job;
  job.scene = "scenes/control/grasp.toml";
  job.object = "cylinder";
  EXPECT_EQ(hash_of(job, "simulate.glb"), 0x6f10652f0cb02e94u);
}

TEST_F(PinnedResults, AFittedController) {
  const std::string clips = "scenes/control/clips/";
  FitJob job;
  job.inputs = {clips + "cylinder_grasp.right.bvh"};
  job.load.objects = {clips + "cylinder_grasp.cylinder.bvh=" + clips +
                      "cylinder_grasp.cylinder.obj"};
  job.library = {clips + "range_of_motion.bvh"};
  job.d1 = 0.05;
  job.d2 = 0.3;
  EXPECT_EQ(hash_of(job, "fit.json"), 0x7e943a10010546dfu);
}

TEST_F(PinnedResults, ATrainedModel) {
  TrainJob job;
  job.example = "tip";
  EXPECT_EQ(hash_of(job, "train.json"), 0x7a8f96cf808812adu);
}

// What a clock measured would be in one of them and not in the other.
TEST_F(PinnedResults, AReplayGivesTheSameBytesTwice) {
  ReplayJob job;
  job.input = "scenes/interaction/box.toml";
  EXPECT_EQ(hash_of(job, "first.json"), hash_of(job, "second.json"));
}

}  // namespace
}  // namespace prehend::jobs
