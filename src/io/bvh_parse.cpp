#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "prehend/core/atomic_file.h"
#include "prehend/core/text.h"
#include "prehend/io/bvh.h"

namespace prehend::io {
namespace {

// A body with fingers and face has a few hundred joints.
constexpr std::size_t kJointLimit = 5000;
// Beyond any unit's reach, and where the sine of an angle still means something.
constexpr double kValueLimit = 1e9;

bool same_word(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return (x >= 'A' && x <= 'Z' ? x + 32 : x) == (y >= 'A' && y <= 'Z' ? y + 32 : y);
         });
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f'; }

class Parser {
 public:
  Parser(std::string_view text, const std::string& name) : text_(text), name_(name) {
    if (text_.starts_with("\xef\xbb\xbf")) pos_ = 3;
  }

  Result<Bvh> parse() {
    if (const Status s = parse_hierarchy(); !s) return s.error();
    if (const Status s = parse_motion(); !s) return s.error();
    settle_positions();
    return std::move(bvh_);
  }

 private:
  Error fail(const std::string& what) const {
    return {fmt::format("{}:{}: {}", printable(name_, 300), line_, what)};
  }
  Error expected(std::string_view what, std::string_view got) const {
    if (got.empty()) return fail(fmt::format("expected {}, but the file ends", what));
    return fail(fmt::format("expected {}, not \"{}\"", what, printable(got)));
  }

  void step() {
    if (text_[pos_] == '\n' ||
        (text_[pos_] == '\r' && (pos_ + 1 == text_.size() || text_[pos_ + 1] != '\n')))
      ++line_;
    ++pos_;
  }
  void skip_space() {
    while (pos_ < text_.size() && is_space(text_[pos_])) step();
  }
  // Next word; braces are words of their own. Empty at the end of the file.
  std::string_view word() {
    skip_space();
    const std::size_t first = pos_;
    if (pos_ < text_.size() && (text_[pos_] == '{' || text_[pos_] == '}'))
      return text_.substr(pos_++, 1);
    while (pos_ < text_.size() && !is_space(text_[pos_]) && text_[pos_] != '{' &&
           text_[pos_] != '}')
      ++pos_;
    return text_.substr(first, pos_ - first);
  }
  std::string_view peek() {
    const auto keep = std::pair(pos_, line_);
    const auto next = word();
    std::tie(pos_, line_) = keep;
    return next;
  }
  // Joint names may have spaces: the rest of the line up to a brace.
  std::string rest_of_line() {
    while (pos_ < text_.size() && (text_[pos_] == ' ' || text_[pos_] == '\t')) ++pos_;
    const std::size_t first = pos_;
    while (pos_ < text_.size() && text_[pos_] != '\n' && text_[pos_] != '\r' && text_[pos_] != '{')
      ++pos_;
    std::string_view name = text_.substr(first, pos_ - first);
    while (!name.empty() && is_space(name.back())) name.remove_suffix(1);
    return std::string(name);
  }

  Status number(double& value, std::string_view what) {
    std::string_view token = word();
    const std::string_view shown = token;
    if (token.starts_with('+')) token.remove_prefix(1);
    const auto [end, code] = std::from_chars(token.data(), token.data() + token.size(), value);
    if (token.empty() || code == std::errc::invalid_argument || end != token.data() + token.size())
      return expected(what, shown);
    if (code != std::errc() || !std::isfinite(value) || std::abs(value) > kValueLimit) {
      // A number too small for a double is as good as zero.
      if (code == std::errc::result_out_of_range && token.find_last_of("eE") + 1 < token.size() &&
          token[token.find_last_of("eE") + 1] == '-') {
        value = 0.0;
        return {};
      }
      return fail(fmt::format("\"{}\" is not a usable number", printable(shown)));
    }
    return {};
  }
  Status offset(Vec3& value) {
    for (int axis = 0; axis < 3; ++axis)
      if (const Status s = number(value[axis], "a number of OFFSET x y z"); !s) return s;
    return {};
  }

  Status parse_hierarchy() {
    if (const auto first = word(); !same_word(first, "HIERARCHY"))
      return expected("HIERARCHY at the start of a BVH file", first);
    while (same_word(peek(), "ROOT")) {
      word();
      if (const Status s = parse_tree(); !s) return s;
    }
    if (bvh_.joints.empty()) return expected("ROOT", word());
    return {};
  }

  // One root with everything below it, without recursion: a hostile file may nest deeply.
  Status parse_tree() {
    std::vector<int> open;
    if (const Status s = begin_joint(open); !s) return s;
    while (!open.empty()) {
      const auto token = word();
      if (token == "}") {
        open.pop_back();
      } else if (same_word(token, "JOINT")) {
        if (const Status s = begin_joint(open); !s) return s;
      } else if (same_word(token, "OFFSET")) {
        if (const Status s = offset(bvh_.joints[open.back()].offset); !s) return s;
      } else if (same_word(token, "CHANNELS")) {
        if (const Status s = parse_channels(bvh_.joints[open.back()]); !s) return s;
      } else if (same_word(token, "End")) {
        if (const Status s = parse_end_site(bvh_.joints[open.back()]); !s) return s;
      } else {
        return expected("OFFSET, CHANNELS, JOINT, End Site or }", token);
      }
    }
    return {};
  }

  Status begin_joint(std::vector<int>& open) {
    if (bvh_.joints.size() >= kJointLimit)
      return fail(fmt::format("more than {} joints", kJointLimit));
    BvhJoint joint;
    joint.name = rest_of_line();
    joint.parent = open.empty() ? -1 : open.back();
    joint.first_channel = bvh_.channel_count;
    if (joint.name.empty()) return fail("a joint without a name");
    if (const auto brace = word(); brace != "{") return expected("{", brace);
    open.push_back(static_cast<int>(bvh_.joints.size()));
    bvh_.joints.push_back(std::move(joint));
    return {};
  }

  Status parse_channels(BvhJoint& joint) {
    constexpr std::string_view kNames[] = {"Xposition", "Yposition", "Zposition",
                                           "Xrotation", "Yrotation", "Zrotation"};
    if (!joint.channels.empty()) return fail("CHANNELS given twice for one joint");
    double count = 0.0;
    if (const Status s = number(count, "the number of CHANNELS"); !s) return s;
    if (count < 0.0 || count > 6.0 || count != std::floor(count))
      return fail(fmt::format("a joint has 0 to 6 channels, not {}", count));
    joint.first_channel = bvh_.channel_count;
    for (int i = 0; i < static_cast<int>(count); ++i) {
      const auto token = word();
      const auto* found = std::find_if(std::begin(kNames), std::end(kNames),
                                       [&](const auto& name) { return same_word(name, token); });
      if (found == std::end(kNames))
        return expected("a channel such as Xposition or Zrotation", token);
      joint.channels.push_back(static_cast<BvhChannel>(found - kNames));
    }
    bvh_.channel_count += static_cast<int>(count);
    return {};
  }

  Status parse_end_site(BvhJoint& joint) {
    if (const std::string rest = rest_of_line(); !same_word(rest.substr(0, 4), "Site"))
      return expected("Site after End", rest);
    if (const auto brace = word(); brace != "{") return expected("{", brace);
    Vec3 end = Vec3::Zero();
    if (const auto token = word(); !same_word(token, "OFFSET")) return expected("OFFSET", token);
    if (const Status s = offset(end); !s) return s;
    if (const auto brace = word(); brace != "}") return expected("}", brace);
    joint.end_sites.push_back(end);
    return {};
  }

  // "Frames: 10", "Frames 10", "Frames:10".
  Status labeled(std::string_view label, double& value) {
    skip_space();
    if (!same_word(text_.substr(pos_, label.size()), label)) return expected(label, word());
    pos_ += label.size();
    while (pos_ < text_.size() && (text_[pos_] == ':' || text_[pos_] == ' ' || text_[pos_] == '\t'))
      ++pos_;
    return number(value, fmt::format("a number after {}", label));
  }

  Status parse_motion() {
    if (const auto token = word(); !same_word(token, "MOTION"))
      return expected("ROOT or MOTION", token);
    double frames = 0.0;
    if (const Status s = labeled("Frames", frames); !s) return s;
    if (frames < 0.0 || frames != std::floor(frames))
      return fail("the number of frames must be a whole number");
    if (const Status s = labeled("Frame Time", bvh_.frame_time); !s) return s;
    if (bvh_.frame_time < 1e-6 || bvh_.frame_time > 1e3)
      return fail(fmt::format("a frame time of {} seconds; right would be such as 0.0333",
                              bvh_.frame_time));
    if (bvh_.channel_count == 0 && frames > 0.0) return fail("frames, but no joint has channels");
    // Every number takes two bytes at least, so a false count cannot ask for memory.
    const double promised = frames * bvh_.channel_count;
    const double possible = static_cast<double>(text_.size() - pos_ + 1) / 2.0;
    if (promised > possible) {
      return fail(fmt::format("{:.0f} frames of {} channels are promised, more than the file holds",
                              frames, bvh_.channel_count));
    }
    bvh_.frame_count = static_cast<int>(frames);
    bvh_.values.resize(static_cast<std::size_t>(promised));
    return parse_values();
  }

  Status parse_values() {
    for (std::size_t i = 0; i < bvh_.values.size(); ++i) {
      if (const Status s = number(bvh_.values[i], "a number of the motion"); !s) {
        return Error{fmt::format("{} (frame {} of {}, channel {} of {})", s.message(),
                                 i / bvh_.channel_count + 1, bvh_.frame_count,
                                 i % bvh_.channel_count + 1, bvh_.channel_count)};
      }
    }
    if (const auto extra = word(); !extra.empty()) {
      return fail(fmt::format("more after the {} frames of {} channels that the file promises",
                              bvh_.frame_count, bvh_.channel_count));
    }
    return {};
  }

  // A root's position is a place, whatever its OFFSET. Of other joints the file itself tells: the
  // numbers lie near the OFFSET when they replace it, near zero when they add to it.
  void settle_positions() {
    for (BvhJoint& joint : bvh_.joints) {
      if (joint.parent < 0 || !joint.has_positions() || bvh_.frame_count == 0) continue;
      double to_offset = 0.0, to_zero = 0.0;
      for (std::size_t c = 0; c < joint.channels.size(); ++c) {
        const int axis = static_cast<int>(joint.channels[c]);
        if (axis > 2) continue;
        const int stride = std::max(1, bvh_.frame_count / 100);
        for (int f = 0; f < bvh_.frame_count; f += stride) {
          const double value = bvh_.frame(f)[joint.first_channel + c];
          to_offset += std::abs(value - joint.offset[axis]);
          to_zero += std::abs(value);
        }
      }
      if (to_zero < to_offset) joint.positions = BvhPositions::kAddToOffset;
    }
  }

  std::string_view text_;
  std::string name_;
  std::size_t pos_ = 0;
  int line_ = 1;
  Bvh bvh_;
};

}  // namespace

Result<Bvh> parse_bvh(std::string_view text, const std::string& name) {
  return Parser(text, name).parse();
}

Result<Bvh> read_bvh(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return text.error();
  return parse_bvh(*text, path);
}

}  // namespace prehend::io
