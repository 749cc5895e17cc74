#include "hands/ik_tree.h"

namespace prehend::hands {
namespace {

// A segment belongs to a digit if all below it does; twigs without a digit go with their parent.
std::vector<int> blocks_of(const Hand& hand) {
  constexpr int kNobody = -2, kShared = -1;
  std::vector<int> block(hand.segments.size(), kNobody);
  const auto join = [](int a, int b) { return a == kNobody ? b : (a == b ? a : kShared); };
  for (int s = hand.segment_count() - 1; s >= 0; --s) {
    const Segment& segment = hand.segments[s];
    if (segment.digit != Digit::kNone) block[s] = join(block[s], static_cast<int>(segment.digit));
    if (segment.parent >= 0 && block[s] != kNobody) {
      block[segment.parent] = join(block[segment.parent], block[s]);
    }
  }
  block[0] = kShared;
  for (int s = 1; s < hand.segment_count(); ++s) {
    if (block[s] == kNobody) block[s] = block[hand.segments[s].parent];
  }
  return block;
}

IkGroup group_of(const IkTree& tree, const HandGaps& gaps, bool with_border,
                 std::vector<int> blocks) {
  IkGroup group;
  group.with_border = with_border;
  group.blocks = std::move(blocks);
  const auto holds = [&](int segment) {
    const int block = tree.block_of_segment[segment];
    if (block < 0) return with_border;
    for (const int b : group.blocks) {
      if (b == block) return true;
    }
    return false;
  };
  for (int s = 0; s < static_cast<int>(tree.block_of_segment.size()); ++s) {
    if (holds(s)) group.segments.push_back(s);
  }
  for (int c = 0; c < static_cast<int>(gaps.capsules().size()); ++c) {
    if (holds(gaps.capsules()[c].segment)) group.capsules.push_back(c);
  }
  for (int p = 0; p < static_cast<int>(gaps.pairs().size()); ++p) {
    const int a = gaps.capsules()[gaps.pairs()[p].first].segment;
    const int b = gaps.capsules()[gaps.pairs()[p].second].segment;
    if (!tree.jointed[a] && !tree.jointed[b]) continue;
    const bool first = holds(a), second = holds(b);
    const bool other = !(first && second) && tree.block_of_segment[first ? b : a] >= 0;
    if ((first || second) && !other) group.pairs.push_back(p);
  }
  return group;
}

}  // namespace

IkTree ik_tree(const Hand& hand, const HandGaps& gaps) {
  IkTree tree;
  tree.block_of_segment = blocks_of(hand);
  tree.jointed.assign(hand.segments.size(), 0);
  tree.border_columns = {0, 1, 2, 3, 4, 5};
  tree.block_columns.resize(kDigitCount);
  const std::vector<int> offsets = coordinate_offsets(hand);
  for (int s = 0; s < hand.segment_count(); ++s) {
    const int block = tree.block_of_segment[s];
    std::vector<int>& columns = block < 0 ? tree.border_columns : tree.block_columns[block];
    for (int c = offsets[s]; c < offsets[s + 1]; ++c) columns.push_back(6 + c);
    tree.jointed[s] =
        s > 0 && (tree.jointed[hand.segments[s].parent] || hand.segments[s].dof() > 0);
  }
  std::vector<int> all;
  for (int d = 0; d < kDigitCount; ++d) {
    all.push_back(d);
    tree.digits.push_back(group_of(tree, gaps, false, {d}));
  }
  tree.all_digits = group_of(tree, gaps, false, all);
  tree.whole = group_of(tree, gaps, true, all);
  return tree;
}

}  // namespace prehend::hands
