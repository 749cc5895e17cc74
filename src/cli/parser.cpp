#include "cli/parser.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "prehend/core/text.h"
#include "prehend/io/value.h"

namespace prehend::cli {

class OptionSet::Impl {
 public:
  explicit Impl(CLI::App& app) : app_(app) {}
  CLI::App& app() { return app_; }

 private:
  CLI::App& app_;
};

void OptionSet::flag(const std::string& names, bool* target, const std::string& help) {
  impl_.app().add_flag(names, *target, help);
}

void OptionSet::text(const std::string& names, std::string* target, const std::string& value,
                     const std::string& help) {
  impl_.app().add_option(names, *target, help)->type_name(value);
}

namespace {

CLI::Validator finite_number() {
  const auto finite = [](const std::string& text) -> std::string {
    double number = 0.0;
    return CLI::detail::lexical_cast(text, number) && std::isfinite(number)
               ? ""
               : "'" + text + "' is not a number";
  };
  return CLI::Validator(finite, "");
}

}  // namespace

void OptionSet::number(const std::string& names, double* target, const std::string& value,
                       const std::string& help) {
  impl_.app().add_option(names, *target, help)->type_name(value)->check(finite_number());
}

void OptionSet::number(const std::string& names, std::optional<double>* target,
                       const std::string& value, const std::string& help) {
  impl_.app().add_option(names, *target, help)->type_name(value)->check(finite_number());
}

void OptionSet::integer(const std::string& names, int* target, const std::string& value,
                        const std::string& help) {
  impl_.app().add_option(names, *target, help)->type_name(value);
}

void OptionSet::integer(const std::string& names, std::optional<int>* target,
                        const std::string& value, const std::string& help) {
  impl_.app().add_option(names, *target, help)->type_name(value);
}

void OptionSet::list(const std::string& names, std::vector<std::string>* target,
                     const std::string& value, const std::string& help) {
  impl_.app()
      .add_option(names, *target, help)
      ->type_name(value)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void OptionSet::choice(const std::string& names, std::string* target,
                       const std::vector<std::string>& words, const std::string& help) {
  const auto known = [words](const std::string& text) -> std::string {
    if (std::find(words.begin(), words.end(), text) != words.end()) return "";
    return fmt::format("'{}' is none of {}", text, fmt::join(words, ", "));
  };
  impl_.app()
      .add_option(names, *target, help)
      ->type_name(fmt::format("{}", fmt::join(words, "|")))
      ->check(CLI::Validator(known, ""));
}

void OptionSet::inputs(const std::string& value, std::vector<std::string>* target, int least,
                       int most, const std::string& help) {
  auto* option = impl_.app().add_option(value, *target, help)->type_name("");
  option->expected(least, most);
  if (least > 0) option->required();
}

namespace {

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string usage = "Usage: " + name;
    for (const CLI::Option* option :
         app->get_options([](const CLI::Option* o) { return o->get_positional(); })) {
      const bool several = option->get_expected_max() > 1;
      const std::string word = option->get_name(true) + (several ? "..." : "");
      usage += option->get_required() ? " " + word : " [" + word + "]";
    }
    return usage + " [options]\n";
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_type_name().empty() ? "" : " " + option->get_type_name();
  }
};

std::string help_text(const Verb& verb, const CLI::App& app) {
  std::string text = app.help();
  if (verb.examples.empty()) return text;
  text += "\nExamples:\n";
  for (const Example& example : verb.examples)
    text += fmt::format("  {}\n      {}\n", example.command, example.what);
  return text;
}

// Digits alone, so that no sign and no leading zero (octal to the parser) changes the meaning, and
// small enough for the signed numbers of a report.
std::string seed_fault(std::string& text) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const bool plain = error == std::errc() && stop == end && (text.size() == 1 || text[0] != '0');
  return plain && number <= std::uint64_t(std::numeric_limits<std::int64_t>::max())
             ? ""
             : "'" + text + "' is not a seed: give a whole number from 0 to 2^63 - 1";
}

void add_common(const Verb& verb, CommonOptions& common, CLI::App& app) {
  if (!verb.endings.empty())
    app.add_option("-o,--output", common.settings.outputs,
                   fmt::format("Write here; the ending picks the form: {}. May be repeated",
                               fmt::join(verb.endings, " ")))
        ->type_name("FILE")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--report", common.report, "Write what was done, as JSON")->type_name("FILE.json");
  app.add_flag("--json", common.json, "Print the report as JSON, and nothing else");
  app.add_flag("--quiet", common.quiet, "Print nothing but errors");
  app.add_option("--seed", common.settings.seed, "Where random numbers start [1]")
      ->type_name("N")
      ->check(CLI::Validator(seed_fault, ""));
  app.add_option("--threads", common.settings.threads, "How many to use [all]")
      ->type_name("N")
      ->check(CLI::Validator(
          [](const std::string& text) -> std::string {
            int number = -1;
            return CLI::detail::lexical_cast(text, number) && number >= 0
                       ? ""
                       : "'" + text + "' is not a number of threads";
          },
          ""));
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.pop_back();
  return text;
}

// The first argument that looks like an option and is none; it is looked for before parsing, since
// the parser would take its value for an input too many.
std::optional<std::string> unknown_option(const CLI::App& app,
                                          const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--") break;
    const bool is_long = argument.size() > 2 && argument.starts_with("--");
    const bool is_short = argument.size() > 1 && argument[0] == '-' &&
                          std::isalpha(static_cast<unsigned char>(argument[1]));
    if (!is_long && !is_short) continue;
    std::string name = is_long ? argument.substr(0, argument.find('=')) : argument.substr(0, 2);
    if (!app.get_option_no_throw(name)) return name;
  }
  return std::nullopt;
}

std::string unknown_message(const Verb& verb, const CLI::App& app, const std::string& typed) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  const auto near = io::nearest_word(typed, known);
  return fmt::format(
      "{}: unknown option {}{}", verb.name, printable(typed),
      near ? "; did you mean " + *near + "?" : fmt::format(" (see prehend {} --help)", verb.name));
}

}  // namespace

Parsed parse(const Verb& verb, const std::vector<std::string>& arguments) {
  CLI::App app(verb.summary, "prehend " + verb.name);
  const auto formatter = std::make_shared<HelpFormatter>();
  formatter->column_width(34);
  app.formatter(formatter);
  app.allow_extras();
  CommonOptions common;
  OptionSet::Impl impl(app);
  OptionSet options(impl);
  verb.declare(options);
  add_common(verb, common, app);
  if (const auto unknown = unknown_option(app, arguments))
    return {Error{unknown_message(verb, app, *unknown)}};
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    return {HelpAsked{help_text(verb, app)}};
  } catch (const CLI::ParseError& error) {
    return {Error{verb.name + ": " + one_line(error.what())}};
  }
  if (app.remaining_size() > 0)
    return {Error{fmt::format("{}: unexpected '{}' (see prehend {} --help)", verb.name,
                              printable(app.remaining().front()), verb.name)}};
  return {common};
}

}  // namespace prehend::cli
