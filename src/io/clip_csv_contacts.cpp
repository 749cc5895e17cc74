#include "io/clip_csv_contacts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "prehend/core/atomic_file.h"
#include "prehend/core/text.h"
#include "prehend/io/csv.h"

namespace prehend::io {
namespace {

using csv_names::kEnvironment;
using csv_names::kNoSegment;
using csv_names::kSurroundings;

// Reads the rows of a table of contacts, of the present form or the older one.
class ContactReader {
 public:
  ContactReader(const CsvTable& table, std::set<std::string> without_shape, Clip& clip)
      : table_(table),
        without_shape_(std::move(without_shape)),
        clip_(clip),
        names_(track_names(clip)),
        old_(table.find("by") < 0 && table.find("hand") >= 0) {}

  Status read() {
    for (const char* column :
         {"frame", "point_x_m", "point_y_m", "point_z_m", "normal_x", "normal_y", "normal_z",
          "force_x_N", "force_y_N", "force_z_N", "torque_normal_Nm", "gap_m"})
      if (const Status s = need(column); !s) return s;
    if (old_) {
      for (const char* column : {"hand", "segment", "object"})
        if (const Status s = need(column); !s) return s;
    } else {
      for (const char* column : {"by", "by_segment", "on", "on_segment"})
        if (const Status s = need(column); !s) return s;
    }
    for (int row = 0; row < table_.row_count; ++row)
      if (const Status s = read_row(row); !s) return s;
    return {};
  }

 private:
  Status need(const char* column) const {
    if (table_.find(column) >= 0) return {};
    return Error{fmt::format("{}: no column \"{}\"", table_.name, column)};
  }

  // A cell of words; empty where the table has none.
  std::string text(const char* column, int row) const {
    const CsvColumn& found = table_.columns[table_.find(column)];
    if (!found.texts.empty()) return found.texts[row];
    // A name made of digits alone was taken for a number.
    return std::isfinite(found.values[row]) ? fmt::format("{}", found.values[row]) : "";
  }
  double number(const std::string& column, int row) const {
    return table_.columns[table_.find(column)].values[row];
  }
  Vec3 vector(const char* prefix, const char* unit, int row) const {
    Vec3 v;
    for (int i = 0; i < 3; ++i) v[i] = number(fmt::format("{}_{}{}", prefix, "xyz"[i], unit), row);
    return v;
  }

  Error missing(int row, const char* what, const std::string& name) const {
    return {fmt::format("{}: row {}: the clip has no {} \"{}\"", table_.name, row + 1, what,
                        printable(name))};
  }

  // Nothing for an object without a shape.
  Result<std::optional<ContactSide>> side(int row, const std::string& name,
                                          const std::string& segment) const {
    using Side = std::optional<ContactSide>;
    if (name == kSurroundings) return Side(ContactSide::surroundings());
    const auto object = std::find(names_.objects.begin(), names_.objects.end(), name);
    if (object != names_.objects.end())
      return Side(ContactSide::object(static_cast<int>(object - names_.objects.begin())));
    if (without_shape_.contains(name)) return Side();
    const auto hand = std::find(names_.hands.begin(), names_.hands.end(), name);
    if (hand == names_.hands.end()) return missing(row, "hand or object", name);
    const int index = static_cast<int>(hand - names_.hands.begin());
    const auto& segments = clip_.hands[index].hand->segments;
    const auto found = std::find_if(segments.begin(), segments.end(),
                                    [&](const Segment& s) { return s.name == segment; });
    if (found == segments.end()) return missing(row, "segment", segment);
    return Side(ContactSide::hand(index, static_cast<int>(found - segments.begin())));
  }

  Result<std::optional<ContactSide>> pushing_side(int row) const {
    if (!old_) return side(row, text("by", row), text("by_segment", row));
    const std::string hand = text("hand", row), segment = text("segment", row);
    if (hand != kEnvironment) return side(row, hand, segment);
    const bool object = !segment.empty() && segment != kNoSegment;
    return side(row, object ? segment : kSurroundings, "");
  }

  Status read_row(int row) {
    const auto by = pushing_side(row);
    if (!by) return by.error();
    const auto on = old_ ? side(row, text("object", row), "")
                         : side(row, text("on", row), text("on_segment", row));
    if (!on) return on.error();
    const double frame = number("frame", row);
    if (!(frame >= 0.0 && frame < clip_.frame_count()))
      return Error{fmt::format("{}: row {}: no such frame", table_.name, row + 1)};
    if (!*by || !*on) return {};
    clip_.contacts[static_cast<std::size_t>(frame)].push_back(
        {.by = **by,
         .on = **on,
         .point_on = vector("point", "_m", row),
         .normal_world = vector("normal", "", row),
         .force_world = vector("force", "_N", row),
         .torque_normal = number("torque_normal_Nm", row),
         .gap = number("gap_m", row)});
    return {};
  }

  const CsvTable& table_;
  std::set<std::string> without_shape_;
  Clip& clip_;
  TrackNames names_;
  bool old_;
};

}  // namespace

TrackNames track_names(const Clip& clip) {
  TrackNames names;
  std::set<std::string> used = {kEnvironment, kSurroundings, "time"};
  const auto unique = [&](std::string wanted) {
    for (char& c : wanted)
      if (c == ',' || c == '"' || c == '\n' || c == '\r' || c == '#' || c == '@' || c == '.')
        c = '_';
    std::string name = wanted;
    for (int i = 2; !used.insert(name).second; ++i) name = fmt::format("{}-{}", wanted, i);
    return name;
  };
  for (const HandTrack& track : clip.hands)
    names.hands.push_back(unique(to_string(track.hand->side)));
  for (const ObjectTrack& track : clip.objects) names.objects.push_back(unique(track.object->name));
  return names;
}

Status read_contacts_csv(const std::string& path, const std::set<std::string>& without_shape,
                         Clip& clip) {
  const auto text = read_file(path);
  if (!text) return text.error();
  clip.contacts.resize(clip.frame_count());
  clip.forces_recorded = text->find("forces_recorded true") != std::string::npos;
  const auto table = parse_csv(*text, path);
  // Names of columns alone: a clip without a touch.
  if (!table && text->ends_with("gap_m\n")) return {};
  if (!table) return table.error();
  return ContactReader(*table, without_shape, clip).read();
}

}  // namespace prehend::io
