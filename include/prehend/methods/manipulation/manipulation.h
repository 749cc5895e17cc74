// The motion, step by step: each step is one constrained optimization for the next poses of hands
// and objects and for the contact forces between them.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "prehend/core/clip.h"
#include "prehend/core/summary.h"
#include "prehend/methods/manipulation/task.h"

namespace prehend::manipulation {

struct GoalOutcome {
  std::string name;
  double error = 0.0;  // m, rad or m/s, when its time was over
  bool met = false;
};

struct ContactCounts {
  long resting = 0;  // a contact that holds, counted each step
  long slipping = 0;
  long broken = 0;
};

// What the steps were like.
struct StepRecord {
  double time = 0.0;
  int iterations = 0;  // quadratic programs
  int rollbacks = 0;
  int contacts = 0;          // of hands
  double residual = 0.0;     // of the objects' equations of motion, over m g
  double cone_excess = 0.0;  // N beyond a friction cone, over m g
  double objective = 0.0;
  double overlap = 0.0;  // m, that no pose could avoid
  bool converged = true;
};

// What a step decided about the arms: where they are at its beginning, and which torques and pushes
// act for a timestep around that moment.
struct PlannedStep {
  std::vector<Eigen::VectorXd> coordinates;  // an arm each
  Eigen::VectorXd torques;                   // N m, of all arms' joints; empty: the last moment
  std::vector<Vec3> pushes;                  // N, a thing each, at its center of mass
  std::vector<Vec3> wrist_pushes;            // N, an arm each
};

struct Report {
  Clip clip;
  std::vector<PlannedStep> plan;
  double timestep = 0.0;  // s
  std::vector<GoalOutcome> goals;
  std::vector<StepRecord> steps;
  double task_start = 0.0;    // s of the clip at which the task's clock began
  int frames = 0;             // steps
  double step_seconds = 0.0;  // processor time of all steps
  int rollbacks = 0;
  ContactCounts contacts;
  // Where on its way, 0 to 1, the first goal's motion was fastest.
  double peak_speed_fraction = 0.0;
  double step_residual = 0.0, cone_excess = 0.0;  // the worst step's
  Summary summary;

  double fps() const { return step_seconds > 0.0 ? frames / step_seconds : 0.0; }
};

// Private to the room. Tests and benchmarks see each step's problem, and its answer before it is
// taken, and solve it again by other means.
class StepProblem;
struct StepSolution;
using StepObserver = std::function<void(double time, StepProblem& problem, const StepSolution&)>;

// For those who pull on things as it goes: one step after the other.
class Manipulation {
 public:
  // Finds the grips and plans the reach. Fails on a grip whose handles cannot touch the object.
  static Result<std::unique_ptr<Manipulation>> make(Problem problem, const Options& options = {},
                                                    const Monitor& monitor = {});
  ~Manipulation();

  // One step; what pushes besides the problem's own disturbances. False once the time is over or a
  // step failed, which the summary then says.
  bool step(std::span<const Disturbance> now = {});
  double time() const;
  Transform object_pose(int thing) const;
  HandPose hand_pose(int arm) const;

  void observe(StepObserver observer);

  // What was done so far, as a clip of 120 frames a second.
  Report report() const;

 private:
  struct Impl;
  explicit Manipulation(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

Result<Report> run(const Problem& problem, const Options& options = {},
                   const Monitor& monitor = {});

}  // namespace prehend::manipulation
