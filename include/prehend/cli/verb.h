// A verb of the command. To add one: write `Verb name_verb()` in a file of its own and name it in
// verbs.cpp.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "prehend/core/result.h"

namespace prehend::cli {

class Session;

// Declares a verb's options; each writes to a variable that outlives the parsing. Hides the parser,
// whose headers are heavy.
class OptionSet {
 public:
  class Impl;
  explicit OptionSet(Impl& impl) : impl_(impl) {}

  // Names as typed, "--time" or "-n,--number"; `value` names what follows, in the help.
  void flag(const std::string& names, bool* target, const std::string& help);
  void text(const std::string& names, std::string* target, const std::string& value,
            const std::string& help);
  void number(const std::string& names, double* target, const std::string& value,
              const std::string& help);
  void integer(const std::string& names, int* target, const std::string& value,
               const std::string& help);
  // The same for values that stay empty unless they are given.
  void number(const std::string& names, std::optional<double>* target, const std::string& value,
              const std::string& help);
  void integer(const std::string& names, std::optional<int>* target, const std::string& value,
               const std::string& help);
  // May be given several times.
  void list(const std::string& names, std::vector<std::string>* target, const std::string& value,
            const std::string& help);
  // One word of a few.
  void choice(const std::string& names, std::string* target, const std::vector<std::string>& words,
              const std::string& help);
  // What stands without a dash; at least `least` and at most `most` of them.
  void inputs(const std::string& value, std::vector<std::string>* target, int least, int most,
              const std::string& help);

 private:
  Impl& impl_;
};

struct Example {
  std::string command;  // as typed
  std::string what;
};

struct Verb {
  std::string name;
  std::string summary;  // one line
  std::vector<Example> examples;
  // Endings that -o takes, with their dots; none: the verb writes no files.
  std::vector<std::string> endings;
  std::function<void(OptionSet&)> declare;
  // Returns the exit code, or what is wrong with the input.
  std::function<Result<int>(Session&)> run;
};

// Every verb, in the order of the help.
// Made anew by each call: options keep their values in the verb.
std::vector<Verb> verbs();

}  // namespace prehend::cli
