// Ye and Liu 2012, section 4.3, TestFeasibility: from the state of a frame to that of the next.
#pragma once

#include <vector>

#include "methods/contact_sampling/beyond/starts.h"
#include "methods/contact_sampling/nodes.h"

namespace prehend::contact_sampling {

// What the tests took.
struct TestTimes {
  double kinematic_seconds = 0.0, dynamic_seconds = 0.0;
  long kinematic_tests = 0, dynamic_tests = 0;

  void add(const TestTimes& other);
};

// One object a thread, for one start of one hold.
class FrameStep {
 public:
  // Creeping: see SamplingOptions::max_creep.
  // Direction: 1, or -1 from each frame to the one before it.
  FrameStep(const Scene& scene, const HoldPlan& plan, const Start& start, bool creeping,
            int direction);

  // The state of the start's frame.
  bool begin(State& state, Failure& failure);
  // `done` frames of the choice's window are behind `before`.
  bool advance(const State& before, const Choice& choice, int done, State& after, Failure& failure);

  const TestTimes& times() const { return times_; }
  Transform wrist_world(int hand, int frame) const;

 private:
  bool test(const State* before, const Choice* choice, State& state, Failure& failure);
  bool pose_hand(const State* before, int hand, State& state, Failure& failure);
  bool explain(const State* before, const Choice* choice, State& state, Failure& failure);
  Guide next_guide(const Guide& guide, DigitChoice choice, int done) const;
  void watch_free_pads(const Transform& object_world, int hand, State& state);

  const Scene& scene_;
  const HoldPlan& plan_;
  const Hold& hold_;
  const Start& start_;
  bool creeping_;
  int direction_;
  std::vector<KinematicTest> tests_;
  DynamicTest dynamics_;
  std::vector<HandSurface> surfaces_;  // of the hands that are posed already
  std::vector<hands::Obstacle> obstacles_;
  TestTimes times_;
};

}  // namespace prehend::contact_sampling
