#include "prehend/io/rig_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "io/joint_name.h"
#include "prehend/core/text.h"
#include "prehend/io/value.h"

namespace prehend::io {
namespace {

constexpr int kTip = 4;

// One side's joints, or those of a rig that names no side.
class HandGuess {
 public:
  HandGuess(const RigSkeleton& rig, const std::vector<NameParts>& parts,
            const std::vector<int>& members, const RigHand& given, bool bare_wrists)
      : rig_(rig), parts_(parts), members_(members), hand_(given) {
    hand_.may_be_bare = bare_wrists;
  }

  // Nothing when the joints make no hand.
  std::optional<RigHand> guess() {
    resolve_numbers();
    std::array<std::vector<int>, kDigitCount> chains;
    int found = 0;
    for (const Digit digit : kDigits) {
      chains[static_cast<int>(digit)] = longest_chain(digit);
      if (!chains[static_cast<int>(digit)].empty()) ++found;
    }
    const bool given =
        std::any_of(hand_.given.begin(), hand_.given.end(), [](bool g) { return g; });
    if (found < 2 && !given) return hand_.may_be_bare ? bare_wrist() : std::nullopt;
    if (!hand_.has(0)) {
      const int wrist = find_wrist(chains);
      if (wrist < 0) return std::nullopt;
      hand_.joints[0] = {wrist};
    }
    for (const Digit digit : kDigits) assign(digit, chains[static_cast<int>(digit)]);
    int usable = 0;
    for (const Digit digit : kDigits) usable += hand_.has(xr_joint_of(digit, 1)) ? 1 : 0;
    if (usable == 0) return std::nullopt;
    return hand_;
  }

  // The lowest joint called hand or wrist.
  std::optional<RigHand> bare_wrist() {
    for (const int i : members_) {
      const JointName& name = parts_[i].name;
      if (name.wrist && !name.ignored && name.phalanx < 0) hand_.joints[0] = {i};
    }
    if (!hand_.has(0)) return std::nullopt;
    return hand_;
  }

 private:
  bool is_given(int joint) const {
    for (int xr = 0; xr < kXrJointCount; ++xr) {
      const auto& list = hand_.joints[xr];
      if (hand_.given[xr] && std::find(list.begin(), list.end(), joint) != list.end()) return true;
    }
    return false;
  }

  // Names that count their digits ("Finger12", "finger2-3.R", "palm.03", "PIP4") mean a digit only
  // within their rig: some count from the thumb, some from the index finger, some from zero.
  void resolve_numbers() {
    bool thumb_by_name = false, two_in_one = false, single = false;
    int lowest = 99, highest = -1, highest_carpal = -1, highest_joint = -1;
    for (const int i : members_) {
      const NameParts& p = parts_[i];
      if (p.name.ignored || p.body) continue;
      thumb_by_name |= p.name.digit == Digit::kThumb;
      if (p.name.digit != Digit::kNone || p.numbers.empty()) continue;
      if (p.finger) {
        two_in_one |= p.numbers.size() == 1 && p.numbers[0].size() == 2;
        single |= p.numbers.size() == 1 && p.numbers[0].size() == 1;
        const int digit = digit_number(p, false);
        lowest = std::min(lowest, digit);
        highest = std::max(highest, digit);
      } else if (p.counts_from_index) {
        highest_carpal = std::max(highest_carpal, p.name.number);
      } else if (p.name.phalanx >= 0) {
        highest_joint = std::max(highest_joint, p.name.number);
      }
    }
    const bool biped = two_in_one && (single || highest > 5);
    if (biped) {
      lowest = 99;
      for (const int i : members_)
        if (parts_[i].finger && !parts_[i].numbers.empty())
          lowest = std::min(lowest, digit_number(parts_[i], true));
    }
    for (const int i : members_) {
      const NameParts& p = parts_[i];
      if (p.name.digit != Digit::kNone || p.numbers.empty() || p.name.ignored || p.body) continue;
      int digit = -1;
      if (p.finger) {
        digit = digit_number(p, biped) - (lowest == 0 ? 0 : 1) + (thumb_by_name ? 1 : 0);
      } else if (p.counts_from_index && p.name.phalanx <= 0) {
        digit = p.name.number - (highest_carpal == 5 ? 1 : 0);
      } else if (p.name.phalanx >= 0) {
        digit = p.name.number - (highest_joint == 5 || !thumb_by_name ? 1 : 0);
      }
      if (digit < 0 || digit >= kDigitCount) continue;
      parts_[i].name.digit = static_cast<Digit>(digit);
      if (p.counts_from_index && !p.finger) parts_[i].name.phalanx = 0;
    }
  }

  static int digit_number(const NameParts& p, bool biped) {
    const std::string& first = p.numbers.front();
    return biped && p.numbers.size() == 1 ? first[0] - '0' : std::stoi(first.substr(0, 4));
  }

  // Joints of one digit, one below the other. Helper joints and copies of the rig make several
  // candidates: the one with the most joints is the finger.
  std::vector<int> longest_chain(Digit digit) const {
    std::vector<int> length(rig_.names.size(), 0), above(rig_.names.size(), -1);
    int best = -1;
    for (const int i : members_) {
      const JointName& name = parts_[i].name;
      if (name.digit != digit || name.ignored || is_given(i)) continue;
      length[i] = 1;
      for (int up = rig_.parents[i]; up >= 0; up = rig_.parents[up]) {
        if (length[up] == 0) continue;
        length[i] = length[up] + 1;
        above[i] = up;
        break;
      }
      if (best < 0 || length[i] > length[best]) best = i;
    }
    std::vector<int> chain;
    for (int i = best; i >= 0; i = above[i]) chain.insert(chain.begin(), i);
    return chain;
  }

  // The lowest joint above all digits that belongs to none of them.
  int find_wrist(const std::array<std::vector<int>, kDigitCount>& chains) const {
    std::vector<int> count(rig_.names.size(), 0);
    int needed = 0;
    for (const auto& chain : chains) {
      if (chain.empty()) continue;
      ++needed;
      for (int up = rig_.parents[chain.front()]; up >= 0; up = rig_.parents[up]) ++count[up];
    }
    int wrist = -1;
    for (std::size_t i = 0; i < count.size(); ++i) {
      const JointName& name = parts_[i].name;
      if (count[i] == needed && name.digit == Digit::kNone) wrist = static_cast<int>(i);
    }
    // Below the wrist some rigs have a palm that carries the fingers.
    if (wrist >= 0 && parts_[wrist].name.palm && rig_.parents[wrist] >= 0 &&
        parts_[rig_.parents[wrist]].name.wrist)
      wrist = rig_.parents[wrist];
    return wrist;
  }

  double distance(int a, int b) const {
    return a < 0 || b < 0 ? 0.0 : (rig_.positions[a] - rig_.positions[b]).norm();
  }
  // A knuckle is farther from the wrist than a phalanx is long, a metacarpal's base is nearer.
  bool starts_at_metacarpal(const std::vector<int>& chain) const {
    if (chain.size() < 2) return false;
    const double base = distance(hand_.last(0), chain[0]);
    const double bone = distance(chain[0], chain[1]);
    if (base + bone > 0.0) return base < bone;
    return parts_[chain[0]].name.number == 0;
  }

  // Phalanges for a run of joints whose names do not tell, at the start of a digit.
  std::vector<int> slots_from_base(Digit digit, const std::vector<int>& run, bool tip_named) const {
    const int count = static_cast<int>(run.size());
    const JointName& first = parts_[run.front()].name;
    const JointName& last = parts_[run.back()].name;
    if (digit == Digit::kThumb) {
      if (count == 1) return {0};
      if (count == 2) return starts_at_metacarpal(run) ? std::vector{0, 1} : std::vector{1, 3};
      if (count == 3) return {0, 1, 3};
      const bool still = !rig_.turns.empty() && !rig_.turns[run.back()];
      const bool tip = !tip_named && first.number != 0 && (last.number == 4 || still);
      if (count == 4) return tip ? std::vector{0, 1, 3, kTip} : std::vector{0, 0, 1, 3};
      return {0, 0, 1, 3, kTip};
    }
    const bool metacarpal = starts_at_metacarpal(run);
    if (count <= 3) return metacarpal ? std::vector{0, 1, 2} : std::vector{1, 2, 3};
    if (count == 4)
      return metacarpal || tip_named ? std::vector{0, 1, 2, 3} : std::vector{1, 2, 3, kTip};
    return {0, 1, 2, 3, kTip};
  }

  void assign(Digit digit, const std::vector<int>& chain) {
    std::vector<int> labels;
    for (const int joint : chain) labels.push_back(parts_[joint].name.phalanx);
    const auto has = [&](int label) {
      return std::find(labels.begin(), labels.end(), label) != labels.end();
    };
    if (digit == Digit::kThumb && has(2)) {
      // A thumb has no intermediate phalanx: such a rig names its joints as a finger's.
      const bool metacarpal = has(0);
      for (int& label : labels) {
        if (label == 1) label = 0;
        if (label == 2) label = 1;
      }
      if (metacarpal && !has(3) && has(1) && std::count(labels.begin(), labels.end(), 0) > 1)
        labels.back() = 3;
    }
    fill_unnamed(digit, chain, labels);
    for (std::size_t i = 0; i < chain.size(); ++i) {
      if (labels[i] < 0 || labels[i] > kTip) continue;
      const int xr = xr_joint_of(digit, labels[i]);
      if (!hand_.given[xr]) hand_.joints[xr].push_back(chain[i]);
    }
  }

  void fill_unnamed(Digit digit, const std::vector<int>& chain, std::vector<int>& labels) const {
    std::size_t first = 0;
    while (first < chain.size() && labels[first] < 0) ++first;
    const bool tip_named = first < chain.size() && labels[first] == kTip;
    if (first > 0 && (first == chain.size() || tip_named)) {
      const std::vector<int> run(chain.begin(), chain.begin() + static_cast<std::ptrdiff_t>(first));
      const auto slots = slots_from_base(digit, run, tip_named);
      for (std::size_t i = 0; i < first; ++i) labels[i] = i < slots.size() ? slots[i] : -2;
    } else {
      // Before a named joint: the phalanges just below it.
      for (std::size_t i = first; i-- > 0;) labels[i] = previous(digit, labels[i + 1]);
    }
    for (std::size_t i = 1; i < chain.size(); ++i)
      if (labels[i] == -1) labels[i] = std::min(next(digit, labels[i - 1]), kTip + 1);
  }
  static int next(Digit digit, int phalanx) {
    return digit == Digit::kThumb && phalanx == 1 ? 3 : phalanx + 1;
  }
  static int previous(Digit digit, int phalanx) {
    if (phalanx <= 0) return 0;
    return digit == Digit::kThumb && phalanx == 3 ? 1 : phalanx - 1;
  }

  const RigSkeleton& rig_;
  std::vector<NameParts> parts_;
  const std::vector<int>& members_;
  RigHand hand_;
};

// 0 left, 1 right, 2 not said.
constexpr int kNoSide = 2;

int side_key(std::optional<Side> side) {
  if (!side) return kNoSide;
  return *side == Side::kLeft ? 0 : 1;
}

std::vector<int> sides_of(const RigSkeleton& rig, const std::vector<NameParts>& parts) {
  std::vector<int> sides(rig.names.size(), kNoSide);
  for (std::size_t i = 0; i < sides.size(); ++i) {
    sides[i] = side_key(parts[i].name.side);
    if (sides[i] == kNoSide && rig.parents[i] >= 0) sides[i] = sides[rig.parents[i]];
  }
  return sides;
}

int find_rig_joint(const RigSkeleton& rig, const std::string& name) {
  const auto exact = std::find(rig.names.begin(), rig.names.end(), name);
  if (exact != rig.names.end()) return static_cast<int>(exact - rig.names.begin());
  for (std::size_t i = 0; i < rig.names.size(); ++i)
    if (const auto colon = rig.names[i].find_last_of(":|");
        colon != std::string::npos && rig.names[i].substr(colon + 1) == name)
      return static_cast<int>(i);
  return -1;
}

// A rig whose names tell no side has one hand, and a map file that says "right/..." of one of its
// joints says it of all.
Status settle_side(const RigHints& hints, std::vector<int>& sides) {
  const bool silent = std::all_of(sides.begin(), sides.end(), [](int s) { return s == kNoSide; });
  std::set<int> told;
  for (const auto& [rig_name, target] : hints.joints)
    if (target.find('/') != std::string::npos) told.insert(target.starts_with("left/") ? 0 : 1);
  if (!silent || told.size() != 1) return {};
  if (hints.side && side_key(hints.side) != *told.begin())
    return Error{fmt::format("{}: the side is {}, but joints are given to the other hand",
                             hints.name, to_string(*hints.side))};
  std::fill(sides.begin(), sides.end(), *told.begin());
  return {};
}

// Puts the hints into one RigHand a side.
Status apply_hints(const RigSkeleton& rig, const RigHints& hints, std::vector<int>& sides,
                   std::vector<NameParts>& parts, std::array<RigHand, 3>& given) {
  const auto& names = xr_joint_names();
  std::vector<std::pair<int, std::string>> pairs;
  for (const auto& [rig_name, target] : hints.joints) {
    const int joint = find_rig_joint(rig, rig_name);
    if (joint < 0) {
      const auto meant = nearest_word(rig_name, rig.names);
      return Error{
          fmt::format("{}: the rig has no joint \"{}\"{}", hints.name, printable(rig_name),
                      meant ? fmt::format("; did you mean \"{}\"?", printable(*meant)) : "")};
    }
    pairs.emplace_back(joint, target);
  }
  // Parents first, so that several rig joints of one hand joint stand in the order of the tree.
  std::sort(pairs.begin(), pairs.end());
  for (const auto& [joint, target] : pairs) {
    std::string hand_joint = target;
    int side = sides[joint];
    if (const auto slash = target.find('/'); slash != std::string::npos) {
      side = target.substr(0, slash) == "left" ? 0 : 1;
      hand_joint = target.substr(slash + 1);
      sides[joint] = side;
    }
    parts[joint].name.ignored = true;
    if (hand_joint == "none") continue;
    const auto xr = std::find(names.begin(), names.end(), hand_joint) - names.begin();
    given[side].joints[xr].push_back(joint);
    given[side].given[xr] = true;
  }
  return {};
}

}  // namespace

Result<std::vector<RigHand>> map_rig(const RigSkeleton& rig, const RigHints& hints,
                                     const std::string& context) {
  std::vector<NameParts> parts;
  for (const std::string& name : rig.names) parts.push_back(name_parts(name));
  std::vector<int> sides = sides_of(rig, parts);
  if (const Status s = settle_side(hints, sides); !s) return s.error();
  std::array<RigHand, 3> given;
  if (const Status s = apply_hints(rig, hints, sides, parts, given); !s) return s.error();

  std::vector<RigHand> hands;
  for (int side = 0; side < 3; ++side) {
    // Joints without a side belong to nobody when the rig has hands with one.
    if (side == kNoSide && !hands.empty()) break;
    std::vector<int> members;
    for (std::size_t i = 0; i < sides.size(); ++i)
      if (sides[i] == side) members.push_back(static_cast<int>(i));
    auto hand = HandGuess(rig, parts, members, given[side], hints.bare_wrists).guess();
    if (!hand) continue;
    hand->side_from_names = side != kNoSide;
    if (side != kNoSide) hand->side = side == 0 ? Side::kLeft : Side::kRight;
    hands.push_back(*hand);
  }
  if (hands.empty()) {
    const std::string some = rig.names.empty() ? "" : printable(rig.names.back());
    return Error{fmt::format(
        "{}: no hand found among {} joints (such as \"{}\"); name the joints in a map file",
        printable(context, 300), rig.names.size(), some)};
  }
  if (hands.size() == 1 && (hints.side || !hands[0].side_from_names)) {
    const auto told = parse_joint_name(std::filesystem::path(context).stem().string()).side;
    if (hints.side || told) {
      hands[0].side = hints.side ? *hints.side : *told;
      hands[0].side_from_names = true;
      hands[0].side_given = hints.side.has_value();
    }
  }
  return hands;
}

std::string rig_table(const RigSkeleton& rig, const RigHand& hand) {
  std::string out = fmt::format("{} hand\n", to_string(hand.side));
  for (int xr = 0; xr < kXrJointCount; ++xr) {
    std::string joints;
    for (const int joint : hand.joints[xr])
      joints += (joints.empty() ? "" : " + ") + printable(rig.names[joint]);
    out += fmt::format("  {:<20}  {}{}\n", xr_joint_names()[xr], joints.empty() ? "-" : joints,
                       hand.given[xr] ? "  (map file)" : "");
  }
  return out;
}

}  // namespace prehend::io
