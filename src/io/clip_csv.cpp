#include "prehend/io/clip_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "io/clip_csv_contacts.h"
#include "prehend/core/atomic_file.h"
#include "prehend/core/hand_builder.h"
#include "prehend/core/text.h"
#include "prehend/io/csv.h"

namespace prehend::io {
namespace {

// Comments above the names of the columns.
constexpr const char* kFixedLabel = "# fixed object ";
constexpr const char* kFloorLabel = "# floor height ";

std::string contacts_path(const std::string& path) {
  const std::filesystem::path target(path);
  return (target.parent_path() /
          (target.stem().string() + ".contacts" + target.extension().string()))
      .string();
}

std::string xyz(const std::string& prefix) {
  return fmt::format(",{0}_x_m,{0}_y_m,{0}_z_m", prefix);
}
std::string wxyz(const std::string& prefix) {
  return fmt::format(",{0}_qw,{0}_qx,{0}_qy,{0}_qz", prefix);
}

// The shortest text that reads back as the same number.
void put(std::string& out, double value) { fmt::format_to(std::back_inserter(out), ",{}", value); }
void put(std::string& out, const Vec3& v) {
  for (int i = 0; i < 3; ++i) put(out, v[i]);
}
void put(std::string& out, const Quat& q) {
  for (const double value : {q.w(), q.x(), q.y(), q.z()}) put(out, value);
}

std::string motion_text(const Clip& clip, const TrackNames& names) {
  std::string out = fmt::format("# prehend clip, frame_rate {}\n", clip.frame_rate);
  if (clip.floor_height) out += fmt::format("{}{}\n", kFloorLabel, *clip.floor_height);
  std::string header = "time_s";
  for (std::size_t h = 0; h < clip.hands.size(); ++h) {
    const Hand& hand = *clip.hands[h].hand;
    out += fmt::format("# hand {} profile {} length {} breadth {}\n", names.hands[h], hand.profile,
                       hand.length, hand.breadth);
    header += xyz(names.hands[h] + ".root");
    for (const Segment& segment : hand.segments)
      header += wxyz(names.hands[h] + "." + segment.name);
    for (const auto joint : xr_joint_names())
      header += xyz(fmt::format("{}@{}", names.hands[h], joint));
  }
  for (std::size_t o = 0; o < clip.objects.size(); ++o)
    if (clip.objects[o].object->fixed) out += fmt::format("{}{}\n", kFixedLabel, names.objects[o]);
  for (const std::string& object : names.objects) header += xyz(object) + wxyz(object);
  out += header + "\n";
  for (int f = 0; f < clip.frame_count(); ++f) {
    out += fmt::format("{}", f / clip.frame_rate);
    for (const HandTrack& track : clip.hands) {
      const HandPose& pose = track.poses[f];
      put(out, pose.root_world.position);
      for (std::size_t s = 0; s < pose.rotations.size(); ++s)
        put(out, s == 0 ? pose.root_world.rotation : pose.rotations[s]);
      for (const Transform& frame : xr_frames(*track.hand, pose))
        for (int i = 0; i < 3; ++i)
          fmt::format_to(std::back_inserter(out), ",{:.9g}", frame.position[i]);
    }
    for (const ObjectTrack& track : clip.objects) {
      put(out, track.poses_world[f].position);
      put(out, track.poses_world[f].rotation);
    }
    out += '\n';
  }
  return out;
}

// The two cells of a side.
std::string side_text(const Clip& clip, const TrackNames& names, const ContactSide& side) {
  if (side.is_hand())
    return fmt::format(",{},{}", names.hands[side.index],
                       clip.hands[side.index].hand->segments[side.segment].name);
  return fmt::format(",{},{}",
                     side.is_object() ? names.objects[side.index] : csv_names::kSurroundings,
                     csv_names::kNoSegment);
}

std::string contacts_text(const Clip& clip, const TrackNames& names) {
  std::string out = fmt::format("# prehend contacts, forces_recorded {}\n", clip.forces_recorded);
  out +=
      "frame,time_s,by,by_segment,on,on_segment,point_x_m,point_y_m,point_z_m,normal_x,normal_y,"
      "normal_z,force_x_N,force_y_N,force_z_N,torque_normal_Nm,gap_m\n";
  for (std::size_t f = 0; f < clip.contacts.size(); ++f) {
    for (const Contact& contact : clip.contacts[f]) {
      out += fmt::format("{},{}", f, static_cast<double>(f) / clip.frame_rate);
      out += side_text(clip, names, contact.by) + side_text(clip, names, contact.on);
      put(out, contact.point_on);
      put(out, contact.normal_world);
      put(out, contact.force_world);
      put(out, contact.torque_normal);
      put(out, contact.gap);
      out += '\n';
    }
  }
  return out;
}

}  // namespace

Result<std::vector<std::string>> write_clip_csv(const std::string& path, const Clip& clip) {
  if (const Status s = validate(clip); !s)
    return Error{fmt::format("cannot write {}: {}", printable(path, 400), s.message())};
  const TrackNames names = track_names(clip);
  std::vector<std::pair<std::string, std::string>> texts = {{path, motion_text(clip, names)}};
  if (clip.has_contacts()) texts.emplace_back(contacts_path(path), contacts_text(clip, names));
  std::vector<PendingFile> files;
  for (const auto& [target, text] : texts) {
    auto file = PendingFile::create(target);
    if (!file) return file.error();
    if (const Status s = file->write(text); !s) return s.error();
    files.push_back(std::move(*file));
  }
  std::vector<std::string> written;
  for (PendingFile& file : files) {
    if (const Status s = file.commit(); !s) return s.error();
    written.push_back(file.path());
  }
  return written;
}

namespace {

class ClipReader {
 public:
  ClipReader(const CsvTable& table, std::string_view text, const Clip& like)
      : table_(table), text_(text), like_(like) {}

  Result<Clip> read() {
    clip_.name = std::filesystem::path(table_.name).stem().string();
    const CsvTimes times = csv_times(table_);
    if (times.column < 0) return Error{fmt::format("{}: no column time_s", table_.name)};
    if (!times.restarts.empty() || !times.uniform)
      return Error{fmt::format("{}: {}; a clip has even frames", table_.name, times.note)};
    const auto rate = exact_rate(table_.row_count > 1 ? times.frame_rate : 60.0);
    if (!rate) return rate.error();
    clip_.frame_rate = *rate;
    clip_.floor_height = number_after(kFloorLabel);
    if (const Status s = find_hands(); !s) return s.error();
    const TrackNames known = track_names(like_);
    for (std::size_t o = 0; o < known.objects.size(); ++o) {
      if (table_.find(known.objects[o] + "_qw") < 0) continue;
      ObjectTrack track{like_.objects[o].object, {}};
      const bool fixed = text_.find(fmt::format("{}{}\n", kFixedLabel, known.objects[o])) !=
                         std::string_view::npos;
      if (fixed && !track.object->fixed) {
        Object object = *track.object;
        object.fixed = true;
        track.object = std::make_shared<const Object>(std::move(object));
      }
      if (const Status s = read_poses(known.objects[o], known.objects[o], track.poses_world); !s)
        return s.error();
      clip_.objects.push_back(std::move(track));
    }
    if (clip_.hands.empty() && clip_.objects.empty())
      return Error{fmt::format("{}: no track of a clip in its columns", table_.name)};
    return std::move(clip_);
  }

 private:
  // The comment has the exact rate; times have it to rounding.
  Result<double> exact_rate(double measured) const {
    const auto written = number_after("# prehend clip, frame_rate ");
    if (!written) return measured;
    // Times of a clip are even to a hundredth.
    if (!(*written > 0.0) || !std::isfinite(*written) ||
        (table_.row_count > 1 && std::abs(*written - measured) > 0.01 * measured)) {
      return Error{fmt::format("{}: its first line says {} frames a second, its times {:g}",
                               table_.name, *written, measured)};
    }
    return std::abs(*written - measured) < 1e-3 * measured ? *written : measured;
  }
  // Of a comment; nan where no number follows the label.
  std::optional<double> number_after(const std::string& label) const {
    const auto at = text_.find(label);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view rest = text_.substr(at + label.size(), 40);
    double value = 0.0;
    const auto result = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    return result.ec == std::errc() ? value : std::nan("");
  }

  Result<HandPtr> hand_named(const std::string& name) const {
    const TrackNames known = track_names(like_);
    for (std::size_t h = 0; h < known.hands.size(); ++h)
      if (known.hands[h] == name) return like_.hands[h].hand;
    HandOptions options;
    options.side = name.starts_with("left") ? Side::kLeft : Side::kRight;
    const std::string label = fmt::format("# hand {} profile ", name);
    for (const HandProfile profile :
         {HandProfile::kBall, HandProfile::kAnatomical, HandProfile::kArm}) {
      const auto line = fmt::format("{}{} length ", label, to_string(profile));
      const auto length = number_after(line);
      if (!length) continue;
      if (!(*length > 0.0) || !std::isfinite(*length))
        return Error{fmt::format("{}: a hand of length {}", table_.name, *length)};
      options.profile = profile;
      options.size.length = *length;
    }
    auto hand = build_hand(options);
    if (!hand) return Error{fmt::format("{}: {}", table_.name, hand.message())};
    return std::make_shared<const Hand>(std::move(*hand));
  }

  Status find_hands() {
    for (const CsvColumn& column : table_.columns) {
      const auto at = column.name.find(".root_x_m");
      if (at == std::string::npos || at + 9 != column.name.size()) continue;
      const std::string name = column.name.substr(0, at);
      const auto hand = hand_named(name);
      if (!hand) return hand.error();
      if (const Status s = read_hand(name, *hand); !s) return s;
    }
    return {};
  }

  Status read_hand(const std::string& name, const HandPtr& hand) {
    HandTrack track{hand, std::vector<HandPose>(table_.row_count, rest_pose(*hand))};
    std::vector<Transform> root;
    const std::string root_segment = name + "." + hand->segments[0].name;
    if (const Status s = read_poses(name + ".root", root_segment, root); !s) return s;
    for (int f = 0; f < table_.row_count; ++f) track.poses[f].root_world = root[f];
    for (int segment = 1; segment < hand->segment_count(); ++segment) {
      std::vector<Quat> rotations;
      if (const Status s = read_rotations(name + "." + hand->segments[segment].name, rotations); !s)
        return s;
      for (int f = 0; f < table_.row_count; ++f) track.poses[f].rotations[segment] = rotations[f];
    }
    clip_.hands.push_back(std::move(track));
    return {};
  }

  Status read_rotations(const std::string& prefix, std::vector<Quat>& out) const {
    std::array<std::vector<double>, 4> parts;
    const char* const suffixes[] = {"_qw", "_qx", "_qy", "_qz"};
    for (int i = 0; i < 4; ++i) {
      auto column = table_.si(prefix + suffixes[i]);
      if (!column) return column.error();
      parts[i] = std::move(*column);
    }
    for (int f = 0; f < table_.row_count; ++f) {
      Quat q(parts[0][f], parts[1][f], parts[2][f], parts[3][f]);
      if (!(std::abs(q.norm() - 1.0) < 1e-3)) {
        return Error{fmt::format("{}: row {}: {}_qw .. _qz is not a unit quaternion", table_.name,
                                 f + 1, printable(prefix))};
      }
      // Ours come back bit for bit; others' are rounded.
      if (std::abs(q.norm() - 1.0) > 1e-12) q.normalize();
      out.push_back(q);
    }
    return {};
  }

  Status read_poses(const std::string& position, const std::string& rotation,
                    std::vector<Transform>& out) const {
    std::vector<Quat> rotations;
    if (const Status s = read_rotations(rotation, rotations); !s) return s;
    std::array<std::vector<double>, 3> parts;
    const char* const suffixes[] = {"_x", "_y", "_z"};
    for (int i = 0; i < 3; ++i) {
      auto column = table_.si(position + suffixes[i]);
      if (!column) return column.error();
      parts[i] = std::move(*column);
    }
    for (int f = 0; f < table_.row_count; ++f)
      out.push_back({rotations[f], {parts[0][f], parts[1][f], parts[2][f]}});
    return {};
  }

  const CsvTable& table_;
  std::string_view text_;
  const Clip& like_;
  Clip clip_;
};

}  // namespace

std::vector<std::string> objects_without_shape(const CsvTable& table, const Clip& clip) {
  const TrackNames known = track_names(clip);
  std::vector<std::string> names;
  for (const CsvColumn& column : table.columns) {
    // Segments have a dot in their names and no places; objects have both parts of a pose.
    if (!column.base.ends_with("_qw") || column.base.find('.') != std::string::npos) continue;
    const std::string name = column.base.substr(0, column.base.size() - 3);
    if (table.find(name + "_x") < 0 || name.empty()) continue;
    if (std::find(known.objects.begin(), known.objects.end(), name) == known.objects.end())
      names.push_back(name);
  }
  return names;
}

Result<Clip> read_clip_csv(const std::string& path, const Clip& like) {
  const auto text = read_file(path);
  if (!text) return text.error();
  const auto table = parse_csv(*text, path);
  if (!table) return table.error();
  auto clip = ClipReader(*table, *text, like).read();
  if (!clip) return clip;
  const std::string contacts = contacts_path(path);
  if (std::filesystem::exists(contacts)) {
    const auto bare = objects_without_shape(*table, *clip);
    const std::set<std::string> without_shape(bare.begin(), bare.end());
    if (const Status s = read_contacts_csv(contacts, without_shape, *clip); !s) return s.error();
  }
  if (const Status s = validate(*clip); !s)
    return Error{fmt::format("{}: {}", table->name, s.message())};
  return clip;
}

}  // namespace prehend::io
