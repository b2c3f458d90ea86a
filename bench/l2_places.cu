// l2_places.cu: where the blocks of a launch run, which half of the L2 cache a multiprocessor belongs to, and whose requests for the same lines become one.
//   nvcc -O2 -std=c++17 -arch=sm_90 bench/l2_places.cu -o l2_places
//   ./l2_places places                                 multiprocessors of blocks 0, 1, 2 … of some grids; what an atomic takes from each multiprocessor to some lines
//   ncu --csv --cache-control all --profile-from-start off --metrics lts__t_sectors_srcunit_tex_op_read.sum,lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum,lts__t_sectors_srcunit_tex_op_read_lookup_miss.sum ./l2_places pairs|skews
//   pairs          multiprocessors A and B read the same lines at the same time: A is 0, B each other one
//   skews          groups of multiprocessors by their numbers; each begins S cycles behind the one before; lines that are in the cache, or not
#include "l2_loads.cuh"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_profiler_api.h>
#include <vector>

constexpr int kLines = 4096, kAlone = 200 << 10; // bytes of shared memory that keep other blocks away

__device__ __forceinline__ uint32_t multiprocessor() {
  uint32_t number;
  asm volatile("mov.u32 %0, %smid;" : "=r"(number));
  return number;
}

__global__ void places(uint32_t *where) {
  if (!threadIdx.x)
    where[blockIdx.x] = multiprocessor();
  spin(20000); // all are there at the same time
}

// One multiprocessor after the other.
__global__ void distances(unsigned *lines, int count, int turns, volatile unsigned *turn, float *cycles) {
  extern __shared__ char alone[];
  if (threadIdx.x)
    return;
  uint32_t own = multiprocessor();
  while (*turn != own)
    __nanosleep(50);
  for (int i = 0; i < count; ++i) {
    long long begin = clock64();
    unsigned offset = 0; // all is zero; each waits for the one before
    for (int t = 0; t < turns; ++t)
      offset = atomicAdd(lines + i * 2048 + offset, 0u); // 8 KB apart
    if (!offset)
      cycles[own * count + i] = float(clock64() - begin) / turns;
  }
  __threadfence();
  *turn = own + 1;
}

struct Group {
  int size = 0, skew = 0, isWarm = 0;
  int members[16] = {};
};

// Blocks on the multiprocessors of the group read the same lines, 8 loads of a warp under way.
__global__ void together(const char *x, Group group, unsigned *ready) {
  extern __shared__ char alone[];
  int own = int(multiprocessor()), member = -1;
  for (int i = 0; i < group.size; ++i)
    if (group.members[i] == own)
      member = i;
  if (member < 0)
    return;
  if (group.isWarm && member == 0) {
    for (int i = threadIdx.x / 32; i < kLines; i += blockDim.x / 32)
      if (get(x + size_t(i) * 128 + threadIdx.x % 32 * 4))
        return; // all is zero
    __syncthreads();
  }
  if (!threadIdx.x) {
    atomicAdd(ready, 1u);
    while (*(volatile unsigned *)ready < unsigned(group.size)) {
    }
  }
  __syncthreads();
  spin((long long)group.skew * member);
  const char *p = x + threadIdx.x / 32 * 128 + threadIdx.x % 32 * 4;
  int step = blockDim.x / 32;
  for (int i = 0; i < kLines; i += 8 * step, p += size_t(1024) * step) {
    uint32_t sum = 0, v[8];
    for (int j = 0; j < 8; ++j)
      v[j] = get(p + size_t(128) * step * j);
    for (int j = 0; j < 8; ++j)
      sum += v[j];
    if (sum)
      return;
  }
}

int main(int count, char **words) {
  const char *what = count > 1 ? words[1] : "places";
  int number = 0;
  cudaDeviceGetAttribute(&number, cudaDevAttrMultiProcessorCount, 0);
  char *x;
  unsigned *ready;
  cudaMalloc(&x, kLines * 128);
  cudaMemset(x, 0, kLines * 128);
  cudaMalloc(&ready, 4);
  if (!strcmp(what, "places")) {
    uint32_t *where;
    cudaMalloc(&where, 4096 * 4);
    for (int grid : {4, 8, 16, 32, 49, 64, 128, number, 2 * number}) {
      places<<<grid, 128>>>(where);
      std::vector<uint32_t> host(grid);
      cudaMemcpy(host.data(), where, grid * 4, cudaMemcpyDeviceToHost);
      printf("grid %d:", grid);
      for (uint32_t at : host)
        printf(" %u", at);
      printf("\n");
    }
    constexpr int kPlaces = 24;
    unsigned *lines;
    float *cycles;
    cudaMalloc(&lines, kPlaces * 8192);
    cudaMemset(lines, 0, kPlaces * 8192);
    cudaMalloc(&cycles, number * kPlaces * 4);
    cudaMemset(ready, 0, 4);
    cudaFuncSetAttribute(distances, cudaFuncAttributeMaxDynamicSharedMemorySize, kAlone);
    distances<<<number, 32, kAlone>>>(lines, kPlaces, 32, ready, cycles);
    std::vector<float> host(number * kPlaces);
    cudaMemcpy(host.data(), cycles, host.size() * 4, cudaMemcpyDeviceToHost);
    for (int sm = 0; sm < number; ++sm) {
      printf("multiprocessor %d:", sm);
      for (int i = 0; i < kPlaces; ++i)
        printf(" %.0f", host[sm * kPlaces + i]);
      printf("\n");
    }
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
  }
  cudaFuncSetAttribute(together, cudaFuncAttributeMaxDynamicSharedMemorySize, kAlone);
  cudaDeviceSynchronize();
  cudaProfilerStart();
  auto launch = [&](const Group &group, const char *name) {
    cudaMemset(ready, 0, 4);
    together<<<number, 256, kAlone>>>(x, group, ready);
    cudaError_t status = cudaDeviceSynchronize();
    printf("row %s size %d skew %d warm %d:", name, group.size, group.skew, group.isWarm);
    for (int i = 0; i < group.size; ++i)
      printf(" %d", group.members[i]);
    printf(" %s\n", status ? cudaGetErrorString(status) : "");
    fflush(stdout);
  };
  if (!strcmp(what, "pairs")) {
    for (int other = 1; other < number; ++other)
      launch({2, 0, 0, {0, other}}, "pair");
    return 0;
  }
  for (int apart : {1, 2, 8, 16})
    for (int size : {2, 4, 8, 16})
      for (int warm : {0, 1})
        for (int skew : {0, 200, 800, 3200}) {
          if (size != 2 && skew == 200 || (size - 1) * apart >= number || (apart != 1 && size > 2 && skew))
            continue;
          Group group{size, skew, warm};
          for (int i = 0; i < size; ++i)
            group.members[i] = i * apart;
          launch(group, "skew");
        }
  return 0;
}
