// Still pictures, sheets over time and films of clips, hands and objects.
#pragma once

#include <optional>

#include "prehend/jobs/job.h"
#include "prehend/jobs/load.h"
#include "prehend/jobs/picture_request.h"

namespace prehend::jobs {

struct RenderJob {
  std::vector<std::string> inputs;
  LoadOptions load;
  PictureRequest picture;
  std::optional<double> time;  // s, of a still; left empty: the middle
  std::optional<int> frame;    // the same as a frame
  std::optional<int> sheet;    // pictures over time on one sheet
  double first = 0.0;          // s, where films and sheets begin
  std::optional<double> last;  // left empty: the end
  bool skin = false;           // insist on it
  bool capsules = false;       // hands as their contact shapes
  bool forces = false;         // insist on them
  bool no_forces = false, no_floor = false;
  std::optional<double> force_scale;  // m/N; left empty: the largest is 7 cm
  double object_opacity = 1.0;
  double film_rate = 30.0, speed = 1.0;
  Settings settings;  // outputs: .png .mp4
};

Result<JobReport> run(const RenderJob& job, const Monitor& monitor = {});

}  // namespace prehend::jobs
