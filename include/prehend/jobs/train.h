// From motion of hands, or from the built-in examples, to a grasp space.
#pragma once

#include <optional>

#include "prehend/jobs/job.h"
#include "prehend/jobs/load.h"
#include "prehend/jobs/picture_request.h"
#include "prehend/methods/grasp_space/train.h"

namespace prehend::jobs {

enum class TrainPicture { kDensity, kHands, kBoth };

struct TrainJob {
  std::vector<std::string> inputs;  // motion of hands, or tables of 45 numbers a pose
  std::string example;              // the built-in motions of this kind instead
  LoadOptions load;
  std::optional<int> dimensions;   // left empty: TrainOptions' own
  std::optional<double> variance;  // instead: the fewest that keep this fraction
  // Twice the library's, which the built-in models have: on their 5,998 poses BIC falls until 38.
  int max_gaussians = 24;
  double outliers = 0.01;      // fraction of the samples, left out as unnatural
  double least_change = 0.02;  // rad; frames nearer to the last are left out
  std::string name;            // of the model; empty: the example's, or the output's
  TrainPicture picture_kind = TrainPicture::kBoth;
  PictureRequest picture;
  Settings settings;
};

struct TrainJobReport : JobReport {
  grasp_space::TrainReport trained;
};
Result<TrainJobReport> run(const TrainJob& job, const Monitor& monitor = {});

}  // namespace prehend::jobs
