// A simulation into a clip: poses at the frames' times, and forces as their mean over the time that
// each frame stands for, since between two frames a contact may come and go.
#pragma once

#include <vector>

#include "prehend/core/clip.h"
#include "prehend/physics/state.h"

namespace prehend::physics {

class Recorder {
 public:
  // Records all hands and objects of the world from the state's present time on.
  Recorder(const State& state, double frame_rate);

  // Before a step: takes the poses if a frame is due.
  void before_step(const State& state);
  // After it: takes its forces, which act at the poses before it.
  void after_step(const State& state);

  int frames() const { return static_cast<int>(clip_.contacts.size()); }
  // Whole frames only: a last frame whose forces are not complete is left out.
  Clip finish(std::string name);

 private:
  struct Merged {
    Contact mean;         // sums, until divided
    double weight = 0.0;  // of point and normal: the normal force
  };
  void close_frame();

  Clip clip_;
  double start_ = 0.0;
  int steps_ = 0;
  std::vector<Merged> merged_;
  std::vector<Contact> scratch_;
};

}  // namespace prehend::physics
