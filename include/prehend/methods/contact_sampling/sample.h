// Ye and Liu, "Synthesis of Detailed Hand Manipulations Using Contact Sampling", SIGGRAPH 2012:
// many different finger motions that explain how captured wrists moved captured objects.
#pragma once

#include "prehend/core/result.h"
#include "prehend/core/summary.h"
#include "prehend/methods/contact_sampling/options.h"
#include "prehend/methods/contact_sampling/problem.h"
#include "prehend/methods/contact_sampling/solution.h"

namespace prehend::contact_sampling {

// Fails on input that validate() refuses, and on objects that move with no hand ever near: the
// message names the frames. A search without a whole solution is no failure: see the report's
// summary, `partial` and `unsolved`. The same seed gives the same solutions for any number of
// threads, unless a time budget or the monitor stops the search.
Result<SamplingReport> sample_contacts(const SamplingProblem& problem,
                                       const SamplingOptions& options = {},
                                       const Monitor& monitor = {});

}  // namespace prehend::contact_sampling
