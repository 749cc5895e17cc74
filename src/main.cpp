// The command's front door: signals, terminal, arguments.
#include <csignal>
#include <iostream>
#include <stop_token>
#include <thread>

#include <unistd.h>

#include "prehend/cli/run.h"
#include "prehend/core/atomic_file.h"

int main(int argc, char** argv) {
  // Blocked in every thread and waited for in one, which may do what a signal handler may not. A
  // second Ctrl-C ends the process at once.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::stop_source stop;
  std::thread([signals, stop]() mutable {
    int signal = 0;
    sigwait(&signals, &signal);
    stop.request_stop();
    sigwait(&signals, &signal);
    prehend::abandon_pending_files();
    _exit(prehend::cli::kExitInterrupted);
  }).detach();
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  return prehend::cli::run(arguments,
                           {std::cout, std::cerr, isatty(STDERR_FILENO) != 0, stop.get_token()});
}
