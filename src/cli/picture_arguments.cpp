#include "cli/picture_arguments.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "prehend/core/text.h"

namespace prehend::cli {
namespace {

constexpr int kSmallest = 16;
constexpr int kLargest = 8192;

std::optional<int> whole(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Result<std::vector<double>> parse_numbers(const std::string& text, const std::string& option) {
  std::vector<double> numbers;
  std::string_view rest = text;
  while (true) {
    const std::string_view word = rest.substr(0, rest.find(','));
    double value = 0.0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value))
      return Error{fmt::format("{}: '{}' is not a list of numbers such as 1,2.5,-3", option,
                               printable(text))};
    numbers.push_back(value);
    if (word.size() == rest.size()) return numbers;
    rest.remove_prefix(word.size() + 1);
  }
}

std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    if (end == text.size()) return words;
    begin = end + 1;
  }
}

void PictureArguments::declare(OptionSet& options) {
  options.text("--size", &size, "WxH", "Pixels of a picture, such as 960x720");
  options.text(
      "--camera", &camera, "AZIMUTH,ELEVATION[,DISTANCE]",
      "Where it is seen from: degrees about the vertical from +Z towards +X, degrees above "
      "the horizon, meters [35,24, all in view]");
  options.text("--target", &target, "X,Y,Z", "What the camera looks at, meters [the middle]");
  options.number("--fov", &fov_deg, "DEGREES", "Height of the field of view [28]");
  options.flag("--orthographic", &orthographic, "Without perspective");
  options.integer("--samples", &samples, "N", "Rays a pixel [8; films 4]");
}

Status PictureArguments::set_size(jobs::PictureRequest& request) const {
  if (size.empty()) return {};
  const std::size_t by = size.find_first_of("xX");
  const auto w = whole(std::string_view(size).substr(0, by));
  const auto h = by == std::string::npos ? w : whole(std::string_view(size).substr(by + 1));
  if (!w || !h || *w < kSmallest || *h < kSmallest || *w > kLargest || *h > kLargest)
    return Error{fmt::format("--size: '{}' should be such as 960x720, each from {} to {}",
                             printable(size), kSmallest, kLargest)};
  request.size = {*w, *h};
  return {};
}

Status PictureArguments::set_camera(jobs::PictureRequest& request) const {
  if (!camera.empty()) {
    const auto numbers = parse_numbers(camera, "--camera");
    if (!numbers) return numbers.error();
    if (numbers->size() < 2 || numbers->size() > 3 || std::abs((*numbers)[1]) > 90.0 ||
        (numbers->size() == 3 && (*numbers)[2] <= 0.0))
      return Error{fmt::format(
          "--camera: '{}' should be azimuth,elevation[,distance], such as 35,24 or 35,24,0.8",
          printable(camera))};
    jobs::PictureRequest::View view{radians((*numbers)[0]), radians((*numbers)[1]), {}};
    if (numbers->size() == 3) view.distance = (*numbers)[2];
    request.view = view;
  }
  if (!target.empty()) {
    const auto numbers = parse_numbers(target, "--target");
    if (!numbers) return numbers.error();
    if (numbers->size() != 3)
      return Error{fmt::format("--target: '{}' should be x,y,z", printable(target))};
    request.target = Vec3((*numbers)[0], (*numbers)[1], (*numbers)[2]);
  }
  return {};
}

Result<jobs::PictureRequest> PictureArguments::request() const {
  jobs::PictureRequest request;
  if (const Status set = set_size(request); !set) return set.error();
  if (const Status set = set_camera(request); !set) return set.error();
  if (fov_deg && !(*fov_deg >= 1.0 && *fov_deg <= 150.0))
    return Error{fmt::format("--fov: {} should be from 1 to 150 degrees", *fov_deg)};
  if (samples && !(*samples >= 1 && *samples <= 1024))
    return Error{fmt::format("--samples: {} should be from 1 to 1024", *samples)};
  if (fov_deg) request.fov = radians(*fov_deg);
  request.samples = samples;
  request.orthographic = orthographic;
  return request;
}

}  // namespace prehend::cli
