// Ye and Liu 2012, section 4.1: a state s = {q, P, F} of the hands that hold an object.
#pragma once

#include <vector>

#include "methods/contact_sampling/kinematic_test.h"

namespace prehend::contact_sampling {

struct HandState {
  Eigen::VectorXd pose;  // q
  Guides guides;         // where the digits shall be: the guiding configuration c
  DigitStrategies strategies = {};
};

struct State {
  int frame = 0;
  std::vector<HandState> hands;        // those of the hold, in its order
  std::vector<TestContact> contacts;   // P and F of all hands; proxies last
  std::vector<SupportForce> supports;  // forces of the surroundings
  double residual = 0.0;               // what is left over, as a part of the weight
};

// The most distal contact of each digit as a guiding point (section 4.2, "seed points").
void set_guides(const std::vector<TestContact>& contacts, int hand, Guides& guides);

}  // namespace prehend::contact_sampling
