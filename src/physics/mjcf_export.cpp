#include <fmt/format.h>

#include "physics/mjcf_text.h"
#include "prehend/physics/mjcf_hand.h"

namespace prehend::physics {
namespace {

std::string site(const std::string& name, const Vec3& point, const Vec3& axis) {
  return fmt::format("<site name=\"{}\" pos=\"{}\" zaxis=\"{}\"/>\n", name, numbers(point),
                     numbers(axis));
}

// A digit's pad, nail and tip.
std::string pad_sites(const Hand& hand, int segment) {
  std::string out;
  for (size_t d = 0; d < kDigitCount; ++d) {
    const FingerPad& pad = hand.pads[d];
    if (pad.segment != segment) continue;
    const std::string digit = to_string(kDigits[d]);
    out += site(digit + "-pad", pad.point, pad.normal);
    out += site(digit + "-nail", pad.point, pad.nail_normal);
    out += site(digit + "-tip", pad.tip, Vec3::UnitZ());
  }
  return out;
}

}  // namespace

std::string hand_to_mjcf(const Hand& hand) {
  HandText text;
  text.root_joint = "<freejoint/>\n";
  text.segment_extras = [&hand](int segment) { return pad_sites(hand, segment); };
  text.max_torque = true;
  std::string excludes;
  for (const auto& [a, b] : hand.overlapping) {
    excludes += fmt::format("<exclude body1=\"{}\" body2=\"{}\"/>\n",
                            escaped(hand.segments[static_cast<size_t>(a)].name),
                            escaped(hand.segments[static_cast<size_t>(b)].name));
  }
  return fmt::format(
      "<mujoco model=\"{0} hand\">\n<compiler angle=\"radian\"/>\n"
      "<option gravity=\"{1}\"/>\n<size nuser_jnt=\"1\"/>\n"
      "<custom>\n<text name=\"prehend-name\" data=\"{0}\"/>\n"
      "<text name=\"prehend-profile\" data=\"{2}\"/>\n<text name=\"prehend-side\" data=\"{3}\"/>\n"
      "<numeric name=\"prehend-length\" data=\"{4}\"/>\n"
      "<numeric name=\"prehend-breadth\" data=\"{5}\"/>\n</custom>\n"
      "<worldbody>\n{6}</worldbody>\n<contact>\n{7}</contact>\n</mujoco>\n",
      escaped(hand.name), numbers(gravity_world()), escaped(hand.profile), to_string(hand.side),
      number(hand.length), number(hand.breadth), hand_bodies(hand, text), excludes);
}

}  // namespace prehend::physics
