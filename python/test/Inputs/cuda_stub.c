/* cuda_stub.c: the CUDA driver's functions that ahead-of-time kernels call, for a machine without a GPU: each says what it was asked. */
#include <cuda.h>
#include <stdio.h>
#include <string.h>

static const char *names[64];
static unsigned count;
CUcontext stub_context = (CUcontext)1;
int stub_words; /* how many parameters of a launch to print */

CUresult cuInit(unsigned flags) { return CUDA_SUCCESS; }

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  *device = ordinal;
  return CUDA_SUCCESS;
}

/* Of a GPU with compute capability 8.6. */
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 8 : 6;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context) {
  *context = stub_context;
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  int isElf = !memcmp(image, "\177ELF", 4), isPtx = strstr(image, ".version") != 0;
  printf("load %s\n", isElf || isPtx ? "code" : "garbage");
  *module = (CUmodule)(uintptr_t)++count;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  names[(uintptr_t)module] = name;
  *function = (CUfunction)module;
  return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule module) {
  printf("unload %s\n", names[(uintptr_t)module]);
  return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
    printf("shared memory of %s\n", names[(uintptr_t)function]);
  return value > 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream) {
  printf("scratch %zu\n", bytes);
  *address = 0x5000;
  return CUDA_SUCCESS;
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) { return address == 0x5000 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address, const cuuint64_t *extents,
                                const cuuint64_t *stride_bytes, const cuuint32_t *box, const cuuint32_t *element_strides,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                CUtensorMapFloatOOBfill fill) {
  cuuint32_t i;
  printf("map type %d at %p swizzle %d:", (int)type, address, (int)swizzle);
  for (i = 0; i < rank; ++i)
    printf(" %llu/%u", (unsigned long long)extents[i], box[i]);
  for (i = 0; i + 1 < rank; ++i)
    printf(" stride %llu", (unsigned long long)stride_bytes[i]);
  printf("\n");
  memset(map, 0x77, sizeof *map);
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                        unsigned block_z, unsigned shared_bytes, CUstream stream, void **parameters, void **extra) {
  int i;
  printf("launch %s code %u grid %u %u %u block %u:", names[(uintptr_t)function], (unsigned)(uintptr_t)function, grid_x, grid_y, grid_z, block_x);
  for (i = 0; i < stub_words; ++i)
    printf(" %x", *(unsigned *)parameters[i]);
  printf("\n");
  return CUDA_SUCCESS;
}
