#include "prehend/cli/session.h"

#include "cli/progress.h"

namespace prehend::cli {

Session::Session(const Streams& streams, CommonOptions common)
    : streams_(streams),
      common_(std::move(common)),
      progress_(std::make_unique<Progress>(streams.err, streams.terminal)) {}

Session::~Session() { progress_->clear(); }

Monitor Session::monitor() {
  Monitor monitor;
  monitor.stop = streams_.stop;
  if (!common_.quiet)
    monitor.progress = [this](double fraction, const std::string& what) {
      progress_->report(fraction, what);
    };
  monitor.result = [this](const std::string& text) { print(text); };
  monitor.note = [this](const std::string& text) { note(text); };
  return monitor;
}

int Session::exit_code(jobs::Outcome outcome) {
  switch (outcome) {
    case jobs::Outcome::kDone:
      return kExitDone;
    case jobs::Outcome::kMissed:
      return kExitMissed;
    case jobs::Outcome::kInterrupted:
      return kExitInterrupted;
  }
  return kExitDone;
}

void Session::print(const std::string& text) {
  if (common_.json || common_.quiet) return;
  progress_->clear();
  streams_.out << text << '\n';
}

void Session::note(const std::string& text) {
  if (common_.quiet) return;
  progress_->clear();
  streams_.err << text << '\n';
}

}  // namespace prehend::cli
