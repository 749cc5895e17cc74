// Pollard and Zordan, "Physically Based Grasping Control from Example", SCA 2005, sections 5 and 6.
// Implements: figure 3 (states and blends), eq. 10-12 (examples of them), eq. 15-16 (grip
//             strength).
// Departs:    the paper names no way back out of a state. A hand that turns around before it grips
//             goes back by the states it came by, once it is kHesitation beyond where it entered,
//             so that noise on a distance does not make states flicker. After a release nothing
//             grips again before the hand has been away beyond D2, unless a cue asks for it.
// Symbols:    B blend weights; dist what the palm still has to go [m]; D0 = 0 < D1 < D2 [m]; alpha
//             grip strength.
#include "prehend/methods/example_control/blend.h"

#include <algorithm>

namespace prehend::example_control {
namespace {

constexpr double kHesitation = 0.005;  // m

}  // namespace

Blend blend(Phase phase, double distance, const Distances& distances, const BlendOptions& options) {
  const double near = distances.near, far = distances.far;
  const double inner = std::clamp((near - distance) / near, 0.0, 1.0);         // eq. 12
  const double outer = std::clamp((far - distance) / (far - near), 0.0, 1.0);  // figure 3
  Blend b = Blend::Zero();
  const auto weight = [&](Setpoint setpoint) -> double& { return b[index_of(setpoint)]; };
  switch (phase) {
    case Phase::kNeutral:
      weight(Setpoint::kNeutral) = 1.0;  // eq. 10
      break;
    case Phase::kOpening:
      weight(Setpoint::kOpen) = outer;
      weight(Setpoint::kNeutral) = 1.0 - outer;
      break;
    case Phase::kClosing:  // eq. 11
      weight(Setpoint::kGrip) = options.open_while_closing ? 0.0 : inner;
      weight(Setpoint::kOpen) = 1.0 - weight(Setpoint::kGrip);
      break;
    case Phase::kGripping:
      weight(Setpoint::kGrip) = 1.0 + options.alpha;  // eq. 15
      weight(Setpoint::kOpen) = -options.alpha;       // eq. 16
      break;
    case Phase::kReleasing:
      weight(Setpoint::kRelease) = 1.0;
      break;
    case Phase::kOpeningAgain:
      weight(Setpoint::kRelease) = inner;
      weight(Setpoint::kOpenAgain) = 1.0 - inner;
      break;
    case Phase::kRelaxing:
      weight(Setpoint::kOpenAgain) = outer;
      weight(Setpoint::kNeutralAgain) = 1.0 - outer;
      break;
    case Phase::kNeutralAgain:
      weight(Setpoint::kNeutralAgain) = 1.0;
      break;
  }
  return b;
}

Phase PhaseMachine::advance(double distance, double dt, const Cue& cue) {
  seconds_ += dt;
  if (distance <= release_.meters) was_near_ = true;
  // A distance that leaps passes through several states at once; a cue counts for the first.
  for (Phase to = next(distance, cue); to != phase_; to = next(distance, {})) set(to);
  return phase_;
}

void PhaseMachine::set(Phase phase) {
  phase_ = phase;
  seconds_ = 0.0;
  was_near_ = false;
}

Phase PhaseMachine::next(double distance, const Cue& cue) const {
  const double near = distances_.near, far = distances_.far;
  if (cue.grip && phase_ != Phase::kGripping) return Phase::kGripping;
  switch (phase_) {
    case Phase::kNeutral:
      return distance < far ? Phase::kOpening : phase_;
    case Phase::kOpening:
      if (distance > far + kHesitation) return Phase::kNeutral;
      return distance < near ? Phase::kClosing : phase_;
    case Phase::kClosing:
      if (distance > near + kHesitation) return Phase::kOpening;
      return distance <= kArrived ? Phase::kGripping : phase_;
    case Phase::kGripping:
      return lets_go(distance, cue) ? Phase::kReleasing : phase_;
    case Phase::kReleasing:
      return distance > kArrived ? Phase::kOpeningAgain : phase_;
    case Phase::kOpeningAgain:
      return distance > near ? Phase::kRelaxing : phase_;
    case Phase::kRelaxing:
      return distance > far ? Phase::kNeutralAgain : phase_;
    case Phase::kNeutralAgain:
      return distance < far - kHesitation ? Phase::kOpening : phase_;
  }
  return phase_;
}

bool PhaseMachine::lets_go(double distance, const Cue& cue) const {
  if (cue.release) return true;
  switch (release_.by) {
    case Release::By::kTime:
      return seconds_ >= release_.seconds;
    case Release::By::kDistance:
      return was_near_ && distance > release_.meters;
    case Release::By::kCue:
      break;
  }
  return false;
}

}  // namespace prehend::example_control
