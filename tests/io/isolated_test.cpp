#include "io/isolated.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace prehend::io {
namespace {

TEST(Isolated, GivesBackWhatWasMade) {
  const std::string large(300000, 'x');  // more than a pipe holds
  const auto made = run_isolated([&] { return large + std::string("\0y", 2); });
  ASSERT_TRUE(made.ok()) << made.message();
  EXPECT_EQ(*made, large + std::string("\0y", 2));
  EXPECT_EQ(run_isolated([] { return std::string(); }).value(), "");
}

TEST(Isolated, SurvivesWhateverHappensToIt) {
  ::testing::internal::CaptureStderr();
  const auto aborted = run_isolated([]() -> std::string {
    std::fputs("last words\n", stderr);
    std::abort();
  });
  const auto thrown = run_isolated([]() -> std::string { throw std::runtime_error("no"); });
  const auto left = run_isolated([]() -> std::string { std::_Exit(3); });
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  for (const auto* result : {&aborted, &thrown, &left}) {
    ASSERT_FALSE(result->ok());
    EXPECT_EQ(result->message(), "it is damaged in a way that the reader does not survive");
  }
}

}  // namespace
}  // namespace prehend::io
