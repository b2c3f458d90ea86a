// Recipes.cpp: what other array libraries and CUDA call something, and what to write here: notes of messages about names
// that are not there.
#include "lang/Suggest.h"

#include "lang/Builtin.h"
#include "lang/Type.h"

#include <algorithm>
#include <array>

namespace nereid::lang {

std::string recipeFor(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kRecipes[] = {
      {"add", "write `x + y`"},
      {"all", "write `tl.min(x.to(tl.int32), axis) != 0`"},
      {"amax", "write `tl.max(x, axis)`"},
      {"amin", "write `tl.min(x, axis)`"},
      {"any", "write `tl.max(x.to(tl.int32), axis) != 0`"},
      {"argsort", "sort the keys with their places in the lower bits: `tl.sort((key << 32) | place)`"},
      {"array", "make a tile with `tl.arange`, `tl.zeros` or `tl.full`, or load it from memory"},
      {"astype", "write `x.to(dtype)`"},
      {"atomic_sub", "add the negative value: `tl.atomic_add(p, -x)`"},
      {"bf16", "write `tl.bfloat16`"},
      {"bitwise_and", "write `x & y`"},
      {"blockIdx", "write `tl.program_id(axis)`"},
      {"block_id", "write `tl.program_id(axis)`"},
      {"bool", "write `tl.int1`"},
      {"clip", "write `tl.clamp(x, low, high)`"},
      {"concat", "write `tl.cat(a, b)`, or `tl.join(a, b)`"},
      {"concatenate", "write `tl.cat(a, b)`, or `tl.join(a, b)`"},
      {"div", "write `x / y`"},
      {"divide", "write `x / y`"},
      {"double", "write `tl.float64`, or `x.to(tl.float64)`"},
      {"empty", "write `tl.zeros(shape, dtype)`"},
      {"empty_like", "write `tl.zeros_like(x)`"},
      {"expand", "write `tl.broadcast_to(x, shape)`"},
      {"eye", "write `tl.where(i[:, None] == i[None, :], 1.0, 0.0)` with `i = tl.arange(0, N)`"},
      {"float", "write `x.to(tl.float32)`"},
      {"fp16", "write `tl.float16`"},
      {"fp32", "write `tl.float32`"},
      {"fp64", "write `tl.float64`"},
      {"fp8", "write `tl.float8e4nv` or `tl.float8e5`"},
      {"gelu", "write `0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476))`"},
      {"grid_dim", "write `tl.num_programs(axis)`"},
      {"half", "write `x.to(tl.float16)`"},
      {"int", "write `x.to(tl.int32)`"},
      {"int4", "write `tl.int8`, and unpack two values from each byte"},
      {"isinf", "write `tl.abs(x) == float(\"inf\")`"},
      {"isnan", "write `x != x`"},
      {"leaky_relu", "write `tl.where(x > 0, x, 0.01 * x)`"},
      {"len", "write `x.shape[0]`, or `x.numel`"},
      {"logical_and", "write `x & y` of booleans"},
      {"logical_not", "write `x == 0`"},
      {"logical_or", "write `x | y` of booleans"},
      {"logsumexp", "write `m + tl.log(tl.sum(tl.exp(x - m), axis))` with `m = tl.max(x, axis)`"},
      {"long", "write `x.to(tl.int64)`"},
      {"matmul", "write `tl.dot(a, b)`"},
      {"mean", "write `tl.sum(x, axis) / n`"},
      {"mm", "write `tl.dot(a, b)`"},
      {"mul", "write `x * y`"},
      {"multiply", "write `x * y`"},
      {"ndim", "write `len(x.shape)`"},
      {"ones", "write `tl.full(shape, 1, dtype)`"},
      {"ones_like", "write `tl.full(x.shape, 1, x.dtype)`"},
      {"pow", "write `x * x`, or call `pow` of `tl.extra.libdevice`"},
      {"power", "write `x * x`, or call `pow` of `tl.extra.libdevice`"},
      {"print", "write `tl.device_print(\"x\", x)`, or `print(\"x\", x)`"},
      {"prod", "write `tl.reduce(x, axis, f)` with a `@triton.jit` function `f` that multiplies"},
      {"rand_like", "write `tl.rand(seed, offsets)`"},
      {"relu", "write `tl.maximum(x, 0.0)`"},
      {"repeat", "write `tl.broadcast_to(x, shape)`"},
      {"round", "write `libdevice.round(x)`, after `from triton.language.extra import libdevice`"},
      {"select", "write `tl.where(condition, x, y)`"},
      {"shared", "a program has no shared memory of its own: tiles live where the compiler puts them"},
      {"sign", "write `tl.where(x > 0, 1, tl.where(x < 0, -1, 0))`"},
      {"silu", "write `x * tl.sigmoid(x)`"},
      {"size", "write `x.numel`, or `x.shape`"},
      {"softplus", "write `tl.maximum(x, 0.0) + tl.log(1.0 + tl.exp(-tl.abs(x)))`"},
      {"square", "write `x * x`"},
      {"stack", "write `tl.join(a, b)`"},
      {"std", "write `tl.sqrt(tl.sum(d * d, axis) / n)` with `d = x - tl.sum(x, axis) / n`"},
      {"sub", "write `x - y`"},
      {"subtract", "write `x - y`"},
      {"swish", "write `x * tl.sigmoid(x)`"},
      {"synchronize", "write `tl.debug_barrier()`; between stores and loads of one program none is needed"},
      {"syncthreads", "write `tl.debug_barrier()`; between stores and loads of one program none is needed"},
      {"tensor", "make a tile with `tl.arange`, `tl.zeros` or `tl.full`, or load it from memory"},
      {"threadIdx", "a program works on whole blocks: `tl.program_id(axis)` and `tl.arange` say which"},
      {"thread_id", "a program works on whole blocks: `tl.program_id(axis)` and `tl.arange` say which"},
      {"transpose", "write `tl.trans(x)`"},
      {"var", "write `tl.sum(d * d, axis) / n` with `d = x - tl.sum(x, axis) / n`"},
  };
  for (const auto &[word, help] : kRecipes)
    if (word == name)
      return std::string(help);
  if (name == "inf" || name == "nan")
    return "write `float(\"" + std::string(name) + "\")`";
  if (name == "pi" || name == "e")
    return "write `math." + std::string(name) + "`, after `import math`";
  if (!findBuiltin("tl", name) && findBuiltin("tl.extra.libdevice", name))
    return "write `libdevice." + std::string(name) + "(x)`, after `from triton.language.extra import libdevice`";
  return {};
}

std::string functionFor(std::string_view name) {
  if (std::string recipe = recipeFor(name); !recipe.empty())
    return recipe;
  if (Type::parse(std::string(name)))
    return "write `tl." + std::string(name) + "`";
  if (findBuiltin("tl", name))
    return "write `tl." + std::string(name) + "(…)`";
  return {};
}

bool isHostMethod(std::string_view name) {
  static constexpr std::array<std::string_view, 8> kNames = {"clone", "contiguous", "copy",  "cpu",
                                                             "cuda",  "detach",     "numpy", "requires_grad_"};
  return std::ranges::find(kNames, name) != kNames.end();
}

} // namespace nereid::lang
