// How solutions are judged: audited, and compared with the fingers that were recorded.
#pragma once

#include "jobs/detail_capture.h"

namespace prehend::jobs {

// What a solution may show and still count, stricter than an audit's own limits: penetration of at
// most 1 mm (2 mm where people were recorded), and 99 % of the frames explained.
audit::AuditOptions solution_limits(const Capture& capture);

// Every solution audited, those that pass first. A contact that pushes more than 2 mm away from
// the object's surface or from the hand's skin, measured on the clip itself, fails a solution as
// well. Stopped early, the rest is left out.
Result<std::vector<JudgedSolution>> judge_solutions(
    std::vector<contact_sampling::Solution> solutions, const Capture& capture,
    const Monitor& monitor);

// Of the frames in which an object needs a hand, those that the audit finds explained.
double solved_fraction(const contact_sampling::SamplingReport& found, const JudgedSolution& best);

struct RecordedComparison {
  int solution = 0;            // the one whose fingertips come nearest
  double first_contact_s = 0;  // ours minus theirs, of touching
  double digits_jaccard = 0;   // mean over the frames in which either touches
  double fingertip_m = 0;      // mean distance of fingertips while an object needs a hand
  audit::AuditReport audit;    // of what was recorded: could any forces do it?
};
Result<RecordedComparison> compare_with_recorded(const Capture& capture,
                                                 const contact_sampling::SamplingReport& found,
                                                 const std::vector<JudgedSolution>& solutions);

}  // namespace prehend::jobs
