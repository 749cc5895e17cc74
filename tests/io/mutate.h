// Damaged copies of a good file, for readers that must answer each with a value or one line.
//
// PREHEND_MUTATIONS says how many files a reader gets (2,000), PREHEND_MUTATION_SEED which ones.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
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
                                                  "1e308",
                                                  "-1e30",
                                                  "1e7",
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

// Replaces one number by another.
inline std::string with_number(const std::string& good, std::mt19937& random) {
  const char* digits = "0123456789+-.eE";
  const std::size_t first = good.find_first_of("0123456789", random() % good.size());
  if (first == std::string::npos) return with_token(good, random);
  std::size_t last = good.find_first_not_of(digits, first);
  if (last == std::string::npos) last = good.size();
  const char* const numbers[] = {"0", "-1", "1e308", "1e7", "-1e5", "2147483648", "1e-320", "7"};
  return good.substr(0, first) + numbers[random() % std::size(numbers)] + good.substr(last);
}

// A line in the place of another, or repeated up to 40 times: counts no longer fit.
inline std::string with_moved_line(const std::string& good, std::mt19937& random) {
  const auto line = [&](std::size_t& first, std::size_t& last) {
    const std::size_t at = random() % good.size();
    const std::size_t before = good.rfind('\n', at);
    first = before == std::string::npos || before == at ? 0 : before + 1;
    const std::size_t end = good.find('\n', at);
    last = end == std::string::npos ? good.size() : end + 1;
  };
  std::size_t from, from_end, to, to_end;
  line(from, from_end);
  line(to, to_end);
  const std::string moved = good.substr(from, from_end - from);
  if (moved.size() > 4096) return with_moved_block(good, random, false);
  std::string repeated;
  for (unsigned i = random() % 2 ? 1 : random() % 40; i-- > 0;) repeated += moved;
  return good.substr(0, to) + repeated + good.substr(to_end);
}

}  // namespace detail

inline int mutation_count() {
  const char* text = std::getenv("PREHEND_MUTATIONS");
  return text ? std::atoi(text) : 2000;
}
inline std::uint32_t mutation_seed() {
  const char* text = std::getenv("PREHEND_MUTATION_SEED");
  return text ? static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10)) : 1;
}

// Number `index` of a run: emptied, cut short, flipped bits, garbage put in, words and numbers
// replaced by nan, huge numbers or deep nesting, blocks and lines lost and repeated. The same for
// the same seed.
inline Mutation mutation(const std::string& good, int index, std::uint32_t seed) {
  if (index == 0) return {"empty", ""};
  if (index == 1) return {"one null byte", std::string(1, '\0')};
  if (index == 2) return {"only white space", " \r\n\t\n"};
  std::mt19937 random(seed * 1000003u + static_cast<std::uint32_t>(index));
  const std::string label = "seed " + std::to_string(seed) + " #" + std::to_string(index);
  switch (index % 8) {
    case 0:
      return {label + " truncated", detail::truncated(good, random)};
    case 1:
      return {label + " flipped", detail::with_flipped_bytes(good, random)};
    case 2:
      return {label + " garbage", detail::with_garbage(good, random)};
    case 3:
      return {label + " block lost", detail::with_moved_block(good, random, false)};
    case 4:
      return {label + " block repeated", detail::with_moved_block(good, random, true)};
    case 5:
      return {label + " line moved", detail::with_moved_line(good, random)};
    case 6:
      return {label + " number replaced", detail::with_number(good, random)};
    default:
      return {label + " word replaced", detail::with_token(good, random)};
  }
}

// Feeds damaged copies of `good` to `read` (string -> Result or Status), each made as it is needed:
// every answer is a value or a message of exactly one line. Returns the share that was refused.
// `wrap` puts a damaged part back into a sound whole.
template <typename Read, typename Wrap>
double expect_value_or_one_line(const std::string& good, const Read& read, const Wrap& wrap) {
  const int count = mutation_count();
  int refused = 0;
  for (int i = 0; i < count; ++i) {
    const Mutation damaged = mutation(good, i, mutation_seed());
    const auto result = read(wrap(damaged.bytes));
    if (result.ok()) continue;
    ++refused;
    const std::string& message = result.message();
    EXPECT_FALSE(message.empty()) << damaged.what;
    EXPECT_EQ(message.find_first_of("\r\n"), std::string::npos) << damaged.what << ": " << message;
    EXPECT_LT(message.size(), 600u) << damaged.what;
  }
  return static_cast<double>(refused) / count;
}

template <typename Read>
double expect_value_or_one_line(const std::string& good, const Read& read) {
  return expect_value_or_one_line(good, read, [](const std::string& bytes) { return bytes; });
}

}  // namespace prehend::io::testing
