#include "prehend/core/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
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

}  // namespace

Result<PendingFile> PendingFile::create(const std::string& path) {
  if (path.empty() || path.find('\0') != std::string::npos)
    return cannot_write(path, "the name is empty or has a null byte");
  const fs::path target(path);
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  std::error_code code;
  const auto folder_status = fs::status(folder, code);
  if (!fs::exists(folder_status)) {
    return cannot_write(path, fmt::format("folder {} does not exist", folder.string()));
  }
  if (!fs::is_directory(folder_status))
    return cannot_write(path, fmt::format("{} is not a folder", folder.string()));
  if (!target.has_filename() || fs::is_directory(target, code))
    return cannot_write(path, "it is a folder");

  static std::atomic<unsigned> counter{0};
  PendingFile file;
  file.path_ = path;
  file.temporary_path_ = (folder / fmt::format(".{}.{}-{}.partial{}", target.stem().string(),
                                               ::getpid(), counter++, target.extension().string()))
                             .string();
  const Descriptor probe{::open(file.temporary_path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666)};
  if (probe.fd < 0) {
    const int error = errno;
    file.temporary_path_.clear();
    return cannot_write(path, reason(error));
  }
  return file;
}

PendingFile::PendingFile(PendingFile&& other) noexcept
    : path_(std::move(other.path_)), temporary_path_(std::exchange(other.temporary_path_, {})) {}

PendingFile& PendingFile::operator=(PendingFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(temporary_path_, other.temporary_path_);
  return *this;
}

PendingFile::~PendingFile() {
  if (!temporary_path_.empty()) ::unlink(temporary_path_.c_str());
}

Status PendingFile::commit() {
  PREHEND_ASSERT(!temporary_path_.empty());
  if (::rename(temporary_path_.c_str(), path_.c_str()) != 0)
    return cannot_write(path_, reason(errno));
  temporary_path_.clear();
  return {};
}

Status write_file(const std::string& path, std::string_view bytes) {
  auto file = PendingFile::create(path);
  if (!file) return file.error();
  {
    const Descriptor out{::open(file->temporary_path().c_str(), O_WRONLY | O_TRUNC)};
    if (out.fd < 0 || !write_all(out.fd, bytes)) return cannot_write(path, reason(errno));
  }
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

}  // namespace prehend
