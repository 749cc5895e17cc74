// Draws how four optimizers lower the grasp metric on an object: the mean of many trials.
//   example_optimizer_race [PICTURE.png [OBJECT [TRIALS]]]
//   default out/grasp-optimizers.png bunny 100
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "prehend/core/hand_builder.h"
#include "prehend/geometry/builtin.h"
#include "prehend/methods/grasp_space/examples.h"
#include "prehend/methods/grasp_space/grasp.h"
#include "prehend/methods/grasp_space/train.h"
#include "prehend/picture/plot.h"

using namespace prehend;
using namespace prehend::grasp_space;

namespace {

// The palm faces down, 35 mm above the object's center.
Stance stance_above(const GraspTarget& target, const GraspSpace& space) {
  Vec3 palm(0.0, 0.3, 0.0);
  for (double gap = 1.0; gap > 1e-5; palm.y() -= gap)
    gap = target.prepared->exact()->sample(palm).distance - 0.035;
  return {Transform::from_position(palm), space.open};
}

picture::Series race(GraspSearch& search, const Stance& stance, optimize::BlackBoxMethod method,
                     int trials) {
  SearchOptions options;  // two numbers for the shape and three for the rotation
  options.method = method;
  options.distance = false;
  picture::Series mean{to_string(method), {}, std::vector<double>(options.evaluations)};
  for (options.seed = 1; options.seed <= static_cast<std::uint64_t>(trials); ++options.seed) {
    const std::vector<double> best = search.run(stance, options).history;
    for (size_t i = 0; i < best.size(); ++i) mean.y[i] += best[i] / trials;
  }
  for (int i = 0; i < options.evaluations; ++i) mean.x.push_back(i + 1);
  std::printf("%-10s %8.1f after %d evaluations\n", mean.name.c_str(), mean.y.back(),
              options.evaluations);
  return mean;
}

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path path = argc > 1 ? argv[1] : "out/grasp-optimizers.png";
  const int trials = argc > 3 ? std::max(1, std::atoi(argv[3])) : 100;
  const auto object = geometry::builtin_object(argc > 2 ? argv[2] : "bunny");
  if (!object) return std::fprintf(stderr, "%s\n", object.message().c_str()), 2;
  TrainOptions training;
  training.dimension = 2;
  const auto samples = pose_samples(example_motions(), training.least_change);
  GraspProblem problem;
  problem.hand = std::make_shared<const Hand>(build_hand().value());
  problem.object = std::make_shared<const Object>(*object);
  problem.space = std::make_shared<const GraspSpace>(train(*samples, training).value().space);
  const auto target = prepare_target(problem, GraspOptions{}.search_faces);
  if (!target) return std::fprintf(stderr, "%s\n", target.message().c_str()), 2;

  GraspSearch search(*problem.hand, *problem.space, target->metric);
  const Stance stance = stance_above(*target, *problem.space);
  picture::Plot plot;
  plot.title =
      object->name + ": best grasp metric M, mean of " + std::to_string(trials) + " trials";
  plot.x_label = "evaluations";
  plot.y_label = "M";
  for (const auto method : optimize::black_box_methods()) {
    plot.series.push_back(race(search, stance, method, trials));
  }
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path());
  const Status written = picture::write_png(picture::draw_plot(plot), path.string());
  if (!written) return std::fprintf(stderr, "%s\n", written.message().c_str()), 2;
  return 0;
}
