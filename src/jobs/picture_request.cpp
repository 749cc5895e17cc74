#include "prehend/jobs/picture_request.h"

namespace prehend::jobs {

picture::PictureOptions PictureRequest::options(int width, int height, int threads) const {
  picture::PictureOptions options;
  options.width = size ? size->width : width;
  options.height = size ? size->height : height;
  options.threads = threads;
  options.samples = samples.value_or(options.samples);
  picture::Camera& camera = options.camera;
  if (view) {
    camera.azimuth = view->azimuth;
    camera.elevation = view->elevation;
    camera.distance = view->distance;
  }
  if (target) camera.target = target;
  camera.fov = fov.value_or(camera.fov);
  camera.orthographic = orthographic;
  return options;
}

}  // namespace prehend::jobs
