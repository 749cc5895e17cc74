// Ye and Liu 2012, sections 4 and 5: the search for trajectories of contact points through a hold.
#pragma once

#include <vector>

#include "methods/contact_sampling/frame_step.h"

namespace prehend::contact_sampling {

// A way through all frames of a hold, or through as many as could be.
struct Path {
  std::vector<State> states;  // of frames one after the other
  std::vector<HandStart> hands;
  int node = -1;  // the last one, in HoldSearch::tree
  int start = 0;  // which start
};

struct HoldSearch {
  std::vector<Path> paths;  // through the whole hold
  Path longest;             // if there is none
  Failure stopped;          // what stopped the longest
  std::array<int, kDeadEndCount> dead_ends = {};
  std::vector<std::pair<int, DeadEnd>> dead_frames;  // frame and cause
  int total_frames = 0;
  std::vector<TreeNode> tree;
  std::vector<ExploredPoint> explored;
  TestTimes times;

  void add(HoldSearch&& other, int wanted);
  // What another search took and where it ended, without its tree.
  void add_counts(const HoldSearch& other);
};

// `wanted` ways, or what the budget of frames allows.
HoldSearch search_hold(const Scene& scene, const HoldPlan& plan, const std::vector<Start>& starts,
                       int wanted, int frame_budget, bool creeping, const Monitor& monitor);

// Section 4 alone: one start after the other, until the budget ends.
HoldSearch search_plain(const Scene& scene, const HoldPlan& plan, const std::vector<Start>& starts,
                        int wanted, int frame_budget, const Monitor& monitor);

}  // namespace prehend::contact_sampling
