// The only file that knows toml++.
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>

#include "prehend/core/text.h"
#include "prehend/io/value.h"

namespace prehend::io {
namespace {

Place place_of(const toml::source_region& source) {
  return {static_cast<int>(source.begin.line), static_cast<int>(source.begin.column)};
}

Value to_value(const toml::node& node) {
  Value out;
  if (const auto* table = node.as_table()) {
    out = Value::table();
    // toml++ sorts by name; people read messages and documents in the order of the file.
    std::vector<std::pair<const toml::key*, const toml::node*>> members;
    for (const auto& [key, value] : *table) members.emplace_back(&key, &value);
    std::stable_sort(members.begin(), members.end(), [](const auto& a, const auto& b) {
      const auto& x = a.first->source().begin;
      const auto& y = b.first->source().begin;
      return std::tie(x.line, x.column) < std::tie(y.line, y.column);
    });
    for (const auto& [key, value] : members) {
      Value& member = out[key->str()];
      member = to_value(*value);
      member.place = place_of(key->source());
    }
    out.place = place_of(node.source());
    return out;
  }
  if (const auto* array = node.as_array()) {
    out = Value::array();
    for (const auto& item : *array) out.push_back(to_value(item));
  } else if (const auto boolean = node.value_exact<bool>()) {
    out = *boolean;
  } else if (const auto integer = node.value_exact<std::int64_t>()) {
    out = *integer;
  } else if (const auto number = node.value_exact<double>()) {
    out = *number;
  } else if (const auto text = node.value_exact<std::string>()) {
    out = *text;
  } else {
    // Dates and times have no meaning in our files; as text they are refused with their place.
    out = std::string("(a date or time)");
  }
  out.place = place_of(node.source());
  return out;
}

// Dotted names build tables within tables, and freeing those recurses. Sixty deep is beyond sense.
bool nests_too_deep(std::string_view text) {
  int dots = 0;
  char quote = 0;
  for (const char c : text) {
    if (quote) {
      if (c == quote || c == '\n') quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '.') {
      if (++dots > 60) return true;
    } else if (c == ',' || c == '=' || c == '\n' || c == '[' || c == ']' || c == '{' || c == '}') {
      dots = 0;
    }
  }
  return false;
}

}  // namespace

Result<Value> parse_toml(std::string_view text, const std::string& name) {
  const std::string file = printable(name, 300);
  if (nests_too_deep(text)) return Error{fmt::format("{}: tables nested too deeply", file)};
  try {
    return to_value(toml::parse(text));
  } catch (const toml::parse_error& error) {
    const Place place = place_of(error.source());
    return Error{fmt::format("{}:{}:{}: {}", file, place.line, place.column,
                             printable(error.description(), 200))};
  }
}

}  // namespace prehend::io
