// The command `prehend`, callable from tests: arguments in, streams out, exit code back.
#pragma once

#include <iosfwd>
#include <stop_token>
#include <string>
#include <vector>

namespace prehend::cli {

inline constexpr int kExitDone = 0;
inline constexpr int kExitMissed = 1;  // ran, but the result misses its goal or fails its audit
inline constexpr int kExitBadInput = 2;
inline constexpr int kExitInterrupted = 130;

struct Streams {
  std::ostream& out;
  std::ostream& err;
  bool terminal = false;  // err is one: a bar that redraws itself instead of lines
  std::stop_token stop;
};

// Arguments without the program's name. Never throws; an error is one line on `err`.
int run(const std::vector<std::string>& arguments, const Streams& streams);

}  // namespace prehend::cli
