// Members of a table that was read from a file, each checked.
#pragma once

#include <optional>
#include <string>

#include <Eigen/Core>

#include "prehend/core/result.h"
#include "prehend/io/value.h"

namespace prehend::jobs {

// The first member that is wrong is remembered, and everything after it is empty: read all, then
// ask for the error.
class ValueReader {
 public:
  // `where` stands before a key in messages: "gaussians[2].".
  ValueReader(const io::Value& table, std::string file, std::string where)
      : table_(table), file_(std::move(file)), where_(std::move(where)) {}

  const std::optional<Error>& error() const { return error_; }
  void fail(const std::string& key, const std::string& what);

  std::string text(const std::string& key);
  double number(const std::string& key);
  int whole(const std::string& key);  // not below zero
  Eigen::VectorXd vector(const std::string& key, Eigen::Index size);
  // Listed column by column.
  Eigen::MatrixXd matrix(const std::string& key, Eigen::Index rows, Eigen::Index cols);

 private:
  Eigen::VectorXd missing(const std::string& key, Eigen::Index size);
  Eigen::VectorXd vector(const io::Value& value, const std::string& key, Eigen::Index size);

  const io::Value& table_;
  std::string file_, where_;
  std::optional<Error> error_;
};

}  // namespace prehend::jobs
