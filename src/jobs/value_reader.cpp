#include "jobs/value_reader.h"

#include <climits>
#include <cmath>

#include <fmt/format.h>

namespace prehend::jobs {

void ValueReader::fail(const std::string& key, const std::string& what) {
  if (!error_) error_ = Error{fmt::format("{}: {}{} {}", file_, where_, key, what)};
}

std::string ValueReader::text(const std::string& key) {
  const io::Value* value = table_.find(key);
  if (value && value->string()) return *value->string();
  fail(key, "should be a word");
  return {};
}

double ValueReader::number(const std::string& key) {
  const io::Value* value = table_.find(key);
  const auto found = value ? value->number() : std::nullopt;
  if (found && std::isfinite(*found)) return *found;
  fail(key, "should be a number");
  return 0.0;
}

int ValueReader::whole(const std::string& key) {
  const io::Value* value = table_.find(key);
  const auto found = value ? value->integer() : std::nullopt;
  if (found && *found >= 0 && *found <= INT_MAX) return static_cast<int>(*found);
  fail(key, "should be a whole number");
  return 0;
}

Eigen::VectorXd ValueReader::vector(const std::string& key, Eigen::Index size) {
  const io::Value* value = table_.find(key);
  return value ? vector(*value, key, size) : missing(key, size);
}

Eigen::MatrixXd ValueReader::matrix(const std::string& key, Eigen::Index rows, Eigen::Index cols) {
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(rows, cols);
  const io::Value* value = table_.find(key);
  if (!value || Eigen::Index(value->items().size()) != cols) {
    fail(key, fmt::format("should be {} lists of {} numbers", cols, rows));
    return m;
  }
  for (Eigen::Index c = 0; c < cols; ++c)
    m.col(c) = vector(value->items()[c], fmt::format("{}[{}]", key, c), rows);
  return m;
}

Eigen::VectorXd ValueReader::missing(const std::string& key, Eigen::Index size) {
  fail(key, fmt::format("should be {} numbers", size));
  return Eigen::VectorXd::Zero(size);
}

Eigen::VectorXd ValueReader::vector(const io::Value& value, const std::string& key,
                                    Eigen::Index size) {
  const auto found = value.numbers();
  if (!found || Eigen::Index(found->size()) != size) return missing(key, size);
  const Eigen::VectorXd v = Eigen::Map<const Eigen::VectorXd>(found->data(), size);
  return v.allFinite() ? v : missing(key, size);
}

}  // namespace prehend::jobs
