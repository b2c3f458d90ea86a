// call.hpp: arguments of a launch on the stack: for Kernel::operator(), which allocates nothing.
#pragma once

#include "nereid/argument.hpp"

namespace nereid {

// How many programs run, along one to three axes.
struct Grid {
  int64_t x = 1, y = 1, z = 1;
  template <class T>
    requires(std::is_integral_v<T>)
  Grid(T x) : x(static_cast<int64_t>(x)) {}
  Grid(int64_t x, int64_t y, int64_t z = 1) : x(x), y(y), z(z) {}
};

// An argument by name. It refers to the value, which must live until the call is over.
template <class T> struct Named {
  const char *name;
  const T &value;
};
template <class T> Named<T> named(const char *name, const T &value) { return {name, value}; }

namespace detail {

template <class T> nereid_argument quickArgument(const T &value) {
  nereid_argument c{};
  if constexpr (std::is_same_v<T, std::nullptr_t>)
    c.kind = NEREID_NONE;
  else if constexpr (std::is_same_v<T, bool>)
    c.kind = NEREID_BOOL, c.integer = value;
  else if constexpr (std::is_integral_v<T>)
    c.kind = std::is_unsigned_v<T> ? NEREID_UINT : NEREID_INT, c.integer = static_cast<int64_t>(value);
  else if constexpr (std::is_floating_point_v<T>)
    c.kind = NEREID_FLOAT, c.number = static_cast<double>(value);
  else if constexpr (std::is_same_v<T, Tensor>)
    c.kind = NEREID_TENSOR, c.tensor = convert(value);
  else if constexpr (std::is_same_v<T, std::string>)
    c.kind = NEREID_STRING, c.string = value.c_str();
  else if constexpr (std::is_convertible_v<const T &, const char *>)
    c.kind = NEREID_STRING, c.string = value;
  else {
    static_assert(std::is_same_v<T, Expression>,
                  "a number, a bool, a string, a Tensor, an Expression or nullptr; tuples and "
                  "descriptors go through Kernel::launch");
    c.kind = NEREID_EXPRESSION, c.string = value.text.c_str();
  }
  return c;
}

template <class T> nereid_argument quickArgument(const Named<T> &argument) {
  nereid_argument c = quickArgument(argument.value);
  c.name = argument.name;
  return c;
}

} // namespace detail

} // namespace nereid
