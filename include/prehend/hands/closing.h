// Digits that close until they touch. Everyone who closes a hand follows one rule: a segment that
// is stopped stops every joint between it and the palm, and the joints beyond it go on until they
// are stopped too or have come to the end of their path.
//
// There are two ways to find where a segment is stopped, since they ask for different things:
//   - by trial (here): a step is tried, and if something is in the way, halved until the place is
//     found to a fraction of a millimeter. It asks only whether a pose is free, so that a digit can
//     close on anything, another hand too. A DigitCloser closes so from one pose to another; the
//     Performer along the angles of people's fingers, whose joints are coupled.
//   - by gaps (ClosingHand): all digits move at once, each as far as its gap to the object allows.
//     It asks for distances, and enters by up to a step of 2 % of the path, but looks at a pose
//     once where trials look ten times: a search that closes a hand thousands of times needs that.
#pragma once

#include <optional>

namespace prehend::hands {

// How the joints of a digit go as it closes, and what is in the way. Progress rises along the path
// from zero; its unit is the path's own.
class ClosingPath {
 public:
  virtual ~ClosingPath() = default;
  // Up to which progress to try next; nothing once no joint goes on.
  virtual std::optional<double> next() = 0;
  // Moves the joints that still go on to this progress. Returns whether nothing is in the way.
  virtual bool free_at(double progress) = 0;
  // The pose that was just found free is where the digit has come.
  virtual void keep(double progress) = 0;
  // The digit goes back to the pose kept last, and what was in the way beyond it stops its joints.
  virtual void stop() = 0;
};

// Closes along the path. Where something is in the way the step is halved this many times.
void close_by_trial(ClosingPath& path, int halvings);

}  // namespace prehend::hands
