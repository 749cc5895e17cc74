#include "prehend/io/value.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace prehend::io {

std::optional<bool> Value::boolean() const {
  const bool* value = std::get_if<bool>(&data_);
  return value ? std::optional(*value) : std::nullopt;
}

std::optional<std::int64_t> Value::integer() const {
  const auto* value = std::get_if<std::int64_t>(&data_);
  return value ? std::optional(*value) : std::nullopt;
}

std::optional<double> Value::number() const {
  if (const auto* value = std::get_if<double>(&data_)) return *value;
  if (const auto* value = std::get_if<std::int64_t>(&data_)) return static_cast<double>(*value);
  return std::nullopt;
}

std::optional<Vec3> Value::vector() const {
  const auto values = numbers();
  if (!values || values->size() != 3) return std::nullopt;
  return Vec3((*values)[0], (*values)[1], (*values)[2]);
}

std::optional<std::vector<double>> Value::numbers() const {
  if (!is_array()) return std::nullopt;
  std::vector<double> out;
  for (const Value& item : items()) {
    const auto value = item.number();
    if (!value) return std::nullopt;
    out.push_back(*value);
  }
  return out;
}

std::optional<std::vector<std::string>> Value::strings() const {
  if (!is_array()) return std::nullopt;
  std::vector<std::string> out;
  for (const Value& item : items()) {
    const std::string* value = item.string();
    if (!value) return std::nullopt;
    out.push_back(*value);
  }
  return out;
}

const Value::Array& Value::items() const {
  static const Array kNone;
  const auto* items = std::get_if<Array>(&data_);
  return items ? *items : kNone;
}

const Value::Table& Value::members() const {
  static const Table kNone;
  const auto* members = std::get_if<Table>(&data_);
  return members ? *members : kNone;
}

const Value* Value::find(std::string_view key) const {
  for (const auto& [name, value] : members())
    if (name == key) return &value;
  return nullptr;
}

Value& Value::operator[](std::string_view key) {
  if (is_null()) data_ = Table{};
  PREHEND_ASSERT(is_table());
  auto& members = std::get<Table>(data_);
  for (auto& [name, value] : members)
    if (name == key) return value;
  return members.emplace_back(std::string(key), Value()).second;
}

void Value::push_back(Value value) {
  if (is_null()) data_ = Array{};
  PREHEND_ASSERT(is_array());
  std::get<Array>(data_).push_back(std::move(value));
}

const char* Value::kind() const {
  constexpr const char* kKinds[] = {"nothing",  "true or false", "a whole number", "a number",
                                    "a string", "an array",      "a table"};
  return kKinds[data_.index()];
}

namespace {

// Letters put in, left out, changed or swapped with their neighbor that make one word the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j - 1] + (a[i - 1] != b[j - 1]), row[j - 1] + 1, last[j] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last.back();
}

}  // namespace

std::optional<std::string> nearest_word(std::string_view word,
                                        const std::vector<std::string>& known) {
  std::optional<std::string> best;
  if (word.size() > 64) return best;
  // A third of the letters may be wrong, and always one.
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3 + 1);
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= best_distance) continue;
    best_distance = distance;
    best = candidate;
  }
  return best;
}

}  // namespace prehend::io
