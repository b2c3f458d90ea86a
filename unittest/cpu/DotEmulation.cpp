// DotEmulation.cpp: AMX and pairs of bf16 and i16 after the pseudo code of Intel's manual, volume 2.
#include "DotEmulation.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"

#include <bit>
#include <cstdint>
#include <cstring>

namespace nereid::cpu::test {

namespace {

struct Tiles {
  uint8_t rows[8] = {};
  uint16_t bytes[8] = {};
  uint8_t data[8][16][64] = {};
} tiles;

void configure(const uint8_t *from) {
  tiles = {};
  for (int t = 0; t < 8; ++t) {
    std::memcpy(&tiles.bytes[t], from + 16 + 2 * t, 2);
    tiles.rows[t] = from[48 + t];
  }
}
void release() { tiles = {}; }
void load(int8_t t, const uint8_t *from, int64_t stride) {
  for (int row = 0; row < tiles.rows[t]; ++row)
    std::memcpy(tiles.data[t][row], from + row * stride, tiles.bytes[t]);
}
void store(int8_t t, uint8_t *to, int64_t stride) {
  for (int row = 0; row < tiles.rows[t]; ++row)
    std::memcpy(to + row * stride, tiles.data[t][row], tiles.bytes[t]);
}

float wide(const uint8_t *from) {
  uint16_t bits;
  std::memcpy(&bits, from, 2);
  return std::bit_cast<float>(uint32_t(bits) << 16);
}

// c[m][n] += the product of the units a[m][k] and b[k][n], 4 bytes each.
template <typename Sum, typename Multiply> void multiply(int8_t c, int8_t a, int8_t b, Multiply products) {
  for (int m = 0; m < tiles.rows[c]; ++m)
    for (int n = 0; n < tiles.bytes[c] / 4; ++n) {
      Sum sum;
      std::memcpy(&sum, tiles.data[c][m] + 4 * n, 4);
      for (int k = 0; k < tiles.bytes[a] / 4; ++k)
        sum = products(sum, tiles.data[a][m] + 4 * k, tiles.data[b][k] + 4 * n);
      std::memcpy(tiles.data[c][m] + 4 * n, &sum, 4);
    }
}
void multiplyBF16(int8_t c, int8_t a, int8_t b) {
  multiply<float>(c, a, b, [](float sum, const uint8_t *x, const uint8_t *y) {
    return sum + wide(x) * wide(y) + wide(x + 2) * wide(y + 2);
  });
}
template <typename A, typename B> void multiplyBytes(int8_t c, int8_t a, int8_t b) {
  multiply<uint32_t>(c, a, b, [](uint32_t sum, const uint8_t *x, const uint8_t *y) {
    for (int i = 0; i < 4; ++i)
      sum += uint32_t(int32_t(A(x[i])) * int32_t(B(y[i])));
    return sum;
  });
}

const void *addressOf(llvm::Intrinsic::ID id) {
  using Multiply = void (*)(int8_t, int8_t, int8_t);
  auto address = [](Multiply function) { return reinterpret_cast<const void *>(function); };
  switch (id) {
  case llvm::Intrinsic::x86_ldtilecfg: return reinterpret_cast<const void *>(&configure);
  case llvm::Intrinsic::x86_tilerelease: return reinterpret_cast<const void *>(&release);
  case llvm::Intrinsic::x86_tileloadd64: return reinterpret_cast<const void *>(&load);
  case llvm::Intrinsic::x86_tilestored64: return reinterpret_cast<const void *>(&store);
  case llvm::Intrinsic::x86_tdpbf16ps: return address(multiplyBF16);
  case llvm::Intrinsic::x86_tdpbssd: return address(multiplyBytes<int8_t, int8_t>);
  case llvm::Intrinsic::x86_tdpbsud: return address(multiplyBytes<int8_t, uint8_t>);
  case llvm::Intrinsic::x86_tdpbusd: return address(multiplyBytes<uint8_t, int8_t>);
  case llvm::Intrinsic::x86_tdpbuud: return address(multiplyBytes<uint8_t, uint8_t>);
  default: return nullptr;
  }
}

// A pair of 16 bits in each unit.
llvm::Value *unitsOf(llvm::IRBuilder<> &builder, llvm::Value *operand) {
  return builder.CreateBitCast(operand, llvm::FixedVectorType::get(builder.getInt32Ty(), 16));
}

// c + the products of the high and the low halves.
llvm::Value *emulatePairs(llvm::IRBuilder<> &builder, llvm::CallInst &call) {
  auto half = [&](llvm::Value *operand, bool isHigh) {
    llvm::Value *units = unitsOf(builder, operand);
    units = isHigh ? builder.CreateAnd(units, uint64_t(0xffff0000)) : builder.CreateShl(units, uint64_t(16));
    return builder.CreateBitCast(units, call.getType());
  };
  llvm::Value *a = call.getArgOperand(1), *b = call.getArgOperand(2);
  llvm::Value *high = builder.CreateFMul(half(a, true), half(b, true));
  llvm::Value *low = builder.CreateFMul(half(a, false), half(b, false));
  return builder.CreateFAdd(builder.CreateFAdd(call.getArgOperand(0), high), low);
}

// The sum of the products of both halves, modulo 2^32.
llvm::Value *sumProducts(llvm::IRBuilder<> &builder, llvm::Value *a, llvm::Value *b) {
  a = unitsOf(builder, a), b = unitsOf(builder, b);
  auto low = [&](llvm::Value *units) {
    return builder.CreateAShr(builder.CreateShl(units, uint64_t(16)), uint64_t(16));
  };
  auto high = [&](llvm::Value *units) { return builder.CreateAShr(units, uint64_t(16)); };
  return builder.CreateAdd(builder.CreateMul(low(a), low(b)), builder.CreateMul(high(a), high(b)));
}

void emulate(llvm::IntrinsicInst &call) {
  llvm::IRBuilder<> builder(&call);
  auto operand = [&](unsigned i) { return call.getArgOperand(i); };
  if (call.getIntrinsicID() == llvm::Intrinsic::x86_avx512bf16_dpbf16ps_512) {
    call.replaceAllUsesWith(emulatePairs(builder, call));
  } else if (call.getIntrinsicID() == llvm::Intrinsic::x86_avx512_vpdpwssd_512) {
    call.replaceAllUsesWith(builder.CreateAdd(operand(0), sumProducts(builder, operand(1), operand(2))));
  } else if (call.getIntrinsicID() == llvm::Intrinsic::x86_avx512_pmaddw_d_512) {
    call.replaceAllUsesWith(sumProducts(builder, operand(0), operand(1)));
  } else if (const void *address = addressOf(call.getIntrinsicID())) {
    auto *pointer = builder.CreateIntToPtr(builder.getInt64(uint64_t(address)), builder.getPtrTy());
    builder.CreateCall(call.getFunctionType(), pointer, llvm::SmallVector<llvm::Value *>(call.args()));
  } else {
    return;
  }
  call.eraseFromParent();
}

} // namespace

void emulateInstructions(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : llvm::make_early_inc_range(block))
        if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
          emulate(*call);
}

} // namespace nereid::cpu::test
