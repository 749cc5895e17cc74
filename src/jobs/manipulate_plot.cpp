#include "jobs/manipulate_plot.h"

#include <algorithm>
#include <array>

#include "prehend/picture/draw.h"
#include "prehend/picture/plot.h"

namespace prehend::jobs {

picture::Image manipulate_plot(const manipulation::Report& result, const std::string& title) {
  picture::Plot way, speed;
  way.title = title;
  way.x_label = speed.x_label = "s of the task";
  way.y_label = "mm from where it was gripped";
  speed.y_label = "speed, mm/s";
  way.height = speed.height = 320;
  const Clip& clip = result.clip;
  const double rate = clip.frame_rate;
  const auto first = static_cast<size_t>(std::max(0.0, result.task_start * rate));
  for (const ObjectTrack& track : clip.objects) {
    if (track.object->fixed || first >= track.poses_world.size()) continue;
    std::array<picture::Series, 3> moved;
    picture::Series fast;
    fast.name = track.object->name;
    const auto center = [&](size_t f) -> Vec3 {
      return track.poses_world[f] * track.object->center_of_mass;
    };
    for (size_t f = first; f < track.poses_world.size(); ++f) {
      const double time = double(f) / rate - result.task_start;
      for (int axis = 0; axis < 3; ++axis) {
        moved[axis].x.push_back(time);
        moved[axis].y.push_back(1e3 * (center(f) - center(first))[axis]);
      }
      if (f == first || f + 1 == track.poses_world.size()) continue;
      fast.x.push_back(time);
      fast.y.push_back(1e3 * (center(f + 1) - center(f - 1)).norm() * 0.5 * rate);
    }
    for (int axis = 0; axis < 3; ++axis) {
      moved[axis].name = track.object->name + " " + "xyz"[axis];
      way.series.push_back(std::move(moved[axis]));
    }
    speed.series.push_back(std::move(fast));
  }
  picture::SheetOptions sheet;
  sheet.columns = 1;
  return picture::compose_sheet({picture::draw_plot(way), picture::draw_plot(speed)}, {}, sheet);
}

}  // namespace prehend::jobs
