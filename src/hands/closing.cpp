#include "prehend/hands/closing.h"

namespace prehend::hands {

void close_by_trial(ClosingPath& path, int halvings) {
  double kept = 0.0;
  while (const std::optional<double> next = path.next()) {
    if (path.free_at(*next)) {
      path.keep(kept = *next);
      continue;
    }
    double stopped = *next;
    for (int i = 0; i < halvings; ++i) {
      const double middle = 0.5 * (kept + stopped);
      if (path.free_at(middle))
        path.keep(kept = middle);
      else
        stopped = middle;
    }
    path.stop();
  }
}

}  // namespace prehend::hands
