// The files of a run of detail.
#pragma once

#include "jobs/detail_value.h"
#include "jobs/job_context.h"
#include "jobs/rig_source.h"

namespace prehend::jobs {

class DetailOutput {
 public:
  DetailOutput(const DetailJob& job, const DetailFigures& figures, JobContext& context)
      : job_(job), figures_(figures), context_(context) {}

  // By the ending: .json, .tree.png, .png, a clip; "{}" in a clip's name for a solution's number.
  // .spread.png is written by whoever has both searches.
  Status write(const std::string& path);

 private:
  Status save(const JudgedSolution& solution, const std::string& path);
  Status put_back(const JudgedSolution& solution, const std::string& path, bool glb);
  Status find_sources();
  int solution_count() const;

  const DetailJob& job_;
  const DetailFigures& figures_;
  JobContext& context_;
  std::optional<std::vector<RigSource>> sources_;  // read when a file first needs them
};

}  // namespace prehend::jobs
