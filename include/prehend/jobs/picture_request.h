// How a picture is taken, where a person says so; the rest is each job's own choice.
#pragma once

#include <optional>

#include "prehend/picture/picture.h"

namespace prehend::jobs {

struct PictureRequest {
  struct Size {
    int width = 0, height = 0;
  };
  struct View {
    double azimuth = 0.0, elevation = 0.0;  // as picture::Camera has them
    std::optional<double> distance;         // left empty: all in view
  };
  std::optional<Size> size;
  std::optional<View> view;
  std::optional<Vec3> target;
  std::optional<double> fov;  // radians, vertical
  std::optional<int> samples;
  bool orthographic = false;

  // For a picture that is this large unless a size is given.
  picture::PictureOptions options(int width, int height, int threads) const;
};

}  // namespace prehend::jobs
