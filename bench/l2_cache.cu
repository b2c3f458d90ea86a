// l2_cache.cu: what the L2 cache of a GPU counts as a hit. Each launch is a row, in the order of the lines that it prints:
//   nvcc -O2 -std=c++17 -arch=sm_90 bench/l2_cache.cu -o l2_cache
//   ncu --csv --cache-control all --profile-from-start off --metrics lts__t_sectors_srcunit_tex.sum,lts__t_sectors_srcunit_tex_lookup_hit.sum,lts__t_sectors_srcunit_tex_lookup_miss.sum ./l2_cache
//   pair D         a warp asks for one sector of a line, D cycles later for its neighbour: when is the neighbour a hit?
//   four           sectors 0, 1, 2, 3 of a line, one after the other, none waits (the loop of a mean)
//   alone          only sector 0: does memory give its neighbour?
//   wide           lanes 64 bytes apart, four loads of 16 bytes (a quantization of rows): sectors {0,2}, {0,2}, {1,3}, {1,3}
//   share N S K    N blocks ask for the same lines, each S cycles behind the one before; K: neighbours by number (1) or 128/N apart (0)
#include "l2_loads.cuh"

#include <cstdint>
#include <cstdio>
#include <cuda_profiler_api.h>
#include <vector>

// Times of the two loads, and what they gave.
struct Times {
  unsigned long long first, second, local, count;
};

__global__ void pair(const char *x, int lines, int delay, int second, Times *times) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (lane)
    return;
  const char *p = x + size_t(warp) * lines * 128;
  unsigned long long sumFirst = 0, sumSecond = 0, sum = 0;
  for (int i = 0; i < lines; ++i, p += 128) {
    long long t0 = clock64();
    uint32_t a = get(p);
    uint32_t b = 0;
    if (delay < 0) { // waits for the first
      if (a)         // all is zero
        return;
      long long t1 = clock64();
      sumFirst += t1 - t0;
      b = get(p + second);
      if (b)
        return;
      sumSecond += clock64() - t1;
    } else {
      if (delay)
        spin(delay);
      b = get(p + second);
      if (a + b)
        return;
      sumFirst += clock64() - t0;
    }
  }
  atomicAdd(&times->first, sumFirst);
  atomicAdd(&times->second, sumSecond);
  atomicAdd(&times->local, sum);
  atomicAdd(&times->count, (unsigned long long)lines);
}

__global__ void alone(const char *x, int lines, Times *times) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (lane)
    return;
  const char *p = x + size_t(warp) * lines * 128;
  unsigned long long sum = 0;
  for (int i = 0; i < lines; ++i, p += 128)
    if (get(p)) // all is zero
      return;
  atomicAdd(&times->local, sum);
}

// Rows `spread` lines apart in one warp; each lane a row: lanes ask for the same sector of their lines.
__global__ void four(const char *x, int lines, int rows, Times *times) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (lane >= rows)
    return;
  const char *p = x + (size_t(warp) * rows + lane) * lines * 128;
  unsigned long long sum = 0;
  for (int i = 0; i < lines; ++i, p += 128) {
    uint32_t a = get(p), b = get(p + 32), c = get(p + 64), d = get(p + 96);
    if (a + b + c + d) // all is zero; the next ones wait for these
      return;
  }
  atomicAdd(&times->local, sum);
}

__global__ void wide(const char *x, int times16, Times *times) {
  unsigned long long sum = 0;
  const char *p = x + (size_t(blockIdx.x) * blockDim.x + threadIdx.x) * 64;
  for (int i = 0; i < times16; ++i, p += size_t(gridDim.x) * blockDim.x * 64)
    for (int j = 0; j < 4; ++j) {
      uint4 v;
      asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];"
                   : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                   : "l"(p + 16 * j)
                   : "memory");
      sum += v.x + v.y + v.z + v.w;
    }
  if (sum == 1)
    times->local = sum;
}

// Whole lines by a warp, `ahead` under way; who shares reads the same.
__global__ void share(const char *x, int lines, int sharers, int skew, int byNumber, Times *times) {
  int groups = gridDim.x / sharers;
  int group = byNumber ? blockIdx.x / sharers : blockIdx.x % groups,
      member = byNumber ? blockIdx.x % sharers : blockIdx.x / groups;
  __shared__ unsigned long long until;
  if (!threadIdx.x) { // all begin at one time of the global timer
    unsigned long long now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    until = (now / 8192 + 2) * 8192;
    do
      asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    while (now < until);
  }
  __syncthreads();
  spin((long long)skew * member);
  const char *p = x + size_t(group) * lines * 128 + threadIdx.x / 32 * 128 + threadIdx.x % 32 * 4;
  unsigned long long sum = 0;
  int step = blockDim.x / 32;
  for (int i = 0; i < lines; i += 4 * step, p += size_t(512) * step) {
    uint32_t a = get(p), b = get(p + 128 * step), c = get(p + 256 * step), d = get(p + 384 * step);
    if (a + b + c + d)
      return;
  }
  if (sum == 1)
    times->local = sum;
}

int main() {
  const size_t bytes = size_t(256) << 20;
  char *x;
  Times *times;
  cudaMalloc(&x, bytes);
  cudaMemset(x, 0, bytes);
  cudaMalloc(&times, sizeof(Times));
  cudaDeviceSynchronize();
  cudaProfilerStart();
  auto report = [&](const char *name, long long asked) {
    Times host;
    cudaError_t status = cudaMemcpy(&host, times, sizeof(host), cudaMemcpyDeviceToHost);
    printf("row %s asked %lld first %.0f second %.0f %s\n", name, asked,
           host.count ? double(host.first) / host.count : 0.0, host.count ? double(host.second) / host.count : 0.0,
           status ? cudaGetErrorString(status) : "");
    fflush(stdout);
    cudaMemset(times, 0, sizeof(Times));
  };
  cudaMemset(times, 0, sizeof(Times));
  char name[64];
  const int blocks = 64, warps = 4, lines = 128; // 32768 lines, 4 MB
  for (int delay : {-1, 0, 16, 64, 128, 256, 512, 1024, 4096}) {
    pair<<<blocks, warps * 32>>>(x, lines, delay, 32, times);
    snprintf(name, sizeof(name), "pair %d", delay), report(name, 2LL * blocks * warps * lines);
  }
  for (int second : {64, 96, 128}) { // no neighbours: as a measure
    pair<<<blocks, warps * 32>>>(x, lines, 256, second, times);
    snprintf(name, sizeof(name), "pair 256 +%d", second), report(name, 2LL * blocks * warps * lines);
  }
  alone<<<blocks, warps * 32>>>(x, lines, times), report("alone", (long long)blocks * warps * lines);
  for (int rows : {1, 2, 4, 32}) {
    four<<<blocks, warps * 32>>>(x, lines, rows, times);
    snprintf(name, sizeof(name), "four rows %d", rows), report(name, 4LL * blocks * warps * lines * rows);
  }
  four<<<1024, warps * 32>>>(x, 16, 4, times), report("four many", 4LL * 1024 * warps * 16 * 4);
  wide<<<512, 128>>>(x, 2, times), report("wide 512 x 2", 2LL * 512 * 128 * 2);
  wide<<<64, 128>>>(x, 16, times), report("wide 64 x 16", 2LL * 64 * 128 * 16);
  const int many = 2048; // lines of a group: 256 KB
  for (int sharers : {2, 4, 8, 16, 32})
    for (int byNumber : {1, 0})
      for (int skew : {0, 200, 1000, 5000}) {
        if (!byNumber && skew == 5000)
          continue;
        share<<<128, 128>>>(x, many, sharers, skew, byNumber, times);
        snprintf(name, sizeof(name), "share %d skew %d %s", sharers, skew, byNumber ? "near" : "apart"),
            report(name, 4LL * 128 * many);
      }
  cudaProfilerStop();
  return cudaDeviceSynchronize() != cudaSuccess;
}
