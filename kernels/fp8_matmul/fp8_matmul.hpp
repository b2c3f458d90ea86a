// fp8_matmul.hpp: fp8Matmul(c, a, b, aScale, bScale): c = a @ b^T of fp8 matrices with scales of blocks.
#pragma once

#include "nereid/kernels/matmul.hpp"

namespace nereid::kernels {

struct Fp8MatmulOptions {
  int64_t
      rowsA = 1,
      rowsB = 128,
      depth =
          128; // a scale belongs to so many rows of a, or of b, and so much of K; powers of two, the depth from 32 to 256
};

namespace detail {
inline bool isFp8(DType type) { return type == DType::Fp8E4NV || type == DType::Fp8E5 || type == DType::UInt8; }

struct Fp8Plan {
  int64_t blockM, blockN, halves = 1;
  LaunchOptions options;
};

// Large tiles share what they read from the cache; two halves of rows leave registers for the product of one beside the sums of both.
// Few rows are limited by the bytes of b: many blocks of it are on their way.
inline Fp8Plan fp8Plan(ProductShape shape, const LaunchOptions &options) {
  Fp8Plan plan{productBlock(shape.m, 64), productBlock(shape.n, 128), 1, options};
  if (!isGpu(options))
    return plan;
  bool isLarge = shape.m > 128 && cdiv(shape.m, 256) * cdiv(shape.n, 128) >= multiprocessors(options) / 2,
       isHigh = isLarge || shape.m > 64;
  if (isLarge)
    plan.halves = 2;
  else
    plan.blockN = productBlock(shape.n, 64);
  if (isHigh)
    plan.blockM = 128;
  plan.options = withDefaults(options, isHigh ? 8 : 4, isLarge ? 3 : 6);
  return plan;
}
} // namespace detail

// a: [M, K], b: [N, K] with contiguous rows, fp8e4nv or fp8e5, or uint8 with the bits of fp8e4nv; c: [M, N]. aScale: fp32 [M / rowsA, K / depth], bScale: fp32 [N / rowsB, K / depth], rounded up, of any strides.
inline Result<void> fp8Matmul(const Tensor &c, const Tensor &a, const Tensor &b, const Tensor &aScale,
                              const Tensor &bScale, const Fp8MatmulOptions &product = {},
                              const LaunchOptions &options = {}) {
  detail::Checks checks("fp8Matmul");
  checks.rank({"a", a}, 2).rank({"b", b}, 2).sameType({"b", b}, {"a", a}).floats({{"c", c}});
  checks.that(detail::isFp8(a.dtype()),
              "`a` has type " + detail::Checks::name(a.dtype()) + ", but fp8e4nv, fp8e5 or u8 is expected");
  auto isPower = [](int64_t n, int64_t least, int64_t most) {
    return n >= least && n <= most && detail::powerOfTwo(n) == n;
  };
  checks.that(isPower(product.rowsA, 1, 1 << 20) && isPower(product.rowsB, 1, 1 << 20) &&
                  isPower(product.depth, 32, 256),
              "`rowsA`, `rowsB` and `depth` are powers of two, the depth from 32 to 256");
  if (checks.failed())
    return checks.error();
  detail::ProductShape shape{a.shape()[0], b.shape()[0], a.shape()[1]};
  checks.shape({"b", b}, {shape.n, shape.k}).shape({"c", c}, {shape.m, shape.n});
  checks.contiguousRows({{"a", a}, {"b", b}, {"c", c}});
  int64_t blocks = detail::cdiv(shape.k, product.depth);
  checks.shape({"aScale", aScale}, {detail::cdiv(shape.m, product.rowsA), blocks})
      .dtype({"aScale", aScale}, DType::Fp32);
  checks.shape({"bScale", bScale}, {detail::cdiv(shape.n, product.rowsB), blocks})
      .dtype({"bScale", bScale}, DType::Fp32);
  if (checks.failed())
    return checks.error();
  auto [blockM, blockN, halves, tuned] = detail::fp8Plan(shape, options);
  auto areRowsWhole = [](const Tensor &tensor) {
    return tensor.strides()[0] % 16 == 0 && tensor.strides()[0] > 0 &&
           reinterpret_cast<uintptr_t>(tensor.data()) % 16 == 0;
  };
  bool byDescriptor = detail::isGpu(options) && areRowsWhole(a) && areRowsWhole(b);
  bool storesBlocks = byDescriptor && c.strides()[0] * static_cast<int64_t>(bytesOf(c.dtype())) % 16 == 0 &&
                      c.strides()[0] > 0 && reinterpret_cast<uintptr_t>(c.data()) % 16 == 0;
  // TMA brings scales that lie beside each other, as quantizers for this product store them.
  bool scalesByDescriptor = byDescriptor && halves == 2 && product.rowsA == 1 && aScale.strides()[0] == 1 &&
                            aScale.strides()[1] % 4 == 0 && aScale.strides()[1] > 0 &&
                            reinterpret_cast<uintptr_t>(aScale.data()) % 16 == 0;
  int64_t tiles = detail::cdiv(shape.m, blockM * halves) * detail::cdiv(shape.n, blockN);
  int64_t programs = byDescriptor && halves == 2 ? std::min(tiles, detail::multiprocessors(options)) : tiles;
  return detail::launch(detail::find("fp8_matmul", "fp8_matmul"), {programs}, tuned,
                        {a,
                         b,
                         aScale,
                         bScale,
                         c,
                         shape.m,
                         shape.n,
                         shape.k,
                         a.strides()[0],
                         b.strides()[0],
                         c.strides()[0],
                         aScale.strides()[0],
                         aScale.strides()[1],
                         bScale.strides()[0],
                         bScale.strides()[1],
                         blocks,
                         product.rowsA,
                         product.rowsB,
                         product.depth,
                         blockM,
                         blockN,
                         4,
                         halves,
                         byDescriptor,
                         storesBlocks,
                         scalesByDescriptor});
}

} // namespace nereid::kernels
