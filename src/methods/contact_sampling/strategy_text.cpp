// Beyond the paper: see strategy_text.h.
#include "methods/contact_sampling/strategy_text.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

namespace prehend::contact_sampling {
namespace {

// Shorter than this a strategy is not seen, s.
constexpr double kSeen = 0.08;

struct Doing {
  Strategy strategy = Strategy::kFree;
  FrameRange frames;
};

std::vector<Doing> doings(const std::vector<DigitStrategies>& frames, int digit) {
  std::vector<Doing> result;
  for (int f = 0; f < static_cast<int>(frames.size()); ++f) {
    const Strategy strategy = frames[f][digit];
    if (!result.empty() && result.back().strategy == strategy) {
      result.back().frames.last = f;
    } else {
      result.push_back({strategy, {f, f}});
    }
  }
  return result;
}

// Digits of a hand that ever give force.
std::array<bool, kDigitCount + 1> used(const Solution& solution, int hand) {
  std::array<bool, kDigitCount + 1> result = {};
  for (const auto& frame : solution.contacts) {
    for (const HandContact& contact : frame) {
      if (contact.hand == hand && contact.force_world.squaredNorm() > 1e-6)
        result[std::min<int>(kDigitCount, static_cast<int>(contact.digit))] = true;
    }
  }
  return result;
}

const char* does(Strategy strategy) {
  switch (strategy) {
    case Strategy::kSliding:
      return "slides";
    case Strategy::kRolling:
      return "rolls";
    case Strategy::kRelocating:
      return "relocates";
    default:
      return "holds";
  }
}

// Which digits, and what they do besides holding still: the same for solutions of one cluster.
std::string kind_of(const Solution& solution, double frame_rate, bool times) {
  std::string text;
  for (int h = 0; h < static_cast<int>(solution.strategies.size()); ++h) {
    const auto digits = used(solution, h);
    std::string names;
    for (int d = 0; d <= kDigitCount; ++d) {
      if (!digits[d]) continue;
      names += names.empty() ? "" : "+";
      names += d == kDigitCount ? "palm" : to_string(kDigits[d]);
    }
    if (names.empty()) continue;
    if (solution.strategies.size() > 1)
      names = fmt::format("{}: {}", to_string(solution.clip.hands[h].hand->side), names);
    text += (text.empty() ? "" : "; ") + names;
    for (int d = 0; d < kDigitCount; ++d) {
      std::vector<Strategy> told;
      for (const Doing& doing : doings(solution.strategies[h], d)) {
        const bool moves = doing.strategy == Strategy::kSliding ||
                           doing.strategy == Strategy::kRolling ||
                           doing.strategy == Strategy::kRelocating;
        if (!moves || doing.frames.size() < kSeen * frame_rate) continue;
        if (times) {
          text +=
              fmt::format(", {} {} {:.2f}-{:.2f} s", to_string(kDigits[d]), does(doing.strategy),
                          doing.frames.first / frame_rate, doing.frames.last / frame_rate);
        } else if (std::find(told.begin(), told.end(), doing.strategy) == told.end()) {
          text += fmt::format(", {} {}", to_string(kDigits[d]), does(doing.strategy));
          told.push_back(doing.strategy);
        }
      }
    }
  }
  return text.empty() ? "no contact" : text;
}

}  // namespace

std::string strategy_text(const Solution& solution, double frame_rate) {
  return kind_of(solution, frame_rate, true);
}

std::vector<StrategyCluster> cluster(std::vector<Solution>& solutions) {
  std::map<std::string, std::vector<int>> groups;
  for (int i = 0; i < static_cast<int>(solutions.size()); ++i)
    groups[kind_of(solutions[i], solutions[i].clip.frame_rate, false)].push_back(i);
  std::vector<StrategyCluster> clusters;
  for (auto& [kind, members] : groups) clusters.push_back({kind, members});
  std::stable_sort(clusters.begin(), clusters.end(),
                   [](const StrategyCluster& a, const StrategyCluster& b) {
                     return a.solutions.size() > b.solutions.size();
                   });
  for (int c = 0; c < static_cast<int>(clusters.size()); ++c) {
    for (const int i : clusters[c].solutions) solutions[i].cluster = c;
  }
  return clusters;
}

}  // namespace prehend::contact_sampling
