#include "prehend/jobs/force_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "prehend/core/atomic_file.h"
#include "prehend/core/hand_kinematics.h"
#include "prehend/core/text.h"
#include "prehend/io/csv.h"

namespace prehend::jobs {
namespace {

using interaction::Capture;
using interaction::ForceChannel;

int segment_named(const Hand& hand, const std::string& finger) {
  for (const Digit digit : kDigits)
    if (finger == to_string(digit)) return hand.pads[int(digit)].segment;
  return hand.find(finger);
}

struct Columns {
  std::vector<double> time;
  std::array<std::vector<double>, 3> point, force, normal;
  std::vector<double> single;  // force along the normal
  bool has_point = false, has_normal = false;
};

Result<Columns> columns_of(const io::CsvTable& table) {
  Columns c;
  const auto three = [&](const std::string& name,
                         std::array<std::vector<double>, 3>& target) -> Result<bool> {
    if (table.find(name + "_x") < 0) return false;
    for (int k = 0; k < 3; ++k) {
      auto column = table.si(name + "_" + std::string(1, "xyz"[k]));
      if (!column) return column.error();
      target[k] = std::move(*column);
    }
    return true;
  };
  auto time = table.si("time");
  if (!time) return time.error();
  c.time = std::move(*time);
  const auto point = three("point", c.point);
  if (!point) return point.error();
  c.has_point = *point;
  const auto force = three("force", c.force);
  if (!force) return force.error();
  if (!*force) {
    auto single = table.si("force");
    if (!single) return single.error();
    c.single = std::move(*single);
    const auto normal = three("normal", c.normal);
    if (!normal) return normal.error();
    c.has_normal = *normal;
  }
  return c;
}

Vec3 at(const std::array<std::vector<double>, 3>& columns, std::size_t row) {
  return {columns[0][row], columns[1][row], columns[2][row]};
}

const FingerPad* pad_of(const Hand& hand, int segment) {
  for (const FingerPad& pad : hand.pads)
    if (pad.segment == segment) return &pad;
  return nullptr;
}

// Sensors that read along one direction turn with their segment.
void turn_into_world(const Capture& capture, ForceChannel& channel) {
  HandKinematics kinematics(*capture.hand);
  for (std::size_t i = 0; i < channel.forces_world.size(); ++i) {
    const double frame = (channel.start + i / channel.rate) * capture.frame_rate;
    const int f = std::clamp(static_cast<int>(std::lround(frame)), 0, capture.frame_count() - 1);
    kinematics.update(capture.roots_world[f], capture.coordinates[f]);
    channel.forces_world[i] =
        kinematics.frames_world()[channel.segment].turn(channel.forces_world[i]);
  }
}

Status finish(const std::string& path, const std::vector<double>& times, ForceChannel& channel) {
  if (times.size() < 2)
    return Error{fmt::format("{}: a finger has one sample only", printable(path, 200))};
  channel.start = times.front();
  channel.rate = (times.size() - 1.0) / (times.back() - times.front());
  for (std::size_t i = 1; i < times.size(); ++i) {
    const double step = times[i] - times[i - 1];
    if (!(step > 0.0))
      return Error{fmt::format("{}: times should ascend for each finger", printable(path, 200))};
    if (std::abs(step * channel.rate - 1.0) > 0.5)
      return Error{
          fmt::format("{}: samples should be even; a step of {:.4f} s stands among {:.4f} s",
                      printable(path, 200), step, 1.0 / channel.rate)};
  }
  return {};
}

}  // namespace

Status read_forces(const std::string& path, Capture& capture) {
  const auto table = io::read_csv(path);
  if (!table) return table.error();
  const auto columns = columns_of(*table);
  if (!columns) return columns.error();
  const int finger = table->find("finger");
  std::map<int, std::vector<double>> times;
  std::map<int, ForceChannel> channels;
  for (int row = 0; row < table->row_count; ++row) {
    const std::string name = finger < 0 || table->columns[finger].texts.empty()
                                 ? "index"
                                 : table->columns[finger].texts[row];
    const int segment = segment_named(*capture.hand, name);
    if (segment < 0)
      return Error{fmt::format("{}: the hand has no finger or segment '{}'", printable(path, 200),
                               printable(name))};
    const FingerPad* pad = pad_of(*capture.hand, segment);
    if (!pad && (!columns->has_point || (!columns->single.empty() && !columns->has_normal)))
      return Error{fmt::format("{}: {} has no pad; give the point and the direction of its force",
                               printable(path, 200), printable(name))};
    ForceChannel& channel = channels[segment];
    channel.segment = segment;
    times[segment].push_back(columns->time[row]);
    channel.points_segment.push_back(columns->has_point ? at(columns->point, row) : pad->point);
    channel.forces_world.push_back(
        columns->single.empty()
            ? at(columns->force, row)
            : Vec3(columns->single[row] *
                   (columns->has_normal ? at(columns->normal, row) : Vec3(-pad->normal))));
  }
  for (auto& [segment, channel] : channels) {
    if (const Status even = finish(path, times[segment], channel); !even) return even;
    if (!columns->single.empty()) turn_into_world(capture, channel);
    capture.channels.push_back(std::move(channel));
  }
  return {};
}

Status write_forces(const std::string& path, const Capture& capture) {
  std::string text = "time_s,finger,point_x_m,point_y_m,point_z_m,force_x_N,force_y_N,force_z_N\n";
  for (const ForceChannel& channel : capture.channels)
    for (std::size_t i = 0; i < channel.forces_world.size(); ++i) {
      const Vec3 &p = channel.points_segment[i], &f = channel.forces_world[i];
      text += fmt::format(
          "{:.6f},{},{:.6f},{:.6f},{:.6f},{:.6f},{:.6f},{:.6f}\n", channel.start + i / channel.rate,
          capture.hand->segments[channel.segment].name, p.x(), p.y(), p.z(), f.x(), f.y(), f.z());
    }
  return write_file(path, text);
}

}  // namespace prehend::jobs
