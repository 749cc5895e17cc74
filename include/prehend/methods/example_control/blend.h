// The finite state machine of figure 3: which state, and how much of each setpoint.
#pragma once

#include "prehend/methods/example_control/controller.h"

namespace prehend::example_control {

struct BlendOptions {
  // Grip strength, eq. 15-16: closes beyond the grip's setpoint by this part of the way from open.
  double alpha = 0.0;
  // The paper's own experiments keep B[1] = 1 while closing, so that the hand does not touch too
  // early.
  bool open_while_closing = false;
};

// eq. 10-12, 15-16 and figure 3. `distance` is what the palm still has to go.
Blend blend(Phase phase, double distance, const Distances& distances,
            const BlendOptions& options = {});

// How a grip ends.
struct Release {
  enum class By { kCue, kTime, kDistance } by = By::kCue;
  double seconds = 0.0;  // of gripping
  double meters = 0.0;   // once the palm is this far away again; above kArrived
};

// What is asked for now: acts at this step or not at all.
struct PhaseCue {
  bool grip = false;     // grips wherever the hand is
  bool release = false;  // lets go, however the grip was to end
};

// Goes through the states as distances change. Distances left and crossed count in the direction in
// which the phase leads: a hand that hesitates stays where it is.
class PhaseMachine {
 public:
  explicit PhaseMachine(const Distances& distances, const Release& release = {})
      : distances_(distances), release_(release) {}

  using Cue = PhaseCue;
  Phase advance(double distance, double dt, const Cue& cue = {});
  Phase phase() const { return phase_; }
  double seconds() const { return seconds_; }  // in this phase
  void set(Phase phase);

 private:
  Phase next(double distance, const Cue& cue) const;
  bool lets_go(double distance, const Cue& cue) const;

  Distances distances_;
  Release release_;
  Phase phase_ = Phase::kNeutral;
  double seconds_ = 0.0;
  bool was_near_ = false;  // within Release::meters since this phase began
};

// A palm this close to where it grips has arrived, m.
inline constexpr double kArrived = 0.008;

}  // namespace prehend::example_control
