// Recordings of people and scans of things, too large for the repository: what is in the folder
// that the environment variable PREHEND_DATA names.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace prehend {

// A file or folder of the recordings; empty if it is not there.
inline std::filesystem::path recording(const std::string& name) {
  const char* folder = std::getenv("PREHEND_DATA");
  if (!folder || !*folder) return {};
  const auto path = std::filesystem::path(folder) / name;
  return std::filesystem::exists(path) ? path : std::filesystem::path();
}

}  // namespace prehend

// In a test or its SetUp.
#define PREHEND_SKIP_WITHOUT(path) \
  if ((path).empty()) GTEST_SKIP() << "skipped: no recordings"
