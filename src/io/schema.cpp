#include "prehend/io/schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "prehend/core/text.h"

namespace prehend::io {
namespace {

std::string quoted_list(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i)
    out += fmt::format("{}\"{}\"", i == 0 ? "" : i + 1 == words.size() ? " or " : ", ", words[i]);
  return out;
}

std::string right_kind(const SchemaKey& key) {
  switch (key.kind) {
    case ValueKind::kString:
      return "text in quotes";
    case ValueKind::kFile:
      return "a file's name in quotes";
    case ValueKind::kChoice:
      return quoted_list(key.choices);
    case ValueKind::kNumber:
      return "a number";
    case ValueKind::kInteger:
      return "a whole number";
    case ValueKind::kBoolean:
      return "true or false";
    case ValueKind::kVector:
      return "three numbers [x, y, z]";
    case ValueKind::kQuaternion:
      return "four numbers [w, x, y, z]";
    case ValueKind::kScale:
      return "a number above zero, or three of them";
    case ValueKind::kNumbers:
      return "an array of numbers";
    case ValueKind::kBounds:
      return "an array of numbers above zero, or inf";
    case ValueKind::kStrings:
      return "an array of text in quotes";
    case ValueKind::kTable:
      return "a table";
    case ValueKind::kTables:
      return "an array of tables";
  }
  return "something else";
}

std::string range_text(const SchemaKey& key) {
  const bool below = std::isfinite(key.least), above = std::isfinite(key.most);
  if (below && above) return fmt::format("from {:g} to {:g}", key.least, key.most);
  if (below) return fmt::format("at least {:g}", key.least);
  if (above) return fmt::format("at most {:g}", key.most);
  return "finite";
}

bool finite_numbers(const Value& value, std::size_t count) {
  const auto numbers = value.numbers();
  return numbers && (count == 0 || numbers->size() == count) &&
         std::all_of(numbers->begin(), numbers->end(), [](double n) { return std::isfinite(n); });
}

bool right_value(const Value& value, const SchemaKey& key) {
  switch (key.kind) {
    case ValueKind::kString:
      return value.string() != nullptr;
    case ValueKind::kFile:
      return value.string() && !value.string()->empty() &&
             value.string()->find('\0') == std::string::npos;
    case ValueKind::kChoice:
      return value.string() && std::find(key.choices.begin(), key.choices.end(), *value.string()) !=
                                   key.choices.end();
    case ValueKind::kNumber:
      return value.is_number();
    case ValueKind::kInteger:
      return value.integer().has_value();
    case ValueKind::kBoolean:
      return value.boolean().has_value();
    case ValueKind::kVector:
      return finite_numbers(value, 3);
    case ValueKind::kQuaternion:
      return finite_numbers(value, 4);
    case ValueKind::kScale: {
      if (const auto number = value.number()) return *number > 0.0 && std::isfinite(*number);
      const auto vector = value.vector();
      return vector && finite_numbers(value, 3) && vector->minCoeff() > 0.0;
    }
    case ValueKind::kNumbers:
      return finite_numbers(value, 0);
    case ValueKind::kBounds: {
      const auto numbers = value.numbers();
      return numbers && std::all_of(numbers->begin(), numbers->end(),
                                    [](double number) { return number > 0.0; });
    }
    case ValueKind::kStrings:
      return value.strings().has_value();
    case ValueKind::kTable:
      return value.is_table();
    case ValueKind::kTables:
      return value.is_array() && std::all_of(value.items().begin(), value.items().end(),
                                             [](const Value& item) { return item.is_table(); });
  }
  return false;
}

// The value itself for a short one, its kind for others.
std::string shown(const Value& value) {
  if (const auto* text = value.string()) return fmt::format("\"{}\"", printable(*text));
  if (const auto number = value.number()) return fmt::format("{:g}", *number);
  return value.kind();
}

std::string member_name(const std::string& where, const SchemaKey& key) {
  std::string plain = where;
  std::erase_if(plain, [](char c) { return c == '[' || c == ']'; });
  const std::string path = plain.empty() ? key.name : plain + "." + key.name;
  return key.kind == ValueKind::kTables ? "[[" + path + "]]" : "[" + path + "]";
}

Status check_member(const Value& value, const SchemaKey& key, const std::string& file,
                    const std::string& where) {
  if (!right_value(value, key)) {
    return error_at(file, value.place,
                    fmt::format("{} must be {}, not {}", key.name, right_kind(key), shown(value)));
  }
  if (const auto number = value.number();
      number && !(std::isfinite(*number) && *number >= key.least && *number <= key.most)) {
    return error_at(file, value.place,
                    fmt::format("{} must be {}, not {:g}", key.name, range_text(key), *number));
  }
  if (key.kind == ValueKind::kQuaternion) {
    const auto q = *value.numbers();
    const double norm = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (std::abs(norm - 1.0) > 0.01) {
      return error_at(file, value.place,
                      fmt::format("{} must be a unit quaternion [w, x, y, z]; its length is {:.3g}",
                                  key.name, norm));
    }
  }
  if (key.members.empty()) return {};
  const std::string name = member_name(where, key);
  if (key.kind == ValueKind::kTable) return check_schema(value, key.members, file, name);
  for (const Value& item : value.items())
    if (const Status s = check_schema(item, key.members, file, name); !s) return s;
  return {};
}

}  // namespace

Error error_at(const std::string& file, const Place& place, const std::string& what) {
  return {fmt::format("{}:{}:{}: {}", printable(file, 300), place.line, place.column, what)};
}

Status check_schema(const Value& table, const std::vector<SchemaKey>& keys, const std::string& file,
                    const std::string& where) {
  const std::string within = where.empty() ? "the scene" : where;
  for (const auto& [name, value] : table.members()) {
    const auto key = std::find_if(keys.begin(), keys.end(),
                                  [&name = name](const SchemaKey& k) { return k.name == name; });
    if (key != keys.end()) {
      if (const Status s = check_member(value, *key, file, where); !s) return s;
      continue;
    }
    std::vector<std::string> names;
    for (const SchemaKey& k : keys) names.push_back(k.name);
    const auto meant = nearest_word(name, names);
    return error_at(file, value.place,
                    fmt::format("unknown key \"{}\" in {}; {}", printable(name), within,
                                meant ? fmt::format("did you mean \"{}\"?", *meant)
                                      : "known are " + fmt::format("{}", fmt::join(names, ", "))));
  }
  for (const SchemaKey& key : keys) {
    if (key.required && !table.find(key.name))
      return error_at(file, table.place, fmt::format("{} needs {}", within, key.name));
  }
  return {};
}

std::string schema_markdown(const std::vector<SchemaKey>& keys, const std::string& where) {
  std::string out = "| key | value | default | meaning |\n|---|---|---|---|\n";
  for (const SchemaKey& key : keys) {
    std::string kind = right_kind(key);
    if (std::isfinite(key.least) || std::isfinite(key.most)) kind += ", " + range_text(key);
    out += fmt::format("| `{}` | {} | {} | {} |\n", key.name, kind,
                       key.required           ? "required"
                       : key.fallback.empty() ? "–"
                                              : key.fallback,
                       key.meaning);
  }
  for (const SchemaKey& key : keys) {
    if (key.members.empty()) continue;
    const std::string name = member_name(where, key);
    out += fmt::format("\n## `{}`\n\n{}", name, schema_markdown(key.members, name));
  }
  return out;
}

}  // namespace prehend::io
