// The options that say how a picture is taken, shared by the verbs that take some.
#pragma once

#include <string>

#include "prehend/cli/verb.h"
#include "prehend/picture/clip_picture.h"

namespace prehend::cli {

struct PictureArguments {
  std::string size;    // "960x720"
  std::string camera;  // "azimuth,elevation[,distance]"
  std::string target;  // "x,y,z"
  double fov_deg = 28.0;
  int samples = 0;
  bool orthographic = false;

  void declare(OptionSet& options);
  Result<picture::PictureOptions> resolve(int width, int height, int threads) const;
};

// "1,2.5,-3" as numbers.
Result<std::vector<double>> parse_numbers(const std::string& text, const std::string& option);

}  // namespace prehend::cli
