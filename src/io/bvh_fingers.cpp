// Fingers into a BVH file by editing its text: what is not a finger's channel is copied as it
// stands.
#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "io/bvh_rig.h"
#include "io/rig_fingers.h"
#include "prehend/core/text.h"
#include "prehend/io/fingers_back.h"

namespace prehend::io {
namespace {

struct TextRange {
  std::size_t first = 0, last = 0;  // [first, last)
};

// Where the text says what, for joints in the order of the file.
struct BvhPlaces {
  struct Joint {
    TextRange channels;   // "CHANNELS 3 Zrotation ...", empty if there are none
    std::size_t end = 0;  // of its closing brace
    std::vector<TextRange> end_sites;
    int depth = 0;
  };
  std::vector<Joint> joints;
  std::size_t motion = 0;  // the first number after "Frame Time: x"
};

// Reads the words of a file that the parser has accepted.
class PlaceFinder {
 public:
  explicit PlaceFinder(std::string_view text) : text_(text) {}

  BvhPlaces find() {
    std::vector<int> open;
    for (TextRange w = word(); w.first < text_.size(); w = word()) {
      const std::string what = lower(w);
      if (what == "root" || what == "joint") {
        skip_to('{');
        open.push_back(static_cast<int>(out_.joints.size()));
        out_.joints.emplace_back();
        out_.joints.back().depth = static_cast<int>(open.size());
      } else if (what == "channels") {
        read_channels(w, out_.joints[open.back()]);
      } else if (what == "end") {
        skip_to('}');
        out_.joints[open.back()].end_sites.push_back({w.first, pos_});
      } else if (what == "}") {
        out_.joints[open.back()].end = w.first;
        open.pop_back();
      } else if (what == "motion") {
        skip_to_values();
        out_.motion = pos_;
        break;
      }
    }
    return std::move(out_);
  }

 private:
  static bool space(char c) { return std::isspace(static_cast<unsigned char>(c)); }
  TextRange word() {
    while (pos_ < text_.size() && space(text_[pos_])) ++pos_;
    const std::size_t first = pos_;
    if (pos_ < text_.size() && (text_[pos_] == '{' || text_[pos_] == '}')) return {first, ++pos_};
    while (pos_ < text_.size() && !space(text_[pos_]) && text_[pos_] != '{' && text_[pos_] != '}')
      ++pos_;
    return {first, pos_};
  }
  std::string lower(const TextRange& w) const {
    std::string out(text_.substr(w.first, w.last - w.first));
    for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
  }
  void skip_to(char c) {
    while (pos_ < text_.size() && text_[pos_] != c) ++pos_;
    if (pos_ < text_.size()) ++pos_;
  }
  void read_channels(const TextRange& from, BvhPlaces::Joint& joint) {
    TextRange w = word();
    const int count = std::atoi(std::string(text_.substr(w.first, w.last - w.first)).c_str());
    for (int i = 0; i < count; ++i) w = word();
    joint.channels = {from.first, w.last};
  }
  // "Frames: N", "Frame Time: x", whatever spaces and colons stand between.
  void skip_to_values() {
    for (int numbers = 0; numbers < 2 && pos_ < text_.size();) {
      const TextRange w = word();
      const char last = text_[w.last - 1];
      numbers += std::isdigit(static_cast<unsigned char>(last)) || last == '.';
    }
  }

  std::string_view text_;
  std::size_t pos_ = 0;
  BvhPlaces out_;
};

struct Edit {
  std::size_t at = 0, erased = 0;
  std::string text;
};

std::string apply(std::string_view text, std::vector<Edit> edits) {
  std::stable_sort(edits.begin(), edits.end(),
                   [](const Edit& a, const Edit& b) { return a.at < b.at; });
  std::string out;
  std::size_t done = 0;
  for (const Edit& edit : edits) {
    out += text.substr(done, edit.at - done);
    out += edit.text;
    done = edit.at + edit.erased;
  }
  out += text.substr(done);
  return out;
}

constexpr const char* kChannelNames[] = {"Xposition", "Yposition", "Zposition",
                                         "Xrotation", "Yrotation", "Zrotation"};

// The order in which a joint's channels turn it; nothing if it has not one of each.
std::optional<EulerOrder> order_of(const BvhJoint& joint) {
  EulerOrder order;
  int count = 0;
  for (const BvhChannel channel : joint.channels) {
    const int axis = static_cast<int>(channel) - 3;
    if (axis < 0) continue;
    if (count == 3) return std::nullopt;
    order.axes[count++] = axis;
  }
  if (count != 3) return std::nullopt;
  const int sum = order.axes[0] + order.axes[1] + order.axes[2];
  const bool each = sum == 3 && order.axes[0] != order.axes[1] && order.axes[1] != order.axes[2];
  return each ? std::optional(order) : std::nullopt;
}

class Writer {
 public:
  Writer(std::string_view text, const std::string& name, const BvhRig& rig, bool mirror,
         int first_frame)
      : text_(text),
        name_(name),
        rig_(rig),
        mirror_(mirror),
        first_frame_(first_frame),
        places_(PlaceFinder(text).find()),
        before_(rig.bvh.channel_count + 1),
        replaced_(rig.bvh.channel_count) {}

  Status add(const RigFingers& fingers) {
    for (std::size_t i = 0; i < fingers.joints.size(); ++i) {
      const FingerJoint& joint = fingers.joints[i];
      if (joint.rig_joint >= 0)
        if (const Status s = turn_anew(joint); !s) return s;
    }
    if (fingers.added) add_joints(fingers);
    return {};
  }

  std::string finish() {
    edit_motion();
    return apply(text_, std::move(edits_));
  }

 private:
  using Column = std::vector<double>;  // one a frame of the file

  Transform local_at(const FingerJoint& joint, int frame) const {
    const int last = static_cast<int>(joint.locals.size()) - 1;
    const Transform& t = joint.locals[std::clamp(frame - first_frame_, 0, last)];
    return mirror_ ? mirror_x(t) : t;
  }
  // x, y, z and the three angles of a joint over the file.
  std::array<Column, 6> columns(const FingerJoint& joint, const EulerOrder& order) const {
    std::array<Column, 6> out;
    Vec3 angles = Vec3::Zero();
    for (int f = 0; f < rig_.bvh.frame_count; ++f) {
      const Transform t = local_at(joint, f);
      angles = euler_angles(t.rotation, order, angles);
      for (int k = 0; k < 3; ++k) {
        out[k].push_back(t.position[k]);
        out[3 + k].push_back(degrees(angles[k]));
      }
    }
    return out;
  }

  Status turn_anew(const FingerJoint& joint) {
    const BvhJoint& old = rig_.bvh.joints[joint.rig_joint];
    const auto order = order_of(old);
    if (!order)
      return Error{
          fmt::format("{}: joint \"{}\" cannot be turned: it lacks one of three rotation "
                      "channels",
                      printable(name_, 300), printable(old.name))};
    auto values = columns(joint, *order);
    int turn = 0;
    for (std::size_t c = 0; c < old.channels.size(); ++c) {
      const int kind = static_cast<int>(old.channels[c]);
      const bool position = kind < 3;
      if (position && !joint.moves) continue;
      Column column = values[position ? kind : 3 + turn++];
      if (position && old.positions == BvhPositions::kAddToOffset)
        for (double& v : column) v -= old.offset[kind];
      replaced_[old.first_channel + static_cast<int>(c)] = std::move(column);
    }
    if (!joint.moves || old.has_positions()) return {};
    std::string list = fmt::format("CHANNELS {}", old.channels.size() + 3);
    for (int k = 0; k < 3; ++k) list += fmt::format(" {}", kChannelNames[k]);
    for (const BvhChannel c : old.channels)
      list += fmt::format(" {}", kChannelNames[static_cast<int>(c)]);
    const TextRange& where = places_.joints[joint.rig_joint].channels;
    edits_.push_back({where.first, where.last - where.first, list});
    for (int k = 0; k < 3; ++k) before_[old.first_channel].push_back(std::move(values[k]));
    return {};
  }

  // One past the last channel of a joint and all below it.
  int subtree_end(int joint) const {
    std::vector<bool> below(rig_.bvh.joints.size(), false);
    below[joint] = true;
    int end = rig_.bvh.joints[joint].first_channel;
    for (std::size_t j = joint; j < below.size(); ++j) {
      const BvhJoint& other = rig_.bvh.joints[j];
      if (static_cast<int>(j) != joint) below[j] = other.parent >= 0 && below[other.parent];
      if (below[j])
        end = std::max(end, other.first_channel + static_cast<int>(other.channels.size()));
    }
    return end;
  }

  void add_joints(const RigFingers& fingers) {
    const BvhJoint& wrist = rig_.bvh.joints[fingers.wrist];
    const EulerOrder order = order_of(wrist).value_or(EulerOrder{});
    const BvhPlaces::Joint& place = places_.joints[fingers.wrist];
    // An end site stood for the hand that now is there.
    for (const TextRange& site : place.end_sites)
      edits_.push_back({site.first, site.last - site.first, ""});
    const int channel = subtree_end(fingers.wrist);
    std::string tree;
    std::vector<int> open;
    const auto tabs = [&] { return std::string(place.depth + open.size(), '\t'); };
    const auto close = [&] {
      open.pop_back();
      tree += tabs() + "}\n";
    };
    for (std::size_t i = 0; i < fingers.joints.size(); ++i) {
      const FingerJoint& joint = fingers.joints[i];
      while (!open.empty() && open.back() != joint.parent) close();
      auto values = columns(joint, order);
      const Vec3 offset = mirror_ ? mirror_x(joint.offset) : joint.offset;
      tree += fmt::format("{0}JOINT {1}\n{0}{{\n", tabs(), joint.name);
      open.push_back(static_cast<int>(i));
      tree += fmt::format("{}OFFSET {:.6f} {:.6f} {:.6f}\n{}CHANNELS {}", tabs(), offset.x(),
                          offset.y(), offset.z(), tabs(), joint.moves ? 6 : 3);
      for (int k = 0; joint.moves && k < 3; ++k) tree += fmt::format(" {}", kChannelNames[k]);
      for (const int axis : order.axes) tree += fmt::format(" {}", kChannelNames[3 + axis]);
      tree += "\n";
      for (int k = joint.moves ? 0 : 3; k < 6; ++k)
        before_[channel].push_back(std::move(values[k]));
      if (!joint.last) continue;
      const Vec3 tip = mirror_ ? mirror_x(joint.tip) : joint.tip;
      tree += fmt::format("{0}End Site\n{0}{{\n{0}\tOFFSET {1:.6f} {2:.6f} {3:.6f}\n{0}}}\n",
                          tabs(), tip.x(), tip.y(), tip.z());
    }
    while (!open.empty()) close();
    // The brace stands at the end of its own indentation.
    edits_.push_back({place.end, 0, "\n" + tree + std::string(place.depth - 1, '\t')});
  }

  void edit_motion() {
    std::size_t pos = places_.motion;
    const auto space = [&](std::size_t i) {
      return std::isspace(static_cast<unsigned char>(text_[i])) != 0;
    };
    const int channels = rig_.bvh.channel_count;
    for (int f = 0; f < rig_.bvh.frame_count; ++f) {
      for (int c = 0; c < channels; ++c) {
        while (space(pos)) ++pos;
        std::size_t end = pos;
        while (end < text_.size() && !space(end)) ++end;
        std::string inserted;
        for (const Column& column : before_[c]) inserted += fmt::format("{:.6f} ", column[f]);
        if (!inserted.empty()) edits_.push_back({pos, 0, inserted});
        if (!replaced_[c].empty())
          edits_.push_back({pos, end - pos, fmt::format("{:.6f}", replaced_[c][f])});
        pos = end;
      }
      std::string inserted;
      for (const Column& column : before_[channels]) inserted += fmt::format(" {:.6f}", column[f]);
      if (!inserted.empty()) edits_.push_back({pos, 0, inserted});
    }
  }

  std::string_view text_;
  const std::string& name_;
  const BvhRig& rig_;
  bool mirror_;
  int first_frame_;
  BvhPlaces places_;
  std::vector<Edit> edits_;
  std::vector<std::vector<Column>> before_;  // columns to stand before a channel of the file
  std::vector<Column> replaced_;             // in the place of one; empty: it stays
};

}  // namespace

Result<WithFingers> bvh_with_fingers(std::string_view text, const std::string& name,
                                     const RigHints& hints, const FingersBack& fingers) {
  const auto bvh = parse_bvh(text, name);
  if (!bvh) return bvh.error();
  const auto rig = bvh_rig(*bvh, name, hints);
  if (!rig) return rig.error();
  if (rig->models.size() != fingers.hands.size())
    return Error{fmt::format("{}: has {} hands, and fingers are given for {}", printable(name, 300),
                             rig->models.size(), fingers.hands.size())};
  Writer writer(text, name, *rig, hints.mirror, fingers.first_frame);
  WithFingers out;
  for (std::size_t i = 0; i < rig->models.size(); ++i) {
    const RigFingers made =
        rig_fingers(rig->skeleton, rig->models[i], fingers.hands[i], [&](int frame) {
          return bvh_frames(rig->bvh,
                            std::min(fingers.first_frame + frame, rig->bvh.frame_count - 1));
        });
    if (const Status s = writer.add(made); !s) return s.error();
    out.notes.push_back(fingers_note(rig->skeleton, rig->models[i], made));
  }
  out.bytes = writer.finish();
  return out;
}

}  // namespace prehend::io
