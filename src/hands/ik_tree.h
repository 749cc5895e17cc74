// How a hand's tree falls into digits that can be solved one by one, and what they share.
#pragma once

#include <vector>

#include "prehend/hands/hand_gaps.h"

namespace prehend::hands {

// What is solved together.
struct IkGroup {
  bool with_border = false;   // the root and the joints that several digits hang on
  std::vector<int> blocks;    // digits
  std::vector<int> segments;  // that move with them, parents first
  std::vector<int> capsules;  // of those segments
  std::vector<int> pairs;     // of HandGaps::pairs() that its coordinates change
};

struct IkTree {
  std::vector<int> block_of_segment;  // digit, or -1 for the border's
  std::vector<int> border_columns;    // the root's six first
  std::vector<std::vector<int>> block_columns;
  std::vector<char> jointed;    // segments that coordinates move, the root aside
  std::vector<IkGroup> digits;  // each alone; pairs with another digit are not among its own
  IkGroup all_digits;
  IkGroup whole;
};

IkTree ik_tree(const Hand& hand, const HandGaps& gaps);

}  // namespace prehend::hands
