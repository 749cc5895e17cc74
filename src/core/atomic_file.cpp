#include "prehend/core/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>
#include <utility>

#include "prehend/core/text.h"

namespace prehend {
namespace {

namespace fs = std::filesystem;

// The few causes a user meets, in plain words.
std::string reason(int code) {
  switch (code) {
    case EACCES:
    case EPERM:
      return "permission denied";
    case ENOENT:
      return "it does not exist";
    case ENOSPC:
      return "the disk is full";
    case EROFS:
      return "the disk is read-only";
    case ENAMETOOLONG:
      return "the name is too long";
    default:
      return std::strerror(code);
  }
}

Error cannot_write(const std::string& path, const std::string& why) {
  return {fmt::format("cannot write {}: {}", printable(path, 400), why)};
}

Error cannot_read(const std::string& path, const std::string& why) {
  return {fmt::format("cannot read {}: {}", printable(path, 400), why)};
}

// Closes on every way out.
struct Descriptor {
  int fd = -1;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Temporary files that are there now.
class Pending {
 public:
  static Pending& all() {
    static Pending* pending = new Pending;  // outlives every file
    return *pending;
  }
  void add(const std::string& path) {
    const std::scoped_lock lock(mutex_);
    paths_.insert(path);
  }
  // To be deleted or renamed by the caller.
  void remove(const std::string& path) {
    const std::scoped_lock lock(mutex_);
    paths_.erase(path);
  }
  void abandon() {
    const std::scoped_lock lock(mutex_);
    for (const std::string& path : paths_) ::unlink(path.c_str());
    paths_.clear();
  }

 private:
  std::mutex mutex_;
  std::set<std::string> paths_;
};

// The target's stem and ending, hidden, with 64 random bits between them. The longest name that
// file systems take is 255 bytes, so a long stem is cut.
std::string temporary_name(const fs::path& target) {
  constexpr std::size_t kLongestName = 255;
  std::uint64_t bits = 0;
  if (::getentropy(&bits, sizeof bits) != 0) bits = static_cast<std::uint64_t>(::getpid());
  static std::atomic<std::uint64_t> counter{0};
  bits += counter++;
  const std::string tail = fmt::format(".{:016x}.partial{}", bits, target.extension().string());
  const std::size_t room = kLongestName - std::min(kLongestName, tail.size() + 1);
  return fmt::format(".{}{}", target.stem().string().substr(0, room), tail);
}

}  // namespace

Result<PendingFile> PendingFile::create(const std::string& path) {
  if (path.empty() || path.find('\0') != std::string::npos)
    return cannot_write(path, "the name is empty or has a null byte");
  const fs::path target(path);
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  std::error_code code;
  const auto folder_status = fs::status(folder, code);
  if (!fs::exists(folder_status)) {
    return cannot_write(path,
                        fmt::format("folder {} does not exist", printable(folder.string(), 400)));
  }
  if (!fs::is_directory(folder_status))
    return cannot_write(path, fmt::format("{} is not a folder", printable(folder.string(), 400)));
  if (!target.has_filename() || fs::is_directory(target, code))
    return cannot_write(path, "it is a folder");
  // The rename would put a file in the place of a pipe or a device.
  if (const auto status = fs::status(target, code);
      fs::exists(status) && !fs::is_regular_file(status))
    return cannot_write(path, "it is a pipe or a device, not a file");

  PendingFile file;
  file.path_ = path;
  // A new file under a name that nobody can guess, never one that is there: whoever may write to
  // the folder could have put a link to somebody else's file in its place.
  for (int attempt = 0; attempt < 100; ++attempt) {
    file.temporary_path_ = (folder / temporary_name(target)).string();
    const Descriptor made{::open(file.temporary_path_.c_str(),
                                 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666)};
    if (made.fd >= 0) {
      Pending::all().add(file.temporary_path_);
      return file;
    }
    if (errno != EEXIST) break;
  }
  const int error = errno;
  file.temporary_path_.clear();
  return cannot_write(path, reason(error));
}

PendingFile::PendingFile(PendingFile&& other) noexcept
    : path_(std::move(other.path_)), temporary_path_(std::exchange(other.temporary_path_, {})) {}

PendingFile& PendingFile::operator=(PendingFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(temporary_path_, other.temporary_path_);
  return *this;
}

PendingFile::~PendingFile() {
  if (temporary_path_.empty()) return;
  ::unlink(temporary_path_.c_str());
  Pending::all().remove(temporary_path_);
}

Status PendingFile::commit() {
  PREHEND_ASSERT(!temporary_path_.empty());
  if (::rename(temporary_path_.c_str(), path_.c_str()) != 0)
    return cannot_write(path_, reason(errno));
  Pending::all().remove(temporary_path_);
  temporary_path_.clear();
  return {};
}

void abandon_pending_files() { Pending::all().abandon(); }

Status PendingFile::write(std::string_view bytes) {
  PREHEND_ASSERT(!temporary_path_.empty());
  const Descriptor out{
      ::open(temporary_path_.c_str(), O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC)};
  if (out.fd < 0 || !write_all(out.fd, bytes)) return cannot_write(path_, reason(errno));
  return {};
}

Status write_file(const std::string& path, std::string_view bytes) {
  auto file = PendingFile::create(path);
  if (!file) return file.error();
  if (const Status status = file->write(bytes); !status) return status;
  return file->commit();
}

Result<std::string> read_file(const std::string& path, std::uint64_t limit) {
  if (path.empty() || path.find('\0') != std::string::npos)
    return cannot_read(path, "the name is empty or has a null byte");
  const Descriptor in{::open(path.c_str(), O_RDONLY)};
  if (in.fd < 0) return cannot_read(path, reason(errno));
  struct stat info;
  if (::fstat(in.fd, &info) != 0) return cannot_read(path, reason(errno));
  if (S_ISDIR(info.st_mode)) return cannot_read(path, "it is a folder");
  const auto too_large = [&] {
    return cannot_read(path, fmt::format("it is larger than {} MB", limit >> 20));
  };
  if (S_ISREG(info.st_mode) && static_cast<std::uint64_t>(info.st_size) > limit) return too_large();

  std::string bytes;
  if (S_ISREG(info.st_mode)) bytes.reserve(static_cast<std::size_t>(info.st_size));
  char buffer[1 << 16];
  for (;;) {
    const ssize_t got = ::read(in.fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot_read(path, reason(errno));
    if (got == 0) break;
    if (bytes.size() + static_cast<std::size_t>(got) > limit) return too_large();
    bytes.append(buffer, static_cast<std::size_t>(got));
  }
  if (bytes.empty()) return cannot_read(path, "it is empty");
  return bytes;
}

std::string folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

}  // namespace prehend
