// A simulation from beginning to end, recorded and judged.
#pragma once

#include <vector>

#include "prehend/methods/example_control/simulation.h"
#include "prehend/physics/physics_in_force.h"

namespace prehend::example_control {

struct TimedCue {
  double time = 0.0;
  int hand = 0;
  Cue cue;
};

struct RunProblem {
  SimulationProblem simulation;
  double seconds = 5.0;
  std::vector<TimedCue> cues;  // in order
  // What is looked at for slip, s: from the end of closing to the beginning of letting go. Left
  // empty: from half a second after the grip to the release.
  std::optional<double> carry_from, carry_to;
  // What the object (the first hand's target) must have risen by in that time, m.
  double lift = 0.0;
  // Ends the run as soon as it is clear that the object is not held.
  bool give_up = false;
};

struct PhaseSpan {
  int hand = 0;
  Phase phase = Phase::kNeutral;
  double start = 0.0, end = 0.0;
};

struct RunReport {
  Clip clip;
  std::vector<PhaseSpan> phases;
  bool held = false;      // gripped, carried and not lost
  bool released = false;  // nothing touches at the end
  // m, while carried: of the object in the hand, or of one hand's skin over the other's.
  double slip = 0.0;
  // Of two hands: the shares of that time in which each palm feels the other hand, and in which
  // palm lies on palm.
  std::optional<double> palms_touched, palm_on_palm;
  double turned = 0.0;  // rad, of the same
  double lifted = 0.0;  // m
  // Sums of normal forces of the first hand, N, smoothed over 50 ms: a blow of one step is the
  // engine's, not the hand's. The most; the mean while carried; the last before carrying began.
  double max_contact_force = 0.0;
  double mean_contact_force = 0.0;
  double grip_force = 0.0;
  double max_limit_violation = 0.0;  // rad, beyond the controllers' limits
  // How much the fingers wave while carried, rad: root mean square of the joint angles of all hands
  // about their means, from 40 to 80 % of that time: settled, and not yet about to let go.
  double finger_deviation = 0.0;
  double realtime_factor = 0.0;         // simulated seconds a second
  std::vector<Eigen::MatrixXd> angles;  // a hand each: frames x degrees of freedom
  physics::PhysicsInForce physics;
  Summary summary;
};

Result<RunReport> run(const RunProblem& problem, const SimulationOptions& options = {},
                      const Monitor& monitor = {});

}  // namespace prehend::example_control
