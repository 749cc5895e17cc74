#include "prehend/picture/film.h"

#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "prehend/core/atomic_file.h"
#include "prehend/core/text.h"

extern char** environ;

namespace prehend::picture {
namespace {

// ffmpeg as a child that reads raw frames. In a process group of its own: Ctrl-C is for us, and the
// frames made until then are still to be encoded.
class Encoder {
 public:
  Encoder() = default;
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  ~Encoder() { static_cast<void>(finish()); }

  Status start(int width, int height, double frame_rate, const std::string& path);
  bool write(const Image& image);
  // Waits for the child. False with its last words in `message` when it failed.
  bool finish();
  const std::string& message() const { return message_; }

 private:
  void close_input();

  int input_ = -1;
  int errors_ = -1;
  pid_t child_ = -1;
  std::string message_;
};

std::vector<std::string> arguments(int width, int height, double frame_rate,
                                   const std::string& path) {
  // Two threads always: what x264 writes depends on their number.
  return {"ffmpeg",
          "-y",
          "-loglevel",
          "error",
          "-f",
          "rawvideo",
          "-pix_fmt",
          "rgb24",
          "-s",
          fmt::format("{}x{}", width, height),
          "-r",
          fmt::format("{:.6g}", frame_rate),
          "-i",
          "pipe:0",
          "-an",
          "-vf",
          "crop=trunc(iw/2)*2:trunc(ih/2)*2",
          "-c:v",
          "libx264",
          "-preset",
          "medium",
          "-crf",
          "18",
          "-threads",
          "2",
          "-pix_fmt",
          "yuv420p",
          "-movflags",
          "+faststart",
          "-fflags",
          "+bitexact",
          "-flags:v",
          "+bitexact",
          "-f",
          "mp4",
          "file:" + path};
}

Status Encoder::start(int width, int height, double frame_rate, const std::string& path) {
  int sockets[2], pipes[2];
  // A socket rather than a pipe, because a write to a dead child must not raise a signal.
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
    return Error{fmt::format("cannot start ffmpeg: {}", std::strerror(errno))};
  if (pipe2(pipes, O_CLOEXEC) != 0) {
    close(sockets[0]);
    close(sockets[1]);
    return Error{fmt::format("cannot start ffmpeg: {}", std::strerror(errno))};
  }
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, sockets[1], STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipes[1], STDERR_FILENO);
  // Signals that we block or ignore are not its business.
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<std::string> words = arguments(width, height, frame_rate, path);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int failed = posix_spawnp(&child_, "ffmpeg", &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(sockets[1]);
  close(pipes[1]);
  input_ = sockets[0];
  errors_ = pipes[0];
  if (failed != 0) {
    child_ = -1;
    return Error{failed == ENOENT
                     ? "films need the program ffmpeg, which was not found (Debian: apt-get "
                       "install ffmpeg)"
                     : fmt::format("cannot start ffmpeg: {}", std::strerror(failed))};
  }
  return {};
}

bool Encoder::write(const Image& image) {
  std::size_t done = 0;
  while (done < image.rgb.size()) {
    const ssize_t sent =
        send(input_, image.rgb.data() + done, image.rgb.size() - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    done += static_cast<std::size_t>(sent);
  }
  return true;
}

void Encoder::close_input() {
  if (input_ >= 0) close(input_);
  input_ = -1;
}

bool Encoder::finish() {
  close_input();
  if (child_ < 0) {
    if (errors_ >= 0) close(errors_);
    errors_ = -1;
    return message_.empty();
  }
  std::string words;
  char buffer[512];
  for (ssize_t n; (n = read(errors_, buffer, sizeof buffer)) != 0;) {
    if (n < 0 && errno != EINTR) break;
    if (n > 0 && words.size() < 4096) words.append(buffer, static_cast<std::size_t>(n));
  }
  close(errors_);
  errors_ = -1;
  int status = 0;
  while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  while (!words.empty() && (words.back() == '\n' || words.back() == '\r')) words.pop_back();
  const std::size_t line = words.find_last_of('\n');
  message_ = printable(line == std::string::npos ? words : words.substr(line + 1), 200);
  if (message_.empty()) message_ = "it was ended";
  return false;
}

}  // namespace

Result<Summary> write_film(const std::string& path, int frames, double frame_rate,
                           const std::function<Image(int)>& picture, const Monitor& monitor) {
  if (frames < 1) return Error{fmt::format("cannot write {}: a film needs a frame", path)};
  Result<PendingFile> file = PendingFile::create(path);
  if (!file) return file.error();
  Encoder encoder;
  Summary summary;
  summary.message = fmt::format("{} frames", frames);
  for (int i = 0; i < frames; ++i) {
    const Image image = monitor.stop.stop_requested() ? Image() : picture(i);
    if (image.empty()) {
      summary.termination = Termination::kInterrupted;
      summary.message = fmt::format("stopped after {} of {} frames", i, frames);
      if (i == 0) return summary;
      break;
    }
    if (i == 0) {
      if (image.width < 2 || image.height < 2)
        return Error{fmt::format("cannot write {}: a film is at least 2 x 2 pixels", path)};
      const Status started =
          encoder.start(image.width, image.height, frame_rate, file->temporary_path());
      if (!started) return Error{fmt::format("cannot write {}: {}", path, started.message())};
    }
    if (!encoder.write(image)) break;
    summary.iterations = i + 1;
    monitor.report(double(i + 1) / frames, fmt::format("frame {} of {}", i + 1, frames));
  }
  if (!encoder.finish())
    return Error{fmt::format("cannot write {}: ffmpeg failed: {}", path, encoder.message())};
  const Status named = file->commit();
  if (!named) return named.error();
  return summary;
}

Result<Summary> write_clip_film(const std::string& path, const Clip& clip,
                                const ClipFilmOptions& options, const Monitor& monitor) {
  const ClipPainter painter(clip, options.show);
  const double last = options.last < 0.0 ? clip.duration() : options.last;
  const double step = options.speed / options.frame_rate;
  const int frames =
      1 + static_cast<int>(std::floor(std::max(0.0, last - options.first) / step + 1e-6));
  PictureOptions picture = options.picture;
  picture.stop = monitor.stop;
  picture.camera =
      painter.framed(picture.camera, double(picture.width) / picture.height, options.first, last);
  return write_film(
      path, frames, options.frame_rate,
      [&](int i) { return render(painter.scene(options.first + i * step), picture); }, monitor);
}

}  // namespace prehend::picture
