#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "io/json_depth.h"
#include "prehend/core/text.h"
#include "prehend/io/value.h"

namespace prehend::io {
namespace {

using Json = nlohmann::ordered_json;

Json from_value(const Value& value) {
  if (value.is_table()) {
    Json out = Json::object();
    for (const auto& [key, member] : value.members()) out[key] = from_value(member);
    return out;
  }
  if (value.is_array()) {
    Json out = Json::array();
    for (const Value& item : value.items()) out.push_back(from_value(item));
    return out;
  }
  if (const auto boolean = value.boolean()) return *boolean;
  if (const auto integer = value.integer()) return *integer;
  if (const auto number = value.number()) return std::isfinite(*number) ? Json(*number) : Json();
  if (const auto* text = value.string()) return *text;
  return {};
}

Value to_value(const Json& json) {
  Value out;
  if (json.is_object()) {
    out = Value::table();
    for (const auto& [key, member] : json.items()) out[key] = to_value(member);
  } else if (json.is_array()) {
    out = Value::array();
    for (const Json& item : json) out.push_back(to_value(item));
  } else if (json.is_boolean()) {
    out = json.get<bool>();
  } else if (json.is_number_integer()) {
    out = json.get<std::int64_t>();
  } else if (json.is_number()) {
    out = json.get<double>();
  } else if (json.is_string()) {
    out = json.get<std::string>();
  }
  return out;
}

constexpr int kDeepest = 100;  // brackets: more is no report

// Of the byte of this number, from 1.
Place place_of(std::string_view text, std::size_t byte) {
  Place place{1, 1};
  for (const char c : text.substr(0, byte > 0 ? byte - 1 : 0)) {
    place.line += c == '\n';
    place.column = c == '\n' ? 1 : place.column + 1;
  }
  return place;
}

}  // namespace

std::string to_json(const Value& value) {
  // Names of files may hold any bytes; what is not UTF-8 is replaced, not thrown at the user.
  return from_value(value).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_json_rows(const Value& value) {
  const std::string text = to_json(value);
  std::string rows;
  std::size_t open = std::string::npos;  // of a list, in `rows`, that has held nothing but numbers
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    rows += c;
    if (quoted && c == '\\') {
      rows += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
      open = std::string::npos;
    } else if (!quoted && c == '[') {
      open = rows.size();
    } else if (!quoted && (c == '{' || c == '}')) {
      open = std::string::npos;
    } else if (!quoted && c == ']' && open != std::string::npos) {
      const std::size_t first = rows.find_first_not_of(" \n", open);
      std::string row;
      for (const char kept : rows.substr(first)) {
        if (kept == ' ' || kept == '\n') continue;
        row += kept;
        if (kept == ',') row += ' ';
      }
      rows.replace(open, std::string::npos, row);
      open = std::string::npos;
    }
  }
  return rows;
}

Result<Value> parse_json(std::string_view text, const std::string& name) {
  const std::string file = printable(name, 300);
  if (nests_deeper(text, kDeepest)) return Error{fmt::format("{}: JSON nested too deeply", file)};
  try {
    return to_value(Json::parse(text));
  } catch (const nlohmann::json::parse_error& error) {
    if (error.byte > text.size()) return Error{fmt::format("{}: not JSON: it ends too soon", file)};
    const Place place = place_of(text, error.byte);
    return Error{fmt::format("{}:{}:{}: not JSON from here on", file, place.line, place.column)};
  } catch (const nlohmann::json::exception&) {
    return Error{fmt::format("{}: not JSON: a number is too large", file)};
  }
}

}  // namespace prehend::io
