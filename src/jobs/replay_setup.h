// What a replay job runs: the interaction, the objects and the options, from a scene or a file.
#pragma once

#include "prehend/io/schema.h"
#include "prehend/jobs/replay.h"

namespace prehend::jobs {

struct ReplaySetup {
  interaction::ReplayProblem problem;
  interaction::ReplayOptions options;
  std::string title;
  std::vector<std::string> inputs, notes;
};
Result<ReplaySetup> replay_setup(const ReplayJob& job);

// The keys of [options.replay].
const std::vector<io::SchemaKey>& replay_keys();

}  // namespace prehend::jobs
