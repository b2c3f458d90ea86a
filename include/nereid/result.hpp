// result.hpp: a value, or why there is none. Nothing in this library throws on a user's mistake.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace nereid {

enum class Status {
  Ok = 0,
  CheckFailed = 1, // the kernel ran, and a check or a comparison failed
  BadInput = 2,    // a mistake in the kernel, an argument or an option: the message says where
  Environment = 3, // a file, a device or memory is missing
  Interrupted = 4, // the launch was ended before its time: its limit was reached, or somebody called interrupt()
  Internal = 5,    // a bug of Nereid: the message names a file with all that shows it again
};

// Why something failed: the rendered diagnostics, with source lines where there are some.
struct Error {
  Status status = Status::BadInput;
  std::string message;
};

// Either a value or an error. `if (result)`, `*result`, `result->…`, `result.error().message`.
template <class T> class [[nodiscard]] Result {
public:
  Result(T value) : held(std::move(value)) {}
  Result(Error error) : problem(std::move(error)) {}

  explicit operator bool() const { return held.has_value(); }
  T &operator*() { return *held; }
  const T &operator*() const { return *held; }
  T *operator->() { return &*held; }
  const T *operator->() const { return &*held; }
  const Error &error() const { return problem; }

private:
  std::optional<T> held;
  Error problem{Status::Ok, {}};
};

template <> class [[nodiscard]] Result<void> {
public:
  Result() = default;
  Result(Error error) : problem(std::move(error)) {}

  explicit operator bool() const { return problem.status == Status::Ok; }
  const Error &error() const { return problem; }

private:
  Error problem{Status::Ok, {}};
};

} // namespace nereid
