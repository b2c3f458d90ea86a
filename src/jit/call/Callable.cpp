#include "jit/call/Callable.h"

#include "runtime/Convert.h"

#include <bit>

namespace nereid::jit {

using Form = WordSource::Form;

Callable::Callable(const LaunchedCode &code, const CallShape &shape)
    : kernel(code.kernel), cudaKernel(code.cudaKernel) {
  const Specialization &specialization = code.specialization;
  for (size_t i = 0; i < specialization.arguments.size(); ++i) {
    Word word{.source = specialization.sources[i], .fixed = specialization.arguments[i].value};
    if (word.source.parameter >= 0)
      word.argument = shape.argumentOf[static_cast<size_t>(word.source.parameter)];
    words.push_back(word);
  }
}

static uint64_t floatWord(const nereid_argument &argument, DType dtype) {
  double value = argument.kind == NEREID_FLOAT  ? argument.number
                 : argument.kind == NEREID_UINT ? static_cast<double>(static_cast<uint64_t>(argument.integer))
                 : argument.kind == NEREID_BOOL ? argument.integer != 0
                                                : static_cast<double>(argument.integer);
  if (dtype == DType::Fp32)
    return std::bit_cast<uint32_t>(static_cast<float>(value));
  uint64_t bits = 0;
  runtime::writeElement(dtype, reinterpret_cast<std::byte *>(&bits), value);
  return bits;
}

void Callable::makeWords(const nereid_argument *arguments, uint64_t *result) const {
  for (const Word &word : words) {
    uint64_t &out = *result++;
    if (word.argument < 0) {
      out = word.fixed;
      continue;
    }
    const nereid_argument &argument = arguments[word.argument];
    switch (word.source.form) {
    case Form::Pointer: out = reinterpret_cast<uint64_t>(argument.tensor.data); break;
    case Form::Float: out = floatWord(argument, word.source.dtype); break;
    case Form::Integer:
      out = (argument.kind == NEREID_BOOL ? argument.integer != 0 : static_cast<uint64_t>(argument.integer)) &
            word.source.mask;
      break;
    case Form::Fixed: out = word.fixed; break;
    }
  }
}

} // namespace nereid::jit
