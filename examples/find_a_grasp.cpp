// Finds five grasps of the mug that hold, with the model of natural hand shapes that the library
// brings, and writes the best as a clip, out/mug.glb.
#include <cstdio>
#include <filesystem>

#include "prehend/jobs/grasp.h"

int main() {
  std::filesystem::create_directories("out");
  prehend::jobs::GraspJob job;
  job.object = "mug";
  job.count = 5;
  job.settings.outputs = {"out/mug.glb"};
  const auto done = run(job);
  if (!done) return std::fprintf(stderr, "%s\n", done.message().c_str()), 2;
  std::printf("%s\n", done->report.summary.message.c_str());
  for (const auto& grasp : done->found.grasps)
    std::printf("%s: epsilon %.3f, least grip %.2f N, moved %.1f mm\n",
                grasp.proof.held ? "held" : "lost", grasp.epsilon, grasp.least_grip_force,
                1e3 * grasp.proof.displacement);
  return done->outcome == prehend::jobs::Outcome::kDone ? 0 : 1;
}
