// A value or a one-line message for the person who gave the input.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "prehend/core/assert.h"

namespace prehend {

// Names the file, the place in it and what would be right, on one line.
struct Error {
  std::string message;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::move(error)) {}

  bool ok() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return ok(); }

  const T& value() const& {
    PREHEND_ASSERT(ok());
    return std::get<T>(state_);
  }
  T& value() & {
    PREHEND_ASSERT(ok());
    return std::get<T>(state_);
  }
  T&& value() && {
    PREHEND_ASSERT(ok());
    return std::get<T>(std::move(state_));
  }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

  Error error() const {
    PREHEND_ASSERT(!ok());
    return std::get<Error>(state_);
  }
  const std::string& message() const {
    PREHEND_ASSERT(!ok());
    return std::get<Error>(state_).message;
  }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_; }
  explicit operator bool() const { return ok(); }
  Error error() const {
    PREHEND_ASSERT(!ok());
    return *error_;
  }
  const std::string& message() const {
    PREHEND_ASSERT(!ok());
    return error_->message;
  }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace prehend
