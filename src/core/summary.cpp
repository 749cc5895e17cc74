#include "prehend/core/summary.h"

namespace prehend {

const char* to_string(Termination termination) {
  switch (termination) {
    case Termination::kConverged:
      return "converged";
    case Termination::kLimitReached:
      return "limit-reached";
    case Termination::kInterrupted:
      return "interrupted";
    case Termination::kFailed:
      return "failed";
  }
  return "unknown";
}

}  // namespace prehend
