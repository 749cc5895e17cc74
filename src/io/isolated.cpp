#include "io/isolated.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string_view>

namespace prehend::io {
namespace {

constexpr int kSeconds = 120;

// Never returns. Nothing here may throw into the parent's frames.
[[noreturn]] void be_child(int out, const std::function<std::string()>& work) {
  const struct rlimit no_core { 0, 0 };
  ::setrlimit(RLIMIT_CORE, &no_core);
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGPIPE})
    ::signal(signal, SIG_DFL);
  if (const int null = ::open("/dev/null", O_WRONLY); null >= 0) {
    ::dup2(null, STDOUT_FILENO);
    ::dup2(null, STDERR_FILENO);
  }
  try {
    const std::string made = work();
    for (std::string_view rest = made; !rest.empty();) {
      const ssize_t written = ::write(out, rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) ::_exit(1);
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
  } catch (...) {
    ::_exit(1);
  }
  ::_exit(0);
}

// Reads until the other end closes; false when the time is over.
bool read_until(int in, std::chrono::steady_clock::time_point end, std::string& bytes) {
  char buffer[1 << 16];
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    struct pollfd waiting {
      in, POLLIN, 0
    };
    const int ready = ::poll(&waiting, 1, static_cast<int>(std::max<long>(0, left.count())));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t got = ::read(in, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0;
    bytes.append(buffer, static_cast<std::size_t>(got));
  }
}

}  // namespace

Result<std::string> run_isolated(const std::function<std::string()>& work) {
  int pipes[2];
  if (::pipe2(pipes, O_CLOEXEC) != 0) return Error{"no pipe to a process of its own"};
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(pipes[0]);
    be_child(pipes[1], work);
  }
  ::close(pipes[1]);
  std::string bytes;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(kSeconds);
  const bool in_time = child > 0 && read_until(pipes[0], end, bytes);
  ::close(pipes[0]);
  if (child < 0) return Error{"no process of its own for it"};
  if (!in_time) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!in_time) return Error{"reading it takes too long"};
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return Error{"it is damaged in a way that the reader does not survive"};
  return bytes;
}

}  // namespace prehend::io
