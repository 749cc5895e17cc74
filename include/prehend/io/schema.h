// What a table of a scene file may hold, described once: for the check of unknown keys and wrong
// kinds, and for the documentation.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "prehend/io/value.h"

namespace prehend::io {

enum class ValueKind {
  kString,
  kFile,    // a path, relative to the file that names it
  kChoice,  // one of `choices`
  kNumber,  // finite, from `least` to `most`
  kInteger,
  kBoolean,
  kVector,      // three numbers
  kQuaternion,  // four numbers w x y z of length one
  kScale,       // a number or three, all above zero
  kNumbers,     // an array of finite numbers
  kBounds,      // an array of numbers above zero, which may be inf
  kStrings,     // an array of strings
  kTable,       // with `members`; without any, everything is allowed
  kTables,      // an array of such
};

struct SchemaKey {
  std::string name;
  ValueKind kind = ValueKind::kNumber;
  std::string meaning;   // a sentence, with the unit
  std::string fallback;  // what holds when the key is absent, as text; empty: nothing
  bool required = false;
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  std::vector<std::string> choices = {};
  std::vector<SchemaKey> members = {};
};

// Every key known, every value of its kind and in its range, every required key there. The message
// names the place and what would be right: "mug.toml:7:1: unknown key "frictoin" in [[object]]; did
// you mean "friction"?".
Status check_schema(const Value& table, const std::vector<SchemaKey>& keys, const std::string& file,
                    const std::string& where);

// The keys as Markdown tables, sub-tables below their parents.
std::string schema_markdown(const std::vector<SchemaKey>& keys, const std::string& where);

// "file:line:column: what".
Error error_at(const std::string& file, const Place& place, const std::string& what);

}  // namespace prehend::io
