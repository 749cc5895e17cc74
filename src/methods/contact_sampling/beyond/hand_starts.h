// Beyond the paper: one hand's ways to take an object, by closing on it and by aiming at samples.
#pragma once

#include <optional>

#include "methods/contact_sampling/beyond/starts.h"
#include "prehend/hands/digit_closer.h"

namespace prehend::contact_sampling {

// Makes candidates of one hand. One object a thread.
class HandStarter {
 public:
  HandStarter(const Scene& scene, const HoldPlan& plan, int hand_of_hold,
              const ShiftedPatches& patches, const std::vector<geometry::SurfacePoint>& surface,
              int frame);

  // The candidate of this number, which is all that it depends on; nothing if it fails.
  std::optional<HandStart> make(int number);

 private:
  Transform draw_offset(int number, Random& random) const;
  bool settle_palm(bool touch, Transform& offset);
  bool close_digits(const Transform& offset, Random& random, HandStart& start);
  // Puts the thumb against the digits that touch, if it does not already.
  void oppose_thumb(const Transform& offset, Random& random, HandStart& start);
  bool aim_digits(int number, Random& random, HandStart& start);
  void within_bounds(Transform& offset) const;
  bool pick_opposed(const ContactPatches& patches, Random& random, Guides& guides) const;
  bool finish(HandStart& start);
  void look_ahead(HandStart& start);
  void look_along(int first, int step, HandStart& start);
  Guide guide_at(int digit, int sample) const;

  const Scene& scene_;
  const HoldPlan& plan_;
  const Hold& hold_;
  int index_;  // in the hold
  const WorkingHand& hand_;
  const ShiftedPatches& patches_;
  const std::vector<geometry::SurfacePoint>& surface_;
  int frame_;  // at which the object is taken
  hands::DigitCloser closing_;
  KinematicTest test_;
  std::vector<hands::Obstacle> obstacles_;
  std::vector<TestContact> contacts_;
};

}  // namespace prehend::contact_sampling
