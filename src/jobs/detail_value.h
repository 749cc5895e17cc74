// A run of detail as reports, people and data files see it.
#pragma once

#include "jobs/detail_judge.h"

namespace prehend::jobs {

struct DetailFigures {
  const Capture& capture;
  const contact_sampling::SamplingReport& found;
  const std::vector<JudgedSolution>& solutions;  // those that passed come first
  int passed = 0;
  double solved_fraction = 0.0;
  std::optional<RecordedComparison> recorded;
};

// The verb's own part of the report.
void add_detail(const DetailFigures& figures, io::Value& details);
// Of all solutions together: the worst of each measure.
io::Value worst_audit(const DetailFigures& figures);
// A table of the solutions, then what stopped the search and where.
std::string detail_text(const DetailFigures& figures);
// Solutions with every contact of every frame; the same bytes for the same seed.
io::Value solutions_value(const DetailFigures& figures);

}  // namespace prehend::jobs
