// The command as tests call it: within this process, with a folder of its own for every test.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stop_token>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "prehend/cli/run.h"
#include "prehend/io/value.h"

namespace prehend::cli {

struct Outcome {
  int code = 0;
  std::string out;
  std::string err;

  io::Value json() const { return io::parse_json(out, "standard output").value(); }
  operator int() const { return code; }
};

class Command : public ::testing::Test {
 protected:
  // `verb` begins every call.
  explicit Command(std::string verb = {}) : verb_(std::move(verb)) {}

  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder = std::filesystem::temp_directory_path() /
             (std::string("prehend_") + test->test_suite_name() + "_" + test->name() + "_" +
              std::to_string(getpid()));
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::string at(const std::string& name) const { return (folder / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(at(name)) << text;
    return at(name);
  }
  bool empty() const { return std::filesystem::is_empty(folder); }

  Outcome call(std::vector<std::string> arguments, std::stop_token stop = {}) {
    if (!verb_.empty()) arguments.insert(arguments.begin(), verb_);
    std::ostringstream o, e;
    const int code = run(arguments, {o, e, false, std::move(stop)});
    out = o.str();
    err = e.str();
    return {code, out, err};
  }

  // Bad input is one line on standard error, after any notes, that has this in it.
  static void expect_one_line_error(const Outcome& outcome, const std::string& part = {}) {
    EXPECT_EQ(outcome.code, kExitBadInput) << part << ": " << outcome.err;
    EXPECT_TRUE(outcome.out.empty()) << outcome.out;
    const std::size_t last = outcome.err.rfind("prehend: ");
    ASSERT_NE(last, std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin() + static_cast<std::ptrdiff_t>(last), outcome.err.end(),
                         '\n'),
              1)
        << outcome.err;
    EXPECT_EQ(outcome.err.back(), '\n');
    EXPECT_NE(outcome.err.find(part, last), std::string::npos) << outcome.err;
  }
  // The same without notes.
  void expect_error(const std::vector<std::string>& arguments, const std::string& part) {
    const Outcome outcome = call(arguments);
    expect_one_line_error(outcome, part);
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }

  std::filesystem::path folder;
  std::string out, err;  // of the last call

 private:
  const std::string verb_;
};

}  // namespace prehend::cli
