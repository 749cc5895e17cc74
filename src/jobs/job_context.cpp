#include "jobs/job_context.h"

#include "prehend/core/version.h"

namespace prehend::jobs {

JobContext::JobContext(const char* verb, const Settings& settings, const Monitor& monitor)
    : settings_(settings), monitor_(monitor), start_(std::chrono::steady_clock::now()) {
  report.verb = verb;
  report.version = version();
  report.seed = settings.seed;
}

void JobContext::print(const std::string& text) const {
  if (monitor_.result) monitor_.result(text);
}

void JobContext::note(const std::string& text) const {
  if (monitor_.note) monitor_.note(text);
}

JobReport JobContext::finish(Outcome outcome) {
  using Seconds = std::chrono::duration<double>;
  report.seconds = Seconds(std::chrono::steady_clock::now() - start_).count();
  if (report.summary.termination == Termination::kInterrupted) outcome = Outcome::kInterrupted;
  return {std::move(report), outcome};
}

}  // namespace prehend::jobs
