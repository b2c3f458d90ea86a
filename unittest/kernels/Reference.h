// Reference.h: tensors with random values and comparison with plain loops, for the tests of the kernels' wrappers.
#pragma once

#include "nereid/nereid.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace nereid::test {

// Where the wrappers run: the variable NEREID_DEVICE, or the default device.
inline LaunchOptions options() {
  LaunchOptions result;
  if (const char *device = std::getenv("NEREID_DEVICE"))
    result.device.name = device;
  return result;
}

inline Tensor zeros(Shape shape, DType type = DType::Fp32) { return *Tensor::zeros(type, std::move(shape)); }

inline Tensor random(Shape shape, unsigned seed = 1) {
  Tensor result = zeros(std::move(shape));
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  for (float &value : result.values<float>())
    value = normal(generator);
  return result;
}
template <class T> Tensor randomIntegers(Shape shape, int low, int high, unsigned seed = 1) {
  Tensor result = zeros(std::move(shape), dtypeOf<T>());
  std::mt19937 generator(seed);
  std::uniform_int_distribution<int> uniform(low, high);
  for (T &value : result.values<T>())
    value = static_cast<T>(uniform(generator));
  return result;
}

// Compares a contiguous tensor of floats with a function of the element's number.
inline void expectValues(const Tensor &actual, const std::function<double(int64_t)> &expected,
                         double tolerance = 2e-5) {
  auto values = actual.values<float>();
  ASSERT_EQ(static_cast<int64_t>(values.size()), actual.count());
  for (int64_t i = 0; i < actual.count(); ++i) {
    double value = expected(i);
    ASSERT_NEAR(values[i], value, tolerance * std::max(1.0, std::fabs(value))) << "at element " << i;
  }
}

inline void expectDone(const Result<void> &done) { ASSERT_TRUE(done) << done.error().message; }
inline void expectError(const Result<void> &done, const std::string &message) {
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().status, Status::BadInput);
  EXPECT_EQ(done.error().message, "error: " + message + "\n");
}

} // namespace nereid::test
