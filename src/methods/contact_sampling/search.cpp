// Ye and Liu 2012, algorithm 2 and section 5.
// Implements: the randomized depth-first search over windows of frames, branching factors, informed
//   backtracking, most different choices after a success; and section 4's plain search.
// Departs:    every start grows a tree of its own with its own random numbers, so that starts can
//   be searched side by side with the same answer for any number of threads.
#include "methods/contact_sampling/search.h"

#include <algorithm>
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
  Tree(const Scene& scene, const HoldPlan& plan, const Start& start, int number, bool creeping)
      : scene_(scene),
        plan_(plan),
        start_(start),
        number_(number),
        step_(scene, plan, start, creeping),
        generator_(scene, *plan.hold),
        random_(scene.options->seed, 0x5ea6c4 + 2654435761ULL * number + plan.hold->frames.first) {}

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
  bool complete() const { return path_.back().frame >= plan_.hold->frames.last; }
  Choice most_different();

  const Scene& scene_;
  const HoldPlan& plan_;
  const Start& start_;
  int number_;
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
  result_.tree.push_back({-1, {plan_.hold->frames.first, plan_.hold->frames.first}});
  if (!step_.begin(state, failure)) {
    result_.tree.back().dead = true;
    result_.tree.back().cause = failure.cause;
    dead_end(plan_.hold->frames.first, failure);
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
  result_.tree.push_back({nodes_.back().id, {path_.back().frame + 1, path_.back().frame}});
  for (int done = 0; done < choice.window && !complete(); ++done) {
    State next;
    ++result_.total_frames;
    if (!step_.advance(path_.back(), choice, done, next, failure)) {
      result_.tree[id].dead = true;
      result_.tree[id].cause = failure.cause;
      dead_end(path_.back().frame + 1, failure);
      path_.resize(first);
      return false;
    }
    path_.push_back(std::move(next));
    record(path_.back(), id);
    ++result_.tree[id].frames.last;
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
  for (int i = 0; i < kDeadEndCount; ++i) dead_ends[i] += other.dead_ends[i];
  dead_frames.insert(dead_frames.end(), other.dead_frames.begin(), other.dead_frames.end());
  total_frames += other.total_frames;
  times.add(other.times);
}

HoldSearch search_hold(const Scene& scene, const HoldPlan& plan, const std::vector<Start>& starts,
                       int wanted, int frame_budget, bool creeping, const Monitor& monitor) {
  HoldSearch all;
  const int length = plan.hold->frames.size();
  const int most = static_cast<int>(std::ceil(2.0 * scene.options->paths_per_start));
  const int count = static_cast<int>(starts.size());
  for (int first = 0; first < count; first += kBatch) {
    if (static_cast<int>(all.paths.size()) >= wanted || all.total_frames >= frame_budget ||
        scene.over(monitor))
      break;
    const int batch = std::min(kBatch, count - first);
    std::vector<HoldSearch> found(batch);
    tbb::parallel_for(0, batch, [&](int i) {
      Tree tree(scene, plan, starts[first + i], first + i, creeping);
      if (tree.root()) tree.improved(kLengthsPerStart * length, most, monitor);
      found[i] = tree.take();
    });
    for (HoldSearch& one : found) all.add(std::move(one), wanted);
  }
  return all;
}

HoldSearch search_plain(const Scene& scene, const HoldPlan& plan, const Start& start, int wanted,
                        int frame_budget, const Monitor& monitor) {
  Tree tree(scene, plan, start, 0, false);
  if (tree.root()) tree.plain(frame_budget, wanted, monitor);
  return tree.take();
}

}  // namespace prehend::contact_sampling
