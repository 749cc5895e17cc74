// Learns natural hand shapes, finds grasps of the mug that hold, and writes the best as a clip,
// out/mug.glb.
#include <cstdio>
#include <filesystem>

#include "prehend/core/hand_builder.h"
#include "prehend/geometry/builtin.h"
#include "prehend/io/glb.h"
#include "prehend/methods/grasp_space/examples.h"
#include "prehend/methods/grasp_space/grasp_clip.h"
#include "prehend/methods/grasp_space/train.h"

using namespace prehend;
using namespace prehend::grasp_space;

namespace {

int fail(const std::string& message) { return std::fprintf(stderr, "%s\n", message.c_str()), 2; }

}  // namespace

int main() {
  const auto motions = example_motions("general");
  if (!motions) return fail(motions.message());
  const TrainOptions training;
  const auto samples = pose_samples(*motions, training.least_change);
  if (!samples) return fail(samples.message());
  const auto trained = train(*samples, training);
  if (!trained) return fail(trained.message());
  const auto object = geometry::builtin_object("mug");
  if (!object) return fail(object.message());

  GraspProblem problem;
  problem.hand = std::make_shared<const Hand>(build_hand().value());
  problem.object = std::make_shared<const Object>(*object);
  problem.space = std::make_shared<const GraspSpace>(trained->space);
  GraspOptions options;
  options.count = 5;
  const auto report = find_grasps(problem, options);
  if (!report) return fail(report.message());
  std::printf("%s\n", report->summary.message.c_str());
  for (const Grasp& grasp : report->grasps) {
    std::printf("%s: epsilon %.3f, least grip %.2f N, moved %.1f mm\n",
                grasp.proof.held ? "held" : "lost", grasp.epsilon, grasp.least_grip_force,
                1e3 * grasp.proof.displacement);
  }
  if (report->held == 0) return 1;

  const auto clip = make_grasp_clip(problem, report->grasps.front());
  if (!clip) return fail(clip.message());
  std::filesystem::create_directories("out");
  const Status written = io::write_glb(clip->clip, "out/mug.glb");
  if (!written) return fail(written.message());
  return clip->carried ? 0 : 1;
}
