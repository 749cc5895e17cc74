// The options that say how a picture is taken, shared by the verbs that take some.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "prehend/cli/verb.h"
#include "prehend/jobs/picture_request.h"

namespace prehend::cli {

struct PictureArguments {
  std::string size;    // "960x720"
  std::string camera;  // "azimuth,elevation[,distance]"
  std::string target;  // "x,y,z"
  std::optional<double> fov_deg;
  std::optional<int> samples;
  bool orthographic = false;

  void declare(OptionSet& options);
  // Checked, before any work is done.
  Result<jobs::PictureRequest> request() const;

 private:
  Status set_size(jobs::PictureRequest& request) const;
  Status set_camera(jobs::PictureRequest& request) const;
};

// "1,2.5,-3" as numbers.
Result<std::vector<double>> parse_numbers(const std::string& text, const std::string& option);
// "one,two" as words.
std::vector<std::string> split_words(const std::string& text);

}  // namespace prehend::cli
