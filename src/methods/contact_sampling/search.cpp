// Ye and Liu 2012, algorithm 2 and section 5.
// Implements: the randomized depth-first search over windows of frames, branching factors, informed
//   backtracking, most different choices after a success; and section 4's plain search.
// Departs:    every start grows a tree of its own with its own random numbers, so that starts can
//   be searched side by side with the same answer for any number of threads.
#include "methods/contact_sampling/search.h"

#include <algorithm>
#include <climits>
#include <cmath>

#include <tbb/parallel_for.h>

namespace prehend::contact_sampling {
namespace {

// Starts that are searched side by side before it is seen whether they are enough. Fixed, so that
// the answer does not depend on the number of threads.
constexpr int kBatch = 8;
// Times that a node may fail before the search goes back to the node before it.
constexpr int kMostTries = 5;
// Frames that one start may take, in lengths of the hold.
constexpr int kLengthsPerStart = 5;
// Choices of which the most different one is taken after a success.
constexpr int kDifferentDraws = 4;
// Siblings of a frame in the plain search.
constexpr int kPlainBranching = 3;
// After a dead end the tree is cut back by at most this many nodes at once.
constexpr int kCutBack = 3;

// The tree of one start.
class Tree {
 public:
  // Direction: as in FrameStep.
  Tree(const Scene& scene, const HoldPlan& plan, const Start& start, int number, bool creeping,
       int direction)
      : scene_(scene),
        plan_(plan),
        start_(start),
        number_(number),
        direction_(direction),
        step_(scene, plan, start, creeping, direction),
        generator_(scene, *plan.hold, direction < 0),
        random_(scene.options->seed,
                0x5ea6c4 + 2654435761ULL * number + plan.hold->frames.first + (direction < 0)) {}

  bool root();
  void improved(int budget, int most_paths, const Monitor& monitor);
  void plain(int budget, int wanted, const Monitor& monitor);
  HoldSearch take() {
    result_.times = step_.times();
    return std::move(result_);
  }

 private:
  struct Node {
    int first_state = 0;  // index in path_ of the first state that it added
    int id = -1;
  };
  bool grow(const Choice& choice, Failure& failure);
  void record(const State& state, int node);
  void dead_end(int frame, const Failure& failure);
  void keep_longest(const Failure& failure);
  void keep_path();
  void cut_back(int nodes);
  bool complete() const {
    return path_.back().frame ==
           (direction_ > 0 ? plan_.hold->frames.last : plan_.hold->frames.first);
  }
  Choice most_different();

  const Scene& scene_;
  const HoldPlan& plan_;
  const Start& start_;
  int number_;
  int direction_;
  FrameStep step_;
  NodeGenerator generator_;
  Random random_;
  std::vector<State> path_;
  std::vector<Node> nodes_;
  HoldSearch result_;
};

void Tree::record(const State& state, int node) {
  // A joint of the index finger (figure 11), or of the first finger that there is.
  const WorkingHand& hand = scene_.hands[plan_.hold->hands[0]];
  int segment = hands::segment_of(*hand.hand, Digit::kIndex, 3);
  if (segment < 0) segment = hand.hand->segment_count() - 1;
  HandKinematics kinematics(*hand.hand);
  kinematics.update(Transform::Identity(), state.hands[0].pose);
  result_.explored.push_back({state.frame, kinematics.frames_world()[segment].position, node});
}

void Tree::dead_end(int frame, const Failure& failure) {
  ++result_.dead_ends[static_cast<int>(failure.cause)];
  result_.dead_frames.emplace_back(frame, failure.cause);
  keep_longest(failure);
}

void Tree::keep_longest(const Failure& failure) {
  if (path_.size() <= result_.longest.states.size()) return;
  result_.longest = {path_, start_.hands, nodes_.empty() ? -1 : nodes_.back().id, number_};
  result_.stopped = failure;
}

bool Tree::root() {
  Failure failure;
  State state;
  ++result_.total_frames;
  result_.tree.push_back({-1, {start_.frame, start_.frame}});
  if (!step_.begin(state, failure)) {
    result_.tree.back().dead = true;
    result_.tree.back().cause = failure.cause;
    dead_end(start_.frame, failure);
    return false;
  }
  path_.push_back(state);
  nodes_.push_back({0, 0});
  record(state, 0);
  return true;
}

// A node: the choice's window of frames. What it added is taken back if it fails.
bool Tree::grow(const Choice& choice, Failure& failure) {
  const int first = static_cast<int>(path_.size());
  const int id = static_cast<int>(result_.tree.size());
  const int before = path_.back().frame;
  result_.tree.push_back({nodes_.back().id, {before + 1, before}});
  if (direction_ < 0) result_.tree.back().frames = {before, before - 1};
  for (int done = 0; done < choice.window && !complete(); ++done) {
    State next;
    ++result_.total_frames;
    if (!step_.advance(path_.back(), choice, done, next, failure)) {
      result_.tree[id].dead = true;
      result_.tree[id].cause = failure.cause;
      dead_end(path_.back().frame + direction_, failure);
      path_.resize(first);
      return false;
    }
    path_.push_back(std::move(next));
    record(path_.back(), id);
    (direction_ > 0 ? result_.tree[id].frames.last : result_.tree[id].frames.first) += direction_;
  }
  nodes_.push_back({first, id});
  return true;
}

void Tree::keep_path() {
  result_.paths.push_back({path_, start_.hands, nodes_.back().id, number_});
  for (const Node& node : nodes_) result_.tree[node.id].on_solution = true;
}

// Takes the last nodes off the path; the root stays.
void Tree::cut_back(int nodes) {
  for (int i = 0; i < nodes && nodes_.size() > 1; ++i) {
    path_.resize(nodes_.back().first_state);
    nodes_.pop_back();
  }
}

Choice Tree::most_different() {
  const std::vector<State>& known = result_.paths.back().states;
  Choice best;
  double farthest = -1.0;
  for (int i = 0; i < kDifferentDraws; ++i) {
    Choice choice = generator_.draw(path_.back(), random_);
    const size_t end = std::min(known.size() - 1, path_.size() - 1 + choice.window);
    const double difference = generator_.difference(path_.back(), choice, known[end]);
    if (difference <= farthest) continue;
    farthest = difference;
    best = std::move(choice);
  }
  return best;
}

void Tree::improved(int budget, int most_paths, const Monitor& monitor) {
  const double again = 1.0 - 1.0 / std::max(1.0, scene_.options->paths_per_start);
  // A search for a first path looks at `branching` siblings on average.
  const int tries = std::max(
      1, std::min(kMostTries, static_cast<int>(std::lround(2.0 * scene_.options->branching))));
  Failure failure;
  Choice last;
  while (result_.total_frames < budget && !scene_.over(monitor)) {
    if (complete()) {
      keep_path();
      if (static_cast<int>(result_.paths.size()) >= most_paths || random_.uniform() >= again)
        return;
      cut_back(1 + random_.below(static_cast<int>(nodes_.size())));
      failure = {};
      continue;
    }
    Choice choice;
    if (failure.failed) {
      choice = generator_.mend(path_.back(), last, failure, random_);
      // A shorter window gets nearer to what stops it.
      choice.window = std::max(1, choice.window / 2);
    } else {
      choice = result_.paths.empty() ? generator_.draw(path_.back(), random_) : most_different();
      // Every other tree first tries to hold on.
      if (result_.paths.empty() && number_ % 2 == 0) generator_.hold_on(path_.back(), choice);
    }
    const int repeated = failure.repeated;
    if (grow(choice, failure)) {
      failure = {};
      continue;
    }
    last = choice;
    failure.repeated = repeated + 1;
    if (failure.repeated < tries) continue;
    if (nodes_.size() <= 1 && failure.repeated >= 2 * tries) return;
    if (nodes_.size() > 1) {
      cut_back(1 + random_.below(kCutBack));
      failure = {};
    }
  }
}

void Tree::plain(int budget, int wanted, const Monitor& monitor) {
  std::vector<int> tries = {0};  // of each frame of the path
  while (result_.total_frames < budget && !tries.empty() && !scene_.over(monitor)) {
    if (complete() || tries.back() >= kPlainBranching) {
      if (complete() && static_cast<int>(result_.paths.size()) < wanted) keep_path();
      if (nodes_.size() <= 1) return;
      cut_back(1);
      tries.pop_back();
      continue;
    }
    ++tries.back();
    Failure failure;
    if (grow(generator_.draw_plain(path_.back(), random_), failure)) tries.push_back(0);
  }
}

}  // namespace

void HoldSearch::add(HoldSearch&& other, int wanted) {
  const int offset = static_cast<int>(tree.size());
  for (TreeNode& node : other.tree) {
    if (node.parent >= 0) node.parent += offset;
    tree.push_back(node);
  }
  for (ExploredPoint& point : other.explored) {
    point.node += offset;
    explored.push_back(point);
  }
  for (Path& path : other.paths) {
    if (static_cast<int>(paths.size()) >= wanted) break;
    path.node += offset;
    paths.push_back(std::move(path));
  }
  if (other.longest.states.size() > longest.states.size()) {
    longest = std::move(other.longest);
    stopped = other.stopped;
  }
  add_counts(other);
}

void HoldSearch::add_counts(const HoldSearch& other) {
  for (int i = 0; i < kDeadEndCount; ++i) dead_ends[i] += other.dead_ends[i];
  dead_frames.insert(dead_frames.end(), other.dead_frames.begin(), other.dead_frames.end());
  total_frames += other.total_frames;
  times.add(other.times);
}

namespace {

// The states of a way back in time and of one forward from the same start, in order.
void put_before(const Path& back, Path& path) {
  std::vector<State> states(back.states.rbegin(), back.states.rend());
  states.insert(states.end(), path.states.begin() + 1, path.states.end());
  path.states = std::move(states);
}

// Forward from the start's frame to the end of the hold, then back to its beginning.
HoldSearch search_start(const Scene& scene, const HoldPlan& plan, const Start& start, int number,
                        bool creeping, const Monitor& monitor) {
  const int most = static_cast<int>(std::ceil(2.0 * scene.options->paths_per_start));
  const int budget = kLengthsPerStart * plan.hold->frames.size();
  Tree forward(scene, plan, start, number, creeping, 1);
  if (forward.root()) forward.improved(budget, most, monitor);
  HoldSearch all = forward.take();
  if (start.frame == plan.hold->frames.first || (all.paths.empty() && all.longest.states.empty()))
    return all;
  Tree backward(scene, plan, start, number, creeping, -1);
  if (backward.root()) backward.improved(budget, most, monitor);
  HoldSearch back = backward.take();
  std::vector<Path> ways = std::move(back.paths);
  back.paths.clear();
  // What came farthest, if either way failed.
  const Path& first_part = ways.empty() ? back.longest : ways[0];
  Path longest = all.paths.empty() ? all.longest : all.paths[0];
  if (!first_part.states.empty()) put_before(first_part, longest);
  const bool whole = !all.paths.empty() && !ways.empty();
  const Failure stopped = all.paths.empty() ? all.stopped : back.stopped;
  const size_t pairs = whole ? std::max(all.paths.size(), ways.size()) : 0;
  std::vector<Path> joined;
  for (size_t i = 0; i < pairs; ++i) {
    joined.push_back(all.paths[i % all.paths.size()]);
    put_before(ways[i % ways.size()], joined.back());
  }
  all.paths = std::move(joined);
  back.longest = {};
  all.add(std::move(back), most);
  all.longest = whole ? Path{} : std::move(longest);
  all.stopped = stopped;
  return all;
}

}  // namespace

HoldSearch search_hold(const Scene& scene, const HoldPlan& plan, const std::vector<Start>& starts,
                       int wanted, int frame_budget, bool creeping, const Monitor& monitor) {
  HoldSearch all;
  const int count = static_cast<int>(starts.size());
  for (int first = 0; first < count; first += kBatch) {
    if (static_cast<int>(all.paths.size()) >= wanted || all.total_frames >= frame_budget ||
        scene.over(monitor))
      break;
    const int batch = std::min(kBatch, count - first);
    std::vector<HoldSearch> found(batch);
    tbb::parallel_for(0, batch, [&](int i) {
      found[i] = search_start(scene, plan, starts[first + i], first + i, creeping, monitor);
    });
    for (HoldSearch& one : found) all.add(std::move(one), INT_MAX);
  }
  // Ways of other starts differ more than those of one: first one of each, then a second.
  std::vector<int> taken(count, 0);
  std::vector<std::pair<int, size_t>> order;  // how many of its start come before it, and which
  for (size_t i = 0; i < all.paths.size(); ++i) order.emplace_back(taken[all.paths[i].start]++, i);
  std::sort(order.begin(), order.end());
  std::vector<Path> mixed;
  for (const auto& [before, i] : order) {
    if (static_cast<int>(mixed.size()) < wanted) mixed.push_back(std::move(all.paths[i]));
  }
  all.paths = std::move(mixed);
  return all;
}

HoldSearch search_plain(const Scene& scene, const HoldPlan& plan, const std::vector<Start>& starts,
                        int wanted, int frame_budget, const Monitor& monitor) {
  HoldSearch all;
  for (size_t i = 0; i < starts.size() && all.total_frames < frame_budget; ++i) {
    if (scene.over(monitor)) break;
    Tree tree(scene, plan, starts[i], static_cast<int>(i), false, 1);
    if (tree.root()) tree.plain(frame_budget - all.total_frames, wanted, monitor);
    all.add(tree.take(), wanted);
  }
  return all;
}

}  // namespace prehend::contact_sampling
