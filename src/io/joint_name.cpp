// What the name of a rig's joint says. Conventions met in the wild: OpenXR and WebXR
// ("index-finger-phalanx-proximal"), Mixamo ("mixamorig:RightHandIndex1"), Unity ("Right Index
// Intermediate"), Unreal ("index_metacarpal_r"), Rigify ("f_index.01.R", "palm.01.R"), 3ds Max
// biped ("Bip01 R Finger01"), MakeHuman ("finger1-1.R"), Daz ("rCarpal1"), Perception Neuron
// ("RightInHandIndex"), Rokoko ("RightFinger1Metacarpal"), Oculus ("b_r_thumb0"), SMPL-X
// ("left_index1"), anatomy ("THUMB_CMC_FE", "2proxph", "PIP3").
#include <algorithm>
#include <array>
#include <string_view>

#include "io/joint_name.h"

namespace prehend::io {
namespace {

enum class Role {
  kLeft,
  kRight,
  kThumb,
  kIndex,
  kMiddle,
  kRing,
  kLittle,
  kMetacarpal,
  kProximal,
  kIntermediate,
  kDistal,
  kTip,
  kHand,
  kPalm,
  kFinger,
  kOrdinal,  // first to fifth
  kIgnored,
  kBody,
  kFiller,
};

struct Word {
  std::string_view text;
  Role role;
};

constexpr Word kWords[] = {
    {"left", Role::kLeft},
    {"lft", Role::kLeft},
    {"lt", Role::kLeft},
    {"l", Role::kLeft},
    {"right", Role::kRight},
    {"rgt", Role::kRight},
    {"rt", Role::kRight},
    {"r", Role::kRight},
    {"thumb", Role::kThumb},
    {"thmb", Role::kThumb},
    {"thm", Role::kThumb},
    {"pollex", Role::kThumb},
    {"index", Role::kIndex},
    {"idx", Role::kIndex},
    {"ind", Role::kIndex},
    {"pointer", Role::kIndex},
    {"forefinger", Role::kIndex},
    {"middle", Role::kMiddle},
    {"mid", Role::kMiddle},
    {"mdl", Role::kMiddle},
    {"ring", Role::kRing},
    {"rng", Role::kRing},
    {"little", Role::kLittle},
    {"pinky", Role::kLittle},
    {"pinkie", Role::kLittle},
    {"pink", Role::kLittle},
    {"pnk", Role::kLittle},
    {"lit", Role::kLittle},
    {"small", Role::kLittle},
    {"metacarpal", Role::kMetacarpal},
    {"metacarpus", Role::kMetacarpal},
    {"meta", Role::kMetacarpal},
    {"mc", Role::kMetacarpal},
    {"cmc", Role::kMetacarpal},
    {"carpal", Role::kMetacarpal},
    {"trapezium", Role::kMetacarpal},
    {"proximal", Role::kProximal},
    {"prox", Role::kProximal},
    {"mcp", Role::kProximal},
    {"knuckle", Role::kProximal},
    {"pp", Role::kProximal},
    {"intermediate", Role::kIntermediate},
    {"inter", Role::kIntermediate},
    {"intermed", Role::kIntermediate},
    {"medial", Role::kIntermediate},
    {"pip", Role::kIntermediate},
    {"distal", Role::kDistal},
    {"dist", Role::kDistal},
    {"dip", Role::kDistal},
    {"ip", Role::kDistal},
    {"dp", Role::kDistal},
    {"tip", Role::kTip},
    {"end", Role::kTip},
    {"nub", Role::kTip},
    {"null", Role::kTip},
    {"effector", Role::kTip},
    {"site", Role::kTip},
    {"leaf", Role::kTip},
    {"hand", Role::kHand},
    {"wrist", Role::kHand},
    {"palm", Role::kPalm},
    {"finger", Role::kFinger},
    {"fingers", Role::kFinger},
    {"digit", Role::kFinger},
    {"fing", Role::kFinger},
    {"fngr", Role::kFinger},
    {"first", Role::kOrdinal},
    {"second", Role::kOrdinal},
    {"third", Role::kOrdinal},
    {"fourth", Role::kOrdinal},
    {"fifth", Role::kOrdinal},
    {"twist", Role::kIgnored},
    {"roll", Role::kIgnored},
    {"ik", Role::kIgnored},
    {"ctrl", Role::kIgnored},
    {"control", Role::kIgnored},
    {"helper", Role::kIgnored},
    {"pole", Role::kIgnored},
    {"target", Role::kIgnored},
    {"mch", Role::kIgnored},
    {"org", Role::kIgnored},
    {"tweak", Role::kIgnored},
    {"master", Role::kIgnored},
    {"weapon", Role::kIgnored},
    {"prop", Role::kIgnored},
    {"attach", Role::kIgnored},
    {"socket", Role::kIgnored},
    {"marker", Role::kIgnored},
    {"half", Role::kIgnored},
    {"muscle", Role::kIgnored},
    {"foot", Role::kBody},
    {"toe", Role::kBody},
    {"toes", Role::kBody},
    {"leg", Role::kBody},
    {"ankle", Role::kBody},
    {"knee", Role::kBody},
    {"hip", Role::kBody},
    {"hips", Role::kBody},
    {"spine", Role::kBody},
    {"neck", Role::kBody},
    {"head", Role::kBody},
    {"eye", Role::kBody},
    {"brow", Role::kBody},
    {"eyebrow", Role::kBody},
    {"lip", Role::kBody},
    {"mouth", Role::kBody},
    {"jaw", Role::kBody},
    {"face", Role::kBody},
    {"ear", Role::kBody},
    {"hair", Role::kBody},
    {"tongue", Role::kBody},
    {"cheek", Role::kBody},
    {"nose", Role::kBody},
    {"teeth", Role::kBody},
    {"arm", Role::kBody},
    {"forearm", Role::kBody},
    {"elbow", Role::kBody},
    {"shoulder", Role::kBody},
    {"clavicle", Role::kBody},
    {"chest", Role::kBody},
    {"tail", Role::kBody},
    {"skirt", Role::kBody},
    {"in", Role::kFiller},
    {"ph", Role::kFiller},
    {"phalanx", Role::kFiller},
    {"phalange", Role::kFiller},
    {"joint", Role::kFiller},
    {"jnt", Role::kFiller},
    {"bone", Role::kFiller},
    {"def", Role::kFiller},
    {"rig", Role::kFiller},
    {"f", Role::kFiller},
    {"fe", Role::kFiller},
    {"aa", Role::kFiller},
};

const Word* find_word(std::string_view text) {
  const auto* found = std::find_if(std::begin(kWords), std::end(kWords),
                                   [&](const Word& word) { return word.text == text; });
  return found == std::end(kWords) ? nullptr : found;
}

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "RHandIndex1.L" -> r hand index 1 l
std::vector<std::string> split(std::string_view name) {
  std::vector<std::string> tokens;
  std::string token;
  const auto flush = [&] {
    if (!token.empty()) tokens.push_back(std::exchange(token, {}));
  };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!is_upper(c) && !is_lower(c) && !is_digit(c)) {
      flush();
      continue;
    }
    if (!token.empty()) {
      const char before = name[i - 1];
      const bool case_step = is_lower(before) && is_upper(c);
      const bool last_capital =
          is_upper(before) && is_upper(c) && i + 1 < name.size() && is_lower(name[i + 1]);
      if (case_step || last_capital || is_digit(before) != is_digit(c)) flush();
    }
    token += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  }
  flush();
  return tokens;
}

// "righthandindex" -> right hand index, if known words cover all of it.
std::vector<std::string> known_parts(const std::string& token) {
  if (token.size() > 40 || is_digit(token[0]) || find_word(token)) return {token};
  // best[i]: fewest words that cover the first i letters.
  std::vector<int> best(token.size() + 1, 1000), from(token.size() + 1, 0);
  best[0] = 0;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (best[i] >= 1000) continue;
    for (const Word& word : kWords) {
      if (token.compare(i, word.text.size(), word.text) != 0) continue;
      const std::size_t end = i + word.text.size();
      // A single letter is a side only at the start or the end of a word.
      if (word.text.size() == 1 && i != 0 && end != token.size()) continue;
      if (best[i] + 1 < best[end]) {
        best[end] = best[i] + 1;
        from[end] = static_cast<int>(i);
      }
    }
  }
  if (best.back() >= 1000) return {token};
  std::vector<std::string> parts;
  for (std::size_t end = token.size(); end > 0; end = from[end])
    parts.insert(parts.begin(), token.substr(from[end], end - from[end]));
  return parts;
}

int to_number(const std::string& digits) { return digits.size() > 4 ? 9999 : std::stoi(digits); }

void apply(Role role, const std::string& token, NameParts& parts) {
  JointName& name = parts.name;
  switch (role) {
    case Role::kLeft:
    case Role::kRight:
      name.side = role == Role::kLeft ? Side::kLeft : Side::kRight;
      break;
    case Role::kMiddle:
      // "index_middle" is the index finger's middle phalanx.
      if (name.digit != Digit::kNone) {
        name.phalanx = 2;
        break;
      }
      [[fallthrough]];
    case Role::kThumb:
    case Role::kIndex:
    case Role::kRing:
    case Role::kLittle: {
      const auto digit =
          static_cast<Digit>(static_cast<int>(role) - static_cast<int>(Role::kThumb));
      // "middle_index": the first word was the phalanx.
      if (name.digit == Digit::kMiddle) name.phalanx = 2;
      name.digit = digit;
      break;
    }
    case Role::kMetacarpal:
    case Role::kProximal:
    case Role::kIntermediate:
    case Role::kDistal:
    case Role::kTip:
      // A tip's name often repeats its bone's: "index_distal_end".
      name.phalanx =
          std::max(name.phalanx, static_cast<int>(role) - static_cast<int>(Role::kMetacarpal));
      if (role == Role::kMetacarpal && token != "cmc") parts.counts_from_index = true;
      break;
    case Role::kHand:
      name.wrist = true;
      break;
    case Role::kPalm:
      name.palm = parts.counts_from_index = true;
      break;
    case Role::kFinger:
      parts.finger = true;
      break;
    case Role::kOrdinal: {
      constexpr std::string_view kOrdinals[] = {"first", "second", "third", "fourth", "fifth"};
      parts.numbers.push_back(std::to_string(
          std::find(std::begin(kOrdinals), std::end(kOrdinals), token) - kOrdinals + 1));
      break;
    }
    case Role::kIgnored:
      name.ignored = true;
      break;
    case Role::kBody:
      parts.body = true;
      break;
    case Role::kFiller:
      break;
  }
}

}  // namespace

NameParts name_parts(const std::string& full_name) {
  std::string_view rest = full_name;
  if (const auto colon = rest.find_last_of(":|");
      colon != std::string_view::npos && colon + 1 < rest.size())
    rest.remove_prefix(colon + 1);
  NameParts parts;
  bool in = false;
  std::string last;
  for (const std::string& token : split(rest)) {
    if (is_digit(token[0])) {
      // Numbers before the word ("Bip01 R Finger02", "2proxph") count only if none follow.
      if (parts.finger && !parts.finger_number_seen) {
        parts.numbers.clear();
        parts.finger_number_seen = true;
      }
      parts.numbers.push_back(token);
      continue;
    }
    for (const std::string& part : known_parts(token)) {
      const Word* word = find_word(part);
      if (part == "in") in = true;
      // "2midph": the middle phalanx of the second digit.
      if (part.starts_with("ph") && last == "mid" && !parts.numbers.empty()) {
        parts.name.digit = Digit::kNone;
        parts.name.phalanx = 2;
      }
      last = part;
      if (word) apply(word->role, part, parts);
      if (!word && part.size() == 1 && part[0] >= 'a' && part[0] <= 'e')
        parts.numbers.push_back(std::to_string(part[0] - 'a' + 1));
    }
  }
  JointName& name = parts.name;
  if (in && name.wrist && name.digit != Digit::kNone) name.phalanx = 0;
  if (name.palm && name.digit != Digit::kNone) name.phalanx = 0;
  if (!parts.numbers.empty()) name.number = to_number(parts.numbers.back());
  if (name.digit != Digit::kNone || parts.finger) name.wrist = name.palm = false;
  if (parts.body) {
    const auto side = name.side;
    parts = {};
    parts.body = true;
    parts.name.side = side;
  }
  return parts;
}

JointName parse_joint_name(const std::string& name) { return name_parts(name).name; }

}  // namespace prehend::io
