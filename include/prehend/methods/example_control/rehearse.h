// Which way to present an object the hand holds best: tried in short simulations of the grasp.
#pragma once

#include <span>

#include "prehend/methods/example_control/grasp_task.h"
#include "prehend/methods/example_control/simulation.h"

namespace prehend::example_control {

struct RehearsalOptions {
  // The first way that is less bad than this is taken without a look at the others: of a
  // centimetre of slip, 15 degrees of turning and a force of 15 weights each counts one.
  double good = 1.2;
};

struct Rehearsal {
  int way = 0;  // the best
  bool held = false;
  // The worst of a hand that comes as it should and one that comes a little beside.
  double slip = 0.0;    // m, of the object in the hand
  double turned = 0.0;  // rad
  double badness = 0.0;
};

// The hand grips, lifts a little and shakes once, by `hold` with an alpha of 0, whatever the
// scene's grip. Of `scene`'s hands the first counts, and of its objects the first is gripped; where
// both are comes from the ways.
Rehearsal rehearse(const SimulationProblem& scene, std::span<const Presentation> ways,
                   const SimulationOptions& simulation = {}, const RehearsalOptions& options = {});

}  // namespace prehend::example_control
