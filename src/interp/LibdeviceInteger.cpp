// LibdeviceInteger.cpp: device functions on integers, and on the bits of floats.
#include "interp/Libdevice.h"

#include <bit>
#include <cstdlib>

namespace nereid::interp {

template <typename T> static T reverseBits(T value) {
  T result = 0;
  for (unsigned i = 0; i < 8 * sizeof(T); ++i)
    result |= (value >> i & 1) << (8 * sizeof(T) - 1 - i);
  return result;
}

// Each nibble of the selector picks one of the eight bytes of (b, a) by its lower three bits.
static uint32_t permuteBytes(uint32_t a, uint32_t b, uint32_t selector) {
  uint64_t bytes = uint64_t(b) << 32 | a;
  uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    uint32_t index = selector >> (4 * i) & 7;
    result |= uint32_t(bytes >> (8 * index) & 0xff) << (8 * i);
  }
  return result;
}

static int32_t low24(int32_t value) { return int32_t(uint32_t(value) << 8) >> 8; }

void addIntegerDeviceFunctions(DeviceFunctions &functions) {
  auto &f = functions;
  addDevice<int32_t(uint32_t), [](uint32_t a) { return std::countl_zero(a); }>(f, "__nv_clz");
  addDevice<int32_t(uint64_t), [](uint64_t a) { return std::countl_zero(a); }>(f, "__nv_clzll");
  addDevice<int32_t(uint32_t), [](uint32_t a) { return std::popcount(a); }>(f, "__nv_popc");
  addDevice<int32_t(uint64_t), [](uint64_t a) { return std::popcount(a); }>(f, "__nv_popcll");
  addDevice<int32_t(uint32_t), [](uint32_t a) { return a ? std::countr_zero(a) + 1 : 0; }>(f, "__nv_ffs");
  addDevice<int32_t(uint64_t), [](uint64_t a) { return a ? std::countr_zero(a) + 1 : 0; }>(f, "__nv_ffsll");
  addDevice<uint32_t(uint32_t), reverseBits<uint32_t>>(f, "__nv_brev");
  addDevice<uint64_t(uint64_t), reverseBits<uint64_t>>(f, "__nv_brevll");
  addDevice<uint32_t(uint32_t, uint32_t, uint32_t), permuteBytes>(f, "__nv_byte_perm");
  addDevice<int32_t(int32_t, int32_t), [](int32_t a, int32_t b) { return int64_t(a) * b >> 32; }>(f, "__nv_mulhi");
  addDevice<uint32_t(uint32_t, uint32_t), [](uint32_t a, uint32_t b) { return uint64_t(a) * b >> 32; }>(f,
                                                                                                        "__nv_umulhi");
  addDevice<int64_t(int64_t, int64_t), [](int64_t a, int64_t b) { return int64_t(__int128(a) * b >> 64); }>(
      f, "__nv_mul64hi");
  addDevice<uint64_t(uint64_t, uint64_t), [](uint64_t a, uint64_t b) {
    return uint64_t(static_cast<unsigned __int128>(a) * b >> 64);
  }>(f, "__nv_umul64hi");
  addDevice<int32_t(int32_t, int32_t), [](int32_t a, int32_t b) { return int32_t(int64_t(low24(a)) * low24(b)); }>(
      f, "__nv_mul24");
  addDevice<uint32_t(uint32_t, uint32_t), [](uint32_t a, uint32_t b) { return (a & 0xffffff) * (b & 0xffffff); }>(
      f, "__nv_umul24");
  addDevice<uint32_t(int32_t, int32_t, uint32_t),
            [](int32_t a, int32_t b, uint32_t c) { return uint32_t(std::llabs(int64_t(a) - b)) + c; }>(f, "__nv_sad");
  addDevice<uint32_t(uint32_t, uint32_t, uint32_t),
            [](uint32_t a, uint32_t b, uint32_t c) { return (a > b ? a - b : b - a) + c; }>(f, "__nv_usad");
  addDevice<uint32_t(uint32_t), [](uint32_t a) { return int32_t(a) < 0 ? 0 - a : a; }>(f, "__nv_abs");
  addDevice<uint64_t(uint64_t), [](uint64_t a) { return int64_t(a) < 0 ? 0 - a : a; }>(f, "__nv_llabs");
  addDevice<int32_t(int32_t, int32_t), [](int32_t a, int32_t b) { return (int64_t(a) + b) >> 1; }>(f, "__nv_hadd");
  addDevice<int32_t(int32_t, int32_t), [](int32_t a, int32_t b) { return (int64_t(a) + b + 1) >> 1; }>(f, "__nv_rhadd");
  addDevice<uint32_t(uint32_t, uint32_t), [](uint32_t a, uint32_t b) { return (uint64_t(a) + b) >> 1; }>(f,
                                                                                                         "__nv_uhadd");
  addDevice<uint32_t(uint32_t, uint32_t), [](uint32_t a, uint32_t b) { return (uint64_t(a) + b + 1) >> 1; }>(
      f, "__nv_urhadd");

  addDevice<float(uint32_t), [](uint32_t a) { return std::bit_cast<float>(a); }>(f, "__nv_int_as_float");
  addDevice<float(uint32_t), [](uint32_t a) { return std::bit_cast<float>(a); }>(f, "__nv_uint_as_float");
  addDevice<uint32_t(float), [](float a) { return std::bit_cast<uint32_t>(a); }>(f, "__nv_float_as_int");
  addDevice<uint32_t(float), [](float a) { return std::bit_cast<uint32_t>(a); }>(f, "__nv_float_as_uint");
  addDevice<double(uint64_t), [](uint64_t a) { return std::bit_cast<double>(a); }>(f, "__nv_longlong_as_double");
  addDevice<uint64_t(double), [](double a) { return std::bit_cast<uint64_t>(a); }>(f, "__nv_double_as_longlong");
  addDevice<double(uint32_t, uint32_t), [](uint32_t high, uint32_t low) {
    return std::bit_cast<double>(uint64_t(high) << 32 | low);
  }>(f, "__nv_hiloint2double");
  addDevice<uint32_t(double), [](double a) { return uint32_t(std::bit_cast<uint64_t>(a)); }>(f, "__nv_double2loint");
  addDevice<uint32_t(double), [](double a) { return uint32_t(std::bit_cast<uint64_t>(a) >> 32); }>(f,
                                                                                                   "__nv_double2hiint");
}

} // namespace nereid::interp
