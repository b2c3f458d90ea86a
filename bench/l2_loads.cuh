// l2_loads.cuh: what the kernels of l2_cache.cu and l2_places.cu are made of: loads that the L1 cache does not keep, and waiting.
#pragma once

#include <cstdint>

__device__ __forceinline__ uint32_t get(const char *p) {
  uint32_t v;
  asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}

__device__ __forceinline__ void spin(long long cycles) {
  long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}
