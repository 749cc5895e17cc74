// Whole files in and out. A file is written under a temporary name beside its target and renamed
// when it is complete, so nobody ever sees half of one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "prehend/core/result.h"

namespace prehend {

// A file that is being written by any means (a stream, an encoder) to `temporary_path`; `commit`
// gives it its name. Destroyed without that, it leaves nothing behind.
class PendingFile {
 public:
  // Fails when the target's folder is missing or cannot be written, or the target is a folder.
  static Result<PendingFile> create(const std::string& path);

  PendingFile(PendingFile&& other) noexcept;
  PendingFile& operator=(PendingFile&& other) noexcept;
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;
  ~PendingFile();

  const std::string& path() const { return path_; }
  // In the same folder and with the same ending, which is how encoders choose their form.
  const std::string& temporary_path() const { return temporary_path_; }

  // The whole content; a message names the target, not the temporary file.
  Status write(std::string_view bytes);
  Status commit();

 private:
  PendingFile() = default;
  std::string path_;
  std::string temporary_path_;
};

// Deletes every temporary file of this process, whose writing then fails. For a process that is
// about to end without unwinding.
void abandon_pending_files();

// Replaces the file at once or not at all: "cannot write out/x.glb: folder out does not exist".
Status write_file(const std::string& path, std::string_view bytes);

// 1 GiB: a recording of hours; more is a mistake.
inline constexpr std::uint64_t kReadLimit = std::uint64_t{1} << 30;

// The whole file. Fails on a missing, unreadable or empty file, a folder, and more than `limit`
// bytes.
Result<std::string> read_file(const std::string& path, std::uint64_t limit = kReadLimit);

// The folder that a file lies in; "." for a bare name.
std::string folder_of(const std::string& path);

}  // namespace prehend
