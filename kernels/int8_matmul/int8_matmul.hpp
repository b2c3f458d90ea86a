// int8_matmul.hpp: int8Matmul(c, a, b): products of int8 matrices, exact in i32 or scaled to floats.
#pragma once

#include "nereid/kernels/matmul.hpp"

namespace nereid::kernels {

// The factors of the rows of a and of the columns of b.
struct Int8Scales {
  Tensor a, b;
};

// With scales c is f32, f16 or bf16; without, it is i32.
inline Result<void> int8Matmul(const Tensor &c, const Tensor &a, const Tensor &b,
                               const std::optional<Int8Scales> &scales = {}, const LaunchOptions &options = {}) {
  detail::Checks checks("int8Matmul");
  checks.dtype({"a", a}, DType::Int8).dtype({"b", b}, DType::Int8);
  Result<detail::ProductShape> shape = detail::productShape(checks, {"c", c}, {"a", a}, {"b", b});
  if (!shape)
    return shape.error();
  if (scales) {
    checks.shape({"aScale", scales->a}, {shape->m}).shape({"bScale", scales->b}, {shape->n});
    checks.contiguous({{"aScale", scales->a}, {"bScale", scales->b}});
    checks.floats({{"aScale", scales->a}, {"bScale", scales->b}, {"c", c}});
  } else {
    checks.dtype({"c", c}, DType::Int32);
  }
  if (checks.failed())
    return checks.error();
  auto [blockM, blockN, blockK, tuned] = detail::productPlan(*shape, 1, options);
  blockK = std::max<int64_t>(blockK, 32); // the least depth of an int8 product on a GPU
  Argument none = nullptr;
  return detail::launch(detail::find("int8_matmul", "int8_matmul"),
                        {detail::cdiv(shape->m, blockM) * detail::cdiv(shape->n, blockN)}, tuned,
                        {a, b, scales ? Argument(scales->a) : none, scales ? Argument(scales->b) : none, c, shape->m,
                         shape->n, shape->k, a.strides()[0], a.strides()[1], b.strides()[0], b.strides()[1],
                         c.strides()[0], c.strides()[1], blockM, blockN, blockK});
}

} // namespace nereid::kernels
