// Damaged copies of a good file, for readers that must answer each with a value or one line.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace prehend::io::testing {

struct Mutation {
  std::string what;  // for the failure message
  std::string bytes;
};

// Text that readers trip over, put in the place of what was there.
inline const std::vector<std::string>& nasty_tokens() {
  static const std::vector<std::string> tokens = {"nan",
                                                  "NaN",
                                                  "inf",
                                                  "-inf",
                                                  "1e999",
                                                  "-1e999",
                                                  "999999999",
                                                  "-1",
                                                  "4294967296",
                                                  "18446744073709551616",
                                                  "0",
                                                  "1e-320",
                                                  "0x7f",
                                                  "\"",
                                                  "'",
                                                  "{",
                                                  "}",
                                                  "[",
                                                  "]",
                                                  "[[",
                                                  ",",
                                                  ",,,,",
                                                  "\t",
                                                  "\r",
                                                  "\n",
                                                  std::string("\0", 1),
                                                  std::string(3, '\xff'),
                                                  "\xef\xbb\xbf",
                                                  "\xc3\x28",
                                                  std::string(4096, '{'),
                                                  std::string(4096, '['),
                                                  std::string(70000, '9'),
                                                  "=",
                                                  "#",
                                                  ";"};
  return tokens;
}

namespace detail {

inline std::string truncated(const std::string& good, std::mt19937& random) {
  return good.substr(0, random() % good.size());
}

inline std::string with_flipped_bytes(std::string bytes, std::mt19937& random) {
  const unsigned count = 1 + random() % 8;
  for (unsigned i = 0; i < count; ++i)
    bytes[random() % bytes.size()] ^= static_cast<char>(1u << (random() % 8));
  return bytes;
}

inline std::string with_garbage(std::string bytes, std::mt19937& random) {
  std::string garbage(1 + random() % 64, ' ');
  for (char& c : garbage) c = static_cast<char>(random() % 256);
  return bytes.insert(random() % (bytes.size() + 1), garbage);
}

// Replaces one word (between white space, commas or brackets) by something nasty.
inline std::string with_token(const std::string& good, std::mt19937& random) {
  const char* breaks = " \t\r\n,=[]{}\":";
  const std::string& token = nasty_tokens()[random() % nasty_tokens().size()];
  std::size_t first = good.find_first_not_of(breaks, random() % good.size());
  if (first == std::string::npos) first = 0;
  std::size_t last = good.find_first_of(breaks, first);
  if (last == std::string::npos) last = good.size();
  return good.substr(0, first) + token + good.substr(last);
}

inline std::string with_moved_block(const std::string& good, std::mt19937& random, bool keep) {
  const std::size_t first = random() % good.size();
  const std::size_t length = 1 + random() % (good.size() - first);
  std::string block = good.substr(first, length);
  std::string rest = keep ? good : good.substr(0, first) + good.substr(first + length);
  if (keep) return rest.insert(random() % (rest.size() + 1), block);
  return rest;
}

}  // namespace detail

// The same `count` files for the same seed: emptied, cut short, flipped bits, garbage put in, words
// replaced by nan, huge numbers or deep nesting, blocks lost and repeated.
inline std::vector<Mutation> mutations(const std::string& good, int count, std::uint32_t seed = 1) {
  std::mt19937 random(seed);
  std::vector<Mutation> out;
  out.push_back({"empty", ""});
  out.push_back({"one null byte", std::string(1, '\0')});
  out.push_back({"only white space", " \r\n\t\n"});
  while (static_cast<int>(out.size()) < count) {
    const std::string label = "seed " + std::to_string(seed) + " #" + std::to_string(out.size());
    switch (out.size() % 6) {
      case 0:
        out.push_back({label + " truncated", detail::truncated(good, random)});
        break;
      case 1:
        out.push_back({label + " flipped", detail::with_flipped_bytes(good, random)});
        break;
      case 2:
        out.push_back({label + " garbage", detail::with_garbage(good, random)});
        break;
      case 3:
        out.push_back({label + " block lost", detail::with_moved_block(good, random, false)});
        break;
      case 4:
        out.push_back({label + " block repeated", detail::with_moved_block(good, random, true)});
        break;
      default:
        out.push_back({label + " word replaced", detail::with_token(good, random)});
        break;
    }
  }
  return out;
}

// Feeds every mutation to `read` (string -> Result or Status): each answer is a value or a message
// of exactly one printable line. Returns how many were refused.
template <typename Read>
int expect_value_or_one_line(const std::vector<Mutation>& cases, const Read& read) {
  int refused = 0;
  for (const Mutation& mutation : cases) {
    const auto result = read(mutation.bytes);
    if (result.ok()) continue;
    ++refused;
    const std::string& message = result.message();
    EXPECT_FALSE(message.empty()) << mutation.what;
    EXPECT_EQ(message.find_first_of("\r\n"), std::string::npos) << mutation.what << ": " << message;
    EXPECT_LT(message.size(), 600u) << mutation.what;
  }
  return refused;
}

}  // namespace prehend::io::testing
