// Candidates are made and proven in batches whose size does not depend on the machine: within a
// batch each is made by its number alone, and what is kept is decided in the order of numbers. So
// the answer is the same for any number of threads.
#include "prehend/methods/grasp_space/grasp.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include "methods/grasp_space/candidate.h"
#include "methods/grasp_space/naturalness.h"
#include "prehend/hands/digits.h"

namespace prehend::grasp_space {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// A hand that stands elsewhere, or turned, touches elsewhere.
bool different(const Grasp& a, const Grasp& b, const GraspOptions& options) {
  const Transform& first = a.plan.root_object;
  const Transform& second = b.plan.root_object;
  return (first.position - second.position).norm() > options.different_shift ||
         angle_between(first.rotation, second.rotation) > options.different_turn;
}

bool differs_from_all(const Grasp& grasp, const std::vector<Grasp>& others,
                      const GraspOptions& options) {
  return std::all_of(others.begin(), others.end(),
                     [&](const Grasp& other) { return different(grasp, other, options); });
}

double exact_penetration(const Hand& hand, const HandPose& pose,
                         const geometry::ExactDistance& exact) {
  std::vector<hands::PlacedCapsule> placed;
  hands::placed_capsules(hand, segment_frames(hand, pose), placed);
  std::array<geometry::FieldContact, geometry::kMaxFieldContacts> found;
  double deepest = 0.0;
  for (const auto& [segment, capsule] : placed) {
    const int count = geometry::capsule_field_contacts(exact, capsule, 0.0, found);
    for (int i = 0; i < count; ++i) deepest = std::max(deepest, -found[i].gap);
  }
  return deepest;
}

// Epsilon from which a grasp is no longer called firmer. Chosen by eye.
constexpr double kFirm = 0.3;
// Weight of the log likelihood above the threshold, in units of it. Chosen by eye.
constexpr double kLikely = 5.0;

// Metacarpals that turn by a few degrees make every step of the simulation dearer and hardly change
// a grasp: they are kept still.
constexpr double kSmallJoint = radians(10.0);

void restore_joints(const Hand& stiff, const Hand& hand, physics::GraspPlan& plan) {
  for (Eigen::VectorXd* q : {&plan.pregrasp, &plan.grasp, &plan.squeeze}) {
    *q = coordinates(hand, pose_from_coordinates(stiff, plan.root_object, *q));
  }
}

class Finder {
 public:
  Finder(const GraspProblem& problem, const GraspOptions& options, GraspTarget target,
         std::shared_ptr<const physics::GraspProver> prover)
      : problem_(problem),
        options_(options),
        target_(std::move(target)),
        prover_(std::move(prover)),
        makers_([this] { return CandidateMaker(problem_, target_, *prover_, options_); }),
        states_([this] { return physics::State(prover_->world()); }) {}

  GraspReport run(const Monitor& monitor) {
    const auto start = std::chrono::steady_clock::now();
    while (report_.held < options_.count && !monitor.stop.stop_requested()) {
      const int needed = options_.count - report_.held;
      gather(needed, monitor);
      if (queue_.empty()) break;
      std::stable_sort(queue_.begin(), queue_.end(),
                       [](const Grasp& a, const Grasp& b) { return a.score > b.score; });
      const int proving = std::min(needed, static_cast<int>(queue_.size()));
      std::vector<Grasp> batch(std::make_move_iterator(queue_.begin()),
                               std::make_move_iterator(queue_.begin() + proving));
      queue_.erase(queue_.begin(), queue_.begin() + proving);
      if (options_.verify) prove(batch, monitor);
      keep(batch);
      tell(monitor);
    }
    finish(monitor);
    report_.seconds = seconds_since(start);
    return std::move(report_);
  }

 private:
  void tell(const Monitor& monitor) const {
    monitor.report(std::min(1.0, static_cast<double>(report_.held) / options_.count),
                   fmt::format("{} of {} grasps hold, {} searches", report_.held, options_.count,
                               report_.candidates));
  }

  // Proposals for as many proofs as are needed, and at first more, to choose the best from.
  void gather(int needed, const Monitor& monitor) {
    while (report_.candidates < options_.max_candidates && !monitor.stop.stop_requested()) {
      const int waiting = static_cast<int>(queue_.size());
      const bool choose =
          report_.different < options_.ranked && report_.candidates < options_.ranked_searches;
      if (waiting >= needed && !choose) break;
      propose(monitor);
      tell(monitor);
    }
  }

  void propose(const Monitor& monitor) {
    std::vector<Grasp> made(options_.batch);
    std::vector<GraspStage> stages(options_.batch);
    tbb::parallel_for(0, options_.batch, [&](int i) {
      if (monitor.stop.stop_requested()) return;
      stages[i] = makers_.local().make(report_.candidates + i, made[i]);
      if (stages[i] == GraspStage::kProposed) score(made[i]);
    });
    if (monitor.stop.stop_requested()) return;  // of this batch nothing is kept
    report_.candidates += options_.batch;
    for (int i = 0; i < options_.batch; ++i) {
      ++report_.ended[static_cast<size_t>(stages[i])];
      if (stages[i] != GraspStage::kProposed) {
        if (!attempt_ || made[i].metric < attempt_->metric) attempt_ = std::move(made[i]);
      } else if (differs_from_all(made[i], seen_, options_)) {
        ++report_.different;
        seen_.push_back(made[i]);
        queue_.push_back(std::move(made[i]));
      }
    }
  }

  // Grasps are ordered by how firm and how likely in shape they are, each from 0 to 1 like each of
  // the rules by which people grasp.
  void score(Grasp& grasp) const {
    grasp.penetration = exact_penetration(*problem_.hand, grasp.pose, *target_.prepared->exact());
    const double likely = (grasp.log_likelihood - problem_.space->log_threshold) / kLikely;
    grasp.naturalness =
        naturalness(*problem_.hand, *problem_.object, grasp, target_.parts, problem_.table).sum();
    grasp.score =
        grasp.naturalness + std::min(1.0, grasp.epsilon / kFirm) + std::clamp(likely, 0.0, 1.0);
  }

  void prove(std::vector<Grasp>& batch, const Monitor& monitor) {
    tbb::parallel_for(size_t{0}, batch.size(), [&](size_t i) {
      if (monitor.stop.stop_requested()) return;
      batch[i].proof = prover_->prove(states_.local(), batch[i].plan);
    });
  }

  void keep(std::vector<Grasp>& batch) {
    for (Grasp& grasp : batch) {
      const bool tried = grasp.proof.held || !grasp.proof.reason.empty();
      if (options_.verify && !tried) continue;  // stopped before its turn
      ++report_.proposed;
      report_.mean_penetration += grasp.penetration;
      if (!options_.verify || grasp.proof.held) ++report_.held;
      report_.grasps.push_back(std::move(grasp));
    }
  }

  void finish(const Monitor& monitor) {
    if (report_.proposed > 0) report_.mean_penetration /= report_.proposed;
    if (report_.grasps.empty() && attempt_) report_.grasps.push_back(std::move(*attempt_));
    std::stable_sort(report_.grasps.begin(), report_.grasps.end(),
                     [](const Grasp& a, const Grasp& b) {
                       if (a.proof.held != b.proof.held) return a.proof.held;
                       return a.score > b.score;
                     });
    Summary& summary = report_.summary;
    summary.iterations = report_.candidates;
    const bool enough = report_.held >= options_.count;
    summary.termination = enough                          ? Termination::kConverged
                          : monitor.stop.stop_requested() ? Termination::kInterrupted
                                                          : Termination::kLimitReached;
    summary.message = fmt::format("{} of {} proposed grasps hold, from {} searches", report_.held,
                                  report_.proposed, report_.candidates);
  }

  const GraspProblem& problem_;
  const GraspOptions& options_;
  const GraspTarget target_;
  std::shared_ptr<const physics::GraspProver> prover_;
  tbb::enumerable_thread_specific<CandidateMaker> makers_;
  tbb::enumerable_thread_specific<physics::State> states_;
  std::optional<Grasp> attempt_;  // the best of those not proposed, by the metric
  std::vector<Grasp> seen_;       // all proposals, proven or not
  std::vector<Grasp> queue_;      // those still to be proven
  GraspReport report_;
};

}  // namespace

const char* to_string(GraspStage stage) {
  switch (stage) {
    case GraspStage::kTouch:
      return "no natural hand touches it from two sides";
    case GraspStage::kShape:
      return "the hand's shape is not natural";
    case GraspStage::kForces:
      return "no forces at the contacts hold it";
    case GraspStage::kOpening:
      return "the hand does not open without moving it";
    case GraspStage::kReach:
      return "the table is in the way";
    case GraspStage::kStrength:
      return "the hand is not strong enough";
    case GraspStage::kProposed:
      break;
  }
  return "";
}

Result<GraspReport> find_grasps(const GraspProblem& wanted, const GraspOptions& options,
                                const Monitor& monitor) {
  const auto start = std::chrono::steady_clock::now();
  GraspProblem problem = wanted;
  problem.hand = std::make_shared<const Hand>(without_small_joints(*wanted.hand, kSmallJoint));
  Result<GraspTarget> target = prepare_target(problem, options.search_faces, monitor);
  if (!target) return target.error();
  if (monitor.stop.stop_requested()) {
    GraspReport report;
    report.summary = {Termination::kInterrupted, 0, 0.0, "stopped before the first search"};
    return report;
  }
  auto prover = physics::GraspProver::build(problem.hand, problem.object,
                                            target->prepared->contact(), options.proof);
  if (!prover) return prover.error();
  const double load_seconds = seconds_since(start);
  GraspReport report = Finder(problem, options, std::move(*target), *prover).run(monitor);
  report.load_seconds = load_seconds;
  report.physics = physics::physics_in_force(*(*prover)->world());
  report.proven_hand = problem.hand;
  for (Grasp& grasp : report.grasps) restore_joints(*problem.hand, *wanted.hand, grasp.plan);
  return report;
}

}  // namespace prehend::grasp_space
