#include "prehend/cli/run.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/global_control.h>

#include "cli/parser.h"
#include "prehend/core/atomic_file.h"
#include "prehend/core/text.h"
#include "prehend/core/version.h"
#include "prehend/physics/engine_version.h"

namespace prehend::cli {
namespace {

int fail(const Streams& streams, std::string message) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  streams.err << "prehend: " << message << '\n';
  return kExitBadInput;
}

std::string overview() {
  std::string text =
      "prehend: hands that hold, physically true.\n\n"
      "Usage: prehend VERB [inputs] [options]\n\nVerbs:\n";
  for (const Verb& verb : verbs()) text += fmt::format("  {:<10} {}\n", verb.name, verb.summary);
  text +=
      "\nEvery verb takes --help. Exit codes: 0 done, 1 the result misses its goal, 2 bad input,\n"
      "130 interrupted.\n";
  return text;
}

std::optional<Verb> find_verb(const std::string& name) {
  std::vector<Verb> all = verbs();
  for (Verb& verb : all)
    if (verb.name == name) return std::move(verb);
  return std::nullopt;
}

std::string unknown_verb(const std::string& name) {
  std::vector<std::string> names;
  for (const Verb& verb : verbs()) names.push_back(verb.name);
  const std::string shown = printable(name);
  if (const auto near = io::nearest_word(name, names))
    return fmt::format("unknown verb '{}'; did you mean {}?", shown, *near);
  return fmt::format("unknown verb '{}'; there are {}", shown, fmt::join(names, ", "));
}

// No output overwrites another. A clip's CSV has a second file beside it, its contacts.
Status check_apart(const std::vector<std::string>& paths) {
  std::set<std::filesystem::path> taken;
  const auto take = [&](const std::filesystem::path& path) -> Status {
    if (taken.insert(std::filesystem::absolute(path).lexically_normal()).second) return {};
    return Error{fmt::format("two outputs would go to {}", printable(path.string(), 200))};
  };
  for (const std::string& path : paths) {
    if (const Status free = take(path); !free) return free;
    if (file_ending(path) != ".csv") continue;
    const Status free = take(std::filesystem::path(path).replace_extension(".contacts.csv"));
    if (!free) return free;
  }
  return {};
}

// Before any work: a typing mistake in an output must not cost the run.
Status check_outputs(const Verb& verb, const CommonOptions& common) {
  for (const std::string& path : common.settings.outputs) {
    const std::string ending = file_ending(path);
    if (std::find(verb.endings.begin(), verb.endings.end(), ending) == verb.endings.end())
      return Error{fmt::format("cannot write {}: {} writes {}", printable(path, 200), verb.name,
                               fmt::join(verb.endings, " "))};
  }
  std::vector<std::string> paths = common.settings.outputs;
  if (!common.report.empty()) paths.push_back(common.report);
  if (const Status apart = check_apart(paths); !apart) return apart;
  for (const std::string& path : paths) {
    const Result<PendingFile> file = PendingFile::create(path);
    if (!file) return file.error();
  }
  return {};
}

int run_verb(const Verb& verb, const CommonOptions& common, const Streams& streams) {
  const Status writable = check_outputs(verb, common);
  if (!writable) return fail(streams, writable.message());
  std::optional<tbb::global_control> limit;
  if (common.settings.threads > 0)
    limit.emplace(tbb::global_control::max_allowed_parallelism,
                  static_cast<std::size_t>(common.settings.threads));
  io::Report report;
  Result<int> result = kExitDone;
  {
    Session session(streams, common);
    result = verb.run(session);
    report = std::move(session.report);
  }
  if (!result) return fail(streams, result.message());
  if (!common.report.empty()) {
    const Status written = io::write_report(common.report, report);
    if (!written) return fail(streams, written.message());
  }
  if (common.json) streams.out << io::to_json(io::to_value(report)) << '\n';
  return *result;
}

int dispatch(const std::vector<std::string>& arguments, const Streams& streams) {
  const std::string first = arguments.empty() ? "--help" : arguments.front();
  if (first == "--version") {
    streams.out << fmt::format("prehend {} (commit {}, {})\n", version(), commit(),
                               physics::engine_version());
    return kExitDone;
  }
  if (first == "--help" || first == "-h" || (first == "help" && arguments.size() == 1)) {
    streams.out << overview();
    return kExitDone;
  }
  std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  std::string name = first;
  if (first == "help") {
    name = arguments[1];
    rest = {"--help"};
  }
  if (name.starts_with("-"))
    return fail(streams,
                fmt::format("'{}' comes after a verb (see prehend --help)", printable(name)));
  const std::optional<Verb> verb = find_verb(name);
  if (!verb) return fail(streams, unknown_verb(name));
  Parsed parsed = parse(*verb, rest);
  if (const auto* error = std::get_if<Error>(&parsed.result)) return fail(streams, error->message);
  if (const auto* help = std::get_if<HelpAsked>(&parsed.result)) {
    streams.out << help->text;
    return kExitDone;
  }
  return run_verb(*verb, std::get<CommonOptions>(parsed.result), streams);
}

}  // namespace

int run(const std::vector<std::string>& arguments, const Streams& streams) {
  try {
    const int code = dispatch(arguments, streams);
    streams.out.flush();
    // A full disk or a closed pipe behind standard output is an error like any other.
    if (!streams.out) return fail(streams, "cannot write to standard output");
    return code;
  } catch (const std::bad_alloc&) {
    return fail(streams, "out of memory");
  } catch (const std::exception& error) {
    return fail(streams, fmt::format("internal error: {}", error.what()));
  }
}

}  // namespace prehend::cli
