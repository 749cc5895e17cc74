#include "io/file_beside.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <vector>

namespace prehend::io {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  void replace(int fd) {
    close();
    fd_ = fd;
  }
  int get() const { return fd_; }

 private:
  void close() {
    if (fd_ >= 0) ::close(fd_);
  }
  int fd_;
};

Result<std::string> percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    unsigned value = 0;
    const char* first = text.data() + i + 1;
    if (i + 2 >= text.size() || std::from_chars(first, first + 2, value, 16).ptr != first + 2)
      return Error{"its name has a % without two hexadecimal digits"};
    out += static_cast<char>(value);
    i += 2;
  }
  return out;
}

// The folders and the file's name of a reference that stays below where it starts.
Result<std::vector<std::string>> parts_of(std::string_view reference) {
  const auto path = percent_decoded(reference);
  if (!path) return path.error();
  if (path->empty() || path->find('\0') != std::string::npos) return Error{"it has no usable name"};
  const auto colon = path->find(':');
  if (path->front() == '/' || (colon != std::string::npos && colon < path->find('/')))
    return Error{"it does not lie beside the file"};
  std::vector<std::string> parts;
  for (std::size_t first = 0; first <= path->size();) {
    const std::size_t end = std::min(path->find('/', first), path->size());
    const std::string part = path->substr(first, end - first);
    if (part == "..") return Error{"it does not lie beside the file"};
    if (!part.empty() && part != ".") parts.push_back(part);
    first = end + 1;
  }
  if (parts.empty()) return Error{"it has no usable name"};
  return parts;
}

std::string why_not_opened(int code) {
  if (code == ELOOP) return "it is a link";
  if (code == ENOENT || code == ENOTDIR) return "it is missing; keep it beside the file";
  return "it cannot be opened";
}

Result<std::string> read_all(int fd, std::uint64_t size) {
  std::string bytes(size, '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::read(fd, bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Error{"it cannot be read to its end"};
    done += static_cast<std::size_t>(got);
  }
  return bytes;
}

}  // namespace

Result<std::string> read_file_beside(const std::string& folder, std::string_view reference,
                                     std::uint64_t limit) {
  const auto parts = parts_of(reference);
  if (!parts) return parts.error();
  Descriptor at(::open(folder.empty() ? "." : folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (std::size_t i = 0; i + 1 < parts->size() && at.get() >= 0; ++i) {
    at.replace(
        ::openat(at.get(), (*parts)[i].c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  // O_PATH refuses a link to a folder as "not a directory".
  if (at.get() < 0) return Error{why_not_opened(errno)};
  // Without blocking: opening a pipe would wait for its writer.
  const Descriptor file(
      ::openat(at.get(), parts->back().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (file.get() < 0) return Error{why_not_opened(errno)};
  struct stat info;
  if (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode))
    return Error{"it is not a plain file"};
  if (static_cast<std::uint64_t>(info.st_size) > limit)
    return Error{fmt::format("it is larger than {} MB", limit >> 20)};
  return read_all(file.get(), static_cast<std::uint64_t>(info.st_size));
}

}  // namespace prehend::io
