// The one place that knows the parser.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "prehend/cli/session.h"
#include "prehend/cli/verb.h"

namespace prehend::cli {

struct HelpAsked {
  std::string text;
};

// The common options of a well-formed command line (the verb's own are written to their
// variables), the help if it was asked for, or one line saying what is wrong.
struct Parsed {
  std::variant<CommonOptions, HelpAsked, Error> result;
};
Parsed parse(const Verb& verb, const std::vector<std::string>& arguments);

}  // namespace prehend::cli
