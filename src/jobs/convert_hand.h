// A clip's hands brought onto another hand, contacts kept.
#pragma once

#include "prehend/core/clip.h"
#include "prehend/core/result.h"
#include "prehend/core/summary.h"
#include "prehend/io/value.h"
#include "prehend/jobs/load.h"

namespace prehend::jobs {

// How far from contact the segments are that touch in the recording: outside and inside alike.
struct ContactsKept {
  int contacts = 0;                // segments that touch, summed over frames
  double mean = 0.0, worst = 0.0;  // m
  double deepest = 0.0;            // m that any segment enters an object by
};

struct Rehanded {
  ContactsKept recorded;       // on the performer's own bones
  ContactsKept by_angles;      // the same joint angles on the other hand
  ContactsKept kept;           // what was made
  double greatest_turn = 0.0;  // rad by which a joint left its recorded angles
  int by_angles_frames = 0;    // near an object, in which keeping contacts only made it worse
  bool interrupted = false;
};

// A built-in profile (anatomical, ball, arm) or a file of a hand.
Result<HandPtr> target_hand(const std::string& name, std::vector<std::string>& notes,
                            const LoadOptions& load);

// Every hand of the clip becomes `hand`, mirrored where the side differs. Digits that touch the
// nearest object touch the same places of it. Contacts that the clip had recorded are dropped,
// since they are of other segments.
Rehanded bring_onto(const HandPtr& hand, Clip& clip, const Monitor& monitor);

io::Value rehanded_value(const Rehanded& made);
std::string rehanded_text(const Rehanded& made);

}  // namespace prehend::jobs
