// A tree of plain values: what scene files, map files and reports are made of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "prehend/core/math.h"
#include "prehend/core/result.h"

namespace prehend::io {

// Where a value stands in its file, both from 1; 0 when it comes from no file.
struct Place {
  int line = 0;
  int column = 0;
};

class Value {
 public:
  using Array = std::vector<Value>;
  using Table = std::vector<std::pair<std::string, Value>>;  // in the order of writing

  Value() = default;
  Value(bool value) : data_(value) {}
  Value(int value) : data_(std::int64_t{value}) {}
  Value(std::int64_t value) : data_(value) {}
  Value(std::uint64_t value) : data_(static_cast<std::int64_t>(value)) {}
  Value(double value) : data_(value) {}
  Value(const char* value) : data_(std::string(value)) {}
  Value(std::string value) : data_(std::move(value)) {}
  Value(const Vec3& value) : data_(Array{value.x(), value.y(), value.z()}) {}
  Value(const std::vector<std::string>& values) : data_(Array(values.begin(), values.end())) {}
  Value(const std::vector<double>& values) : data_(Array(values.begin(), values.end())) {}

  static Value table() { return Value(Table{}); }
  static Value array() { return Value(Array{}); }

  bool is_null() const { return std::holds_alternative<std::monostate>(data_); }
  bool is_number() const { return number().has_value(); }
  bool is_table() const { return std::holds_alternative<Table>(data_); }
  bool is_array() const { return std::holds_alternative<Array>(data_); }

  // The value if it is of that kind. A whole number is also a number.
  std::optional<bool> boolean() const;
  std::optional<std::int64_t> integer() const;
  std::optional<double> number() const;
  const std::string* string() const { return std::get_if<std::string>(&data_); }
  std::optional<Vec3> vector() const;                       // three numbers
  std::optional<std::vector<double>> numbers() const;       // an array of numbers only
  std::optional<std::vector<std::string>> strings() const;  // an array of strings only
  const Array& items() const;                               // nothing if it is no array
  const Table& members() const;                             // nothing if it is no table

  // A table's member. The second makes it, and makes a table of a null.
  const Value* find(std::string_view key) const;
  Value& operator[](std::string_view key);
  void push_back(Value value);  // makes an array of a null

  // "a number", "a table", ... for messages.
  const char* kind() const;

  Place place;

 private:
  explicit Value(Array items) : data_(std::move(items)) {}
  explicit Value(Table members) : data_(std::move(members)) {}
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Table> data_;
};

// Members of tables are found with their places. `name` stands in messages: "scene.toml:3:7: ...".
Result<Value> parse_toml(std::string_view text, const std::string& name);

// JSON, indented by two; what is not finite becomes null.
std::string to_json(const Value& value);
// The same with every list of numbers on a line of its own, for people to read.
std::string to_json_rows(const Value& value);
Result<Value> parse_json(std::string_view text, const std::string& name);

// The known word nearest to `word`, if it is near enough to be meant: for "did you mean".
std::optional<std::string> nearest_word(std::string_view word,
                                        const std::vector<std::string>& known);

}  // namespace prehend::io
