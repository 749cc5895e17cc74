// Ye and Liu 2012, algorithm 1: search, then reconstruct.
// Departs: each time in which hands hold an object is searched by itself, since in between the
//   fingers are free; a solution takes one way through each.
#include "prehend/methods/contact_sampling/sample.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "methods/contact_sampling/beyond/nearest.h"
#include "methods/contact_sampling/reconstruct.h"
#include "methods/contact_sampling/strategy_text.h"

namespace prehend::contact_sampling {
namespace {

// Ways to take the object that are tried for a hold.
constexpr int kStarts = 320;
// Of those, at most so many are searched.
constexpr int kSearched = 48;
constexpr size_t kSearchedHopeless = 16;
// Starts that explain less of the key frames than this are not searched while others do better.
constexpr double kHopeful = 0.999;

struct SearchedHold {
  HoldPlan plan;
  HoldSearch search;
};

// Deepest that a hand may enter anything in a solution that is returned before others, m: a little
// less than what the audit allows.
constexpr double kEnters = 0.0009;
// Most ways that are searched beyond the solutions wanted.
constexpr int kMostSpare = 20;

// Ways that are searched for `count` solutions: smoothing spoils some, and in some the hand enters
// the object as it comes or goes.
int wanted_paths(const SamplingOptions& options) {
  return options.count + std::min(options.count, kMostSpare) + 2;
}

class Sampling {
 public:
  Sampling(const Scene& scene, const Monitor& monitor) : scene_(scene), monitor_(monitor) {}
  SamplingReport run();

 private:
  void search();
  std::vector<HandSurfaces> hands_before(size_t hold) const;
  void search_plan(const std::vector<ReachableVolume>& volumes, SearchedHold& own);
  void count();
  void build_solutions();
  void tell_unsolved();
  std::vector<HoldChoice> combination(int number) const;

  const Scene& scene_;
  const Monitor& monitor_;
  std::vector<SearchedHold> holds_;
  bool handed_over_ = false;  // an object goes from one hand to another
  SamplingReport report_;
};

void Sampling::search() {
  const SamplingOptions& options = *scene_.options;
  std::vector<ReachableVolume> volumes;
  for (const WorkingHand& hand : scene_.hands) volumes.emplace_back(hand, options.seed);
  holds_.resize(scene_.holds.size());
  for (size_t i = 0; i < scene_.holds.size(); ++i) {
    const Hold& hold = scene_.holds[i];
    monitor_.report(0.8 * i / scene_.holds.size(), fmt::format("hold {}", i + 1));
    SearchedHold& own = holds_[i];
    const WristGive give = options.give.value_or(WristGive{.shift = 0.0, .turn = 0.0});
    own.plan = plan_hold(scene_, hold, give);
    own.plan.others = hands_before(i);
    if (hold.hands.empty()) continue;
    if (options.search == SearchKind::kNearest) {
      own.search = close_on_nearest(scene_, own.plan);
      continue;
    }
    search_plan(volumes, own);
    if (!own.search.paths.empty() || !options.give || !options.wider_give) continue;
    SearchedHold wider;
    wider.plan = plan_hold(scene_, hold, *options.wider_give);
    wider.plan.others = own.plan.others;
    search_plan(volumes, wider);
    if (wider.search.paths.empty() &&
        wider.search.longest.states.size() <= own.search.longest.states.size())
      continue;
    wider.search.add_counts(own.search);
    own = std::move(wider);
    report_.notes.push_back(fmt::format(
        "{}: within {:g} mm and {:g} degrees of the captured wrist nothing holds it; {:g} mm and "
        "{:g} degrees were allowed (--wrist-give)",
        scene_.objects[hold.object].object().name, 1e3 * give.shift, degrees(give.turn),
        1e3 * options.wider_give->shift, degrees(options.wider_give->turn)));
  }
}

// Other hands in the frames of a hold, as the first ways of the holds before it have them.
std::vector<HandSurfaces> Sampling::hands_before(size_t hold) const {
  const Hold& own = scene_.holds[hold];
  std::vector<HandSurfaces> result;
  for (size_t i = 0; i < hold; ++i) {
    const Hold& other = *holds_[i].plan.hold;
    const auto& paths = holds_[i].search.paths;
    if (paths.empty() || other.frames.last < own.frames.first ||
        other.frames.first > own.frames.last)
      continue;
    for (size_t h = 0; h < other.hands.size(); ++h) {
      if (std::find(own.hands.begin(), own.hands.end(), other.hands[h]) != own.hands.end())
        continue;
      KinematicTest test(scene_.hands[other.hands[h]], *scene_.options);
      HandSurfaces& surfaces = result.emplace_back(scene_.frames());
      for (const State& state : paths[0].states) {
        if (state.frame < own.frames.first || state.frame > own.frames.last) continue;
        test.place(state.hands[h].pose,
                   held_wrist(scene_, other, other.hands[h], holds_[i].plan.calm[h],
                              paths[0].hands[h].offset, state.frame));
        surfaces[state.frame] = std::make_shared<HandSurface>(test.gaps());
      }
    }
  }
  return result;
}

void Sampling::search_plan(const std::vector<ReachableVolume>& volumes, SearchedHold& own) {
  const SamplingOptions& options = *scene_.options;
  StartCounts counts;
  std::vector<Start> starts = find_starts(scene_, own.plan, volumes, kStarts, counts, monitor_);
  const auto hopeless = std::find_if(starts.begin(), starts.end(),
                                     [](const Start& start) { return start.explained < kHopeful; });
  if (hopeless - starts.begin() >= 8) starts.erase(hopeless, starts.end());
  if (starts.size() > kSearched) starts.resize(kSearched);
  // Where none explains the whole hold, searching more of them rarely helps.
  if (!starts.empty() && starts[0].explained < kHopeful && starts.size() > kSearchedHopeless)
    starts.resize(kSearchedHopeless);
  if (options.search == SearchKind::kPlain) {
    own.search = search_plain(scene_, own.plan, starts, wanted_paths(options), options.frame_budget,
                              monitor_);
  } else {
    // Where the wrist moves against the object digits must creep sooner or later.
    if (own.plan.still || options.max_creep <= 0.0)
      own.search = search_hold(scene_, own.plan, starts, wanted_paths(options),
                               options.frame_budget, false, monitor_);
    if (own.search.paths.empty() && options.max_creep > 0.0) {
      HoldSearch creeping = search_hold(scene_, own.plan, starts, wanted_paths(options),
                                        options.frame_budget, true, monitor_);
      own.search.add(std::move(creeping), wanted_paths(options));
    }
  }
}

void Sampling::count() {
  TestTimes times;
  for (auto& cause : report_.dead_ends_by_frame) cause.assign(scene_.frames(), 0);
  for (SearchedHold& hold : holds_) {
    times.add(hold.search.times);
    report_.total_frames += hold.search.total_frames;
    const int offset = static_cast<int>(report_.tree.size());
    for (TreeNode node : hold.search.tree) {
      if (node.parent >= 0) node.parent += offset;
      report_.success_frames += node.on_solution ? node.frames.size() : 0;
      report_.tree.push_back(node);
    }
    for (ExploredPoint point : hold.search.explored) {
      point.node += offset;
      report_.explored.push_back(point);
    }
    for (int c = 0; c < kDeadEndCount; ++c) report_.dead_ends[c] += hold.search.dead_ends[c];
    for (const auto& [frame, cause] : hold.search.dead_frames)
      ++report_.dead_ends_by_frame[static_cast<int>(cause)][frame];
  }
  const auto per = [](double seconds, long tests) {
    return tests > 0 ? 1e3 * seconds / tests : 0.0;
  };
  report_.kinematic_ms = per(times.kinematic_seconds, times.kinematic_tests);
  report_.dynamic_ms = per(times.dynamic_seconds, times.dynamic_tests);
  report_.success_ratio =
      report_.total_frames > 0 ? double(report_.success_frames) / report_.total_frames : 0.0;
  // Starts are searched side by side, beyond the budget by what they have begun; what counts is
  // what was tested within it.
  if (static_cast<int>(report_.explored.size()) > scene_.options->frame_budget)
    report_.explored.resize(scene_.options->frame_budget);
  report_.spread_m = index_spread(report_.explored);
}

// One way through each hold; where there is none, as far as the search came. A hold that keeps out
// of other hands knows the first ways of theirs: every other number takes these.
std::vector<HoldChoice> Sampling::combination(int number) const {
  std::vector<HoldChoice> choices;
  for (size_t i = 0; i < holds_.size(); ++i) {
    const SearchedHold& hold = holds_[i];
    const auto& paths = hold.search.paths;
    const bool first = handed_over_ && hold.plan.others.empty() && number % 2 == 0;
    const size_t turn = handed_over_ ? number / 2 : number;
    const Path* path = !paths.empty() ? &paths[first ? 0 : turn % paths.size()]
                       : hold.search.longest.states.empty() ? nullptr
                                                            : &hold.search.longest;
    choices.push_back({&hold.plan, path});
  }
  return choices;
}

void Sampling::build_solutions() {
  int wanted = 0;
  bool whole = true;
  for (const SearchedHold& hold : holds_) {
    whole = whole && !hold.search.paths.empty();
    wanted = std::max(wanted, static_cast<int>(hold.search.paths.size()));
  }
  handed_over_ = std::any_of(holds_.begin(), holds_.end(),
                             [](const SearchedHold& hold) { return !hold.plan.others.empty(); });
  wanted = whole ? (handed_over_ ? 2 * wanted : wanted) : 1;
  if (holds_.empty()) wanted = 1;
  std::vector<Solution> made(wanted);
  tbb::parallel_for(0, wanted, [&](int i) {
    const std::vector<HoldChoice> choices = combination(i);
    made[i] = make_solution(scene_, choices, reconstruct(scene_, choices));
  });
  std::stable_partition(made.begin(), made.end(),
                        [](const Solution& solution) { return solution.entered_m <= kEnters; });
  for (Solution& solution : made) {
    report_.solved_fraction = std::max(report_.solved_fraction, solution.solved_fraction);
    if (whole && solution.solved_fraction >= 1.0) {
      if (static_cast<int>(report_.solutions.size()) < scene_.options->count)
        report_.solutions.push_back(std::move(solution));
    } else if (!report_.partial || solution.solved_fraction > report_.partial->solved_fraction) {
      report_.partial = std::move(solution);
    }
  }
  if (!report_.solutions.empty()) report_.partial.reset();
  report_.clusters = cluster(report_.solutions);
}

void Sampling::tell_unsolved() {
  for (const SearchedHold& searched : holds_) {
    const Hold& hold = *searched.plan.hold;
    const std::string& name = scene_.objects[hold.object].object().name;
    if (!searched.search.paths.empty()) continue;
    const std::string advice = smoothing_advice(scene_, hold.object);
    if (!advice.empty() &&
        std::find(report_.notes.begin(), report_.notes.end(), advice) == report_.notes.end())
      report_.notes.push_back(advice);
    const std::vector<State>& solved = searched.search.longest.states;
    std::string cause;
    if (hold.hands.empty()) {
      cause = fmt::format("{} moves as nothing but a hand could move it, and none is near", name);
    } else if (solved.empty()) {
      cause = fmt::format("no way was found to take {} at frame {}", name, hold.frames.first);
    } else {
      const bool ended = solved.back().frame < hold.frames.last;
      cause = fmt::format("the search ended at frame {}: {}",
                          ended ? solved.back().frame + 1 : solved.front().frame - 1,
                          to_string(searched.search.stopped.cause));
    }
    const int begins = solved.empty() ? hold.needed.last + 1 : solved.front().frame;
    const int stop = solved.empty() ? hold.needed.last + 1 : solved.back().frame + 1;
    if (begins > hold.needed.first)
      report_.unsolved.push_back({hold.object, {hold.needed.first, begins - 1}, cause});
    if (stop <= hold.needed.last)
      report_.unsolved.push_back({hold.object, {stop, hold.needed.last}, cause});
  }
  // The longest stretch of frames outside of all these.
  int first = 0;
  for (int f = 0; f <= scene_.frames(); ++f) {
    const bool broken =
        f == scene_.frames() ||
        std::any_of(report_.unsolved.begin(), report_.unsolved.end(),
                    [&](const Unsolved& u) { return f >= u.frames.first && f <= u.frames.last; });
    if (!broken) continue;
    if (f - first > report_.longest_solved.size()) report_.longest_solved = {first, f - 1};
    first = f + 1;
  }
}

SamplingReport Sampling::run() {
  search();
  count();
  monitor_.report(0.8, "smooth motion");
  build_solutions();
  tell_unsolved();
  for (const SceneObject& object : scene_.objects) report_.needs_hand.push_back(object.needs_hand);
  int dead = 0;
  for (const int count : report_.dead_ends) dead += count;
  const int found = static_cast<int>(report_.solutions.size());
  report_.solution_ratio = found + dead > 0 ? double(found) / (found + dead) : 0.0;
  report_.smoothing_moved_m = scene_.smoothing_moved;
  report_.notes.insert(report_.notes.begin(), scene_.notes.begin(), scene_.notes.end());
  report_.summary.iterations = report_.total_frames;
  report_.summary.residual = 1.0 - report_.solved_fraction;
  if (monitor_.stop.stop_requested()) {
    report_.summary.termination = Termination::kInterrupted;
  } else if (scene_.over(monitor_)) {
    report_.summary.termination = Termination::kLimitReached;
  } else if (report_.solutions.empty()) {
    report_.summary.termination = Termination::kFailed;
  } else if (found < scene_.options->count) {
    report_.summary.termination = Termination::kLimitReached;
  }
  report_.summary.message = !report_.unsolved.empty()
                                ? report_.unsolved[0].cause
                                : fmt::format("{} of {} solutions", found, scene_.options->count);
  return std::move(report_);
}

Status check_priors(const SamplingProblem& problem, const SamplingOptions& options) {
  if (options.priors.empty()) return {};
  if (options.priors.size() != problem.hands.size())
    return Error{
        fmt::format("{} priors for {} hands", options.priors.size(), problem.hands.size())};
  for (size_t h = 0; h < options.priors.size(); ++h) {
    const PosePrior& prior = options.priors[h];
    const int dof = problem.hands[h].hand->dof();
    if (prior.mean.size() != dof || prior.precision.rows() != dof || prior.precision.cols() != dof)
      return Error{fmt::format("prior of hand {}: {} coordinates, where the hand has {}", h + 1,
                               prior.mean.size(), dof)};
  }
  return {};
}

}  // namespace

Result<SamplingReport> sample_contacts(const SamplingProblem& problem,
                                       const SamplingOptions& options, const Monitor& monitor) {
  if (Status status = validate(problem); !status) return status.error();
  if (Status status = check_priors(problem, options); !status) return status.error();
  const auto started = std::chrono::steady_clock::now();
  // The baseline takes the wrist as it was captured.
  SamplingOptions own = options;
  if (own.search == SearchKind::kNearest) own.give.reset();
  Result<SamplingReport> result = Error{""};
  tbb::task_arena arena(options.threads > 0 ? options.threads : tbb::task_arena::automatic);
  arena.execute([&] {
    const Result<Scene> scene = make_scene(problem, own);
    result = scene ? Result<SamplingReport>(Sampling(*scene, monitor).run()) : scene.error();
  });
  if (result)
    result->seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return result;
}

}  // namespace prehend::contact_sampling
