// dtype.hpp: the element types of tensors, with the numbers that the C interface uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace nereid {

// A bool is stored as one byte. The fp8 types are Triton's: e4nv is OCP E4M3, e5 is OCP E5M2, e4b8 and e5b16 are the
// forms without negative zero and infinity, e4b15 is the four-bit-exponent form with bias 15.
enum class DType : int32_t {
  Int1,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Fp8E4NV,
  Fp8E5,
  Fp8E4B8,
  Fp8E5B16,
  Fp8E4B15,
  Fp16,
  Bf16,
  Fp32,
  Fp64,
};
inline constexpr int kDTypeCount = 18;

constexpr size_t bytesOf(DType type) {
  switch (type) {
  case DType::Int16:
  case DType::UInt16:
  case DType::Fp16:
  case DType::Bf16: return 2;
  case DType::Int32:
  case DType::UInt32:
  case DType::Fp32: return 4;
  case DType::Int64:
  case DType::UInt64:
  case DType::Fp64: return 8;
  default: return 1;
  }
}

// i1, i8 … u64, fp8e4nv …, f16, bf16, f32, f64.
constexpr std::string_view nameOf(DType type) {
  constexpr std::string_view kNames[kDTypeCount] = {"i1",       "i8",       "i16", "i32",     "i64",   "u8",
                                                    "u16",      "u32",      "u64", "fp8e4nv", "fp8e5", "fp8e4b8",
                                                    "fp8e5b16", "fp8e4b15", "f16", "bf16",    "f32",   "f64"};
  auto index = static_cast<size_t>(type);
  return index < kDTypeCount ? kNames[index] : "?";
}

constexpr bool isFloat(DType type) { return type >= DType::Fp8E4NV; }
constexpr bool isSigned(DType type) { return type >= DType::Int8 && type <= DType::Int64; }

// The type that holds a C++ type: dtypeOf<float>() is Fp32.
template <class T> constexpr DType dtypeOf();
template <> constexpr DType dtypeOf<bool>() { return DType::Int1; }
template <> constexpr DType dtypeOf<int8_t>() { return DType::Int8; }
template <> constexpr DType dtypeOf<int16_t>() { return DType::Int16; }
template <> constexpr DType dtypeOf<int32_t>() { return DType::Int32; }
template <> constexpr DType dtypeOf<int64_t>() { return DType::Int64; }
template <> constexpr DType dtypeOf<uint8_t>() { return DType::UInt8; }
template <> constexpr DType dtypeOf<uint16_t>() { return DType::UInt16; }
template <> constexpr DType dtypeOf<uint32_t>() { return DType::UInt32; }
template <> constexpr DType dtypeOf<uint64_t>() { return DType::UInt64; }
template <> constexpr DType dtypeOf<float>() { return DType::Fp32; }
template <> constexpr DType dtypeOf<double>() { return DType::Fp64; }

} // namespace nereid
