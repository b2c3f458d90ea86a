// DriverFunctions.h: the driver's functions as pointers, filled from the loaded library.
#pragma once

#include "runtime/cuda/DriverTypes.h"

#include <string>

namespace nereid::cuda::driver {

struct Functions {
  Status (*init)(uint32_t flags);
  Status (*driverVersion)(int32_t *version);
  Status (*errorName)(Status, const char **text);
  Status (*errorText)(Status, const char **text);

  Status (*deviceCount)(int32_t *count);
  Status (*deviceGet)(Device *, int32_t ordinal);
  Status (*deviceName)(char *name, int32_t length, Device);
  Status (*deviceAttribute)(int32_t *value, DeviceAttribute, Device);
  Status (*deviceTotalMemory)(size_t *bytes, Device);
  Status (*primaryContextRetain)(Context *, Device);
  Status (*contextGetCurrent)(Context *);
  Status (*contextSetCurrent)(Context);
  Status (*contextPush)(Context);
  Status (*contextPop)(Context *);
  Status (*contextDevice)(Device *);
  Status (*contextSynchronize)();

  Status (*moduleLoad)(Module *, const void *image, uint32_t optionCount, JitOption *, void **values);
  Status (*moduleUnload)(Module);
  Status (*moduleFunction)(Function *, Module, const char *name);
  Status (*functionAttribute)(int32_t *value, FunctionAttribute, Function);
  Status (*functionSetAttribute)(Function, FunctionAttribute, int32_t value);

  Status (*launch)(Function, uint32_t gridX, uint32_t gridY, uint32_t gridZ, uint32_t blockX, uint32_t blockY,
                   uint32_t blockZ, uint32_t sharedBytes, Stream, void **parameters, void **extra);
  Status (*launchWith)(const LaunchConfig *, Function, void **parameters, void **extra);
  Status (*occupancy)(int32_t *blocks, Function, int32_t threads, size_t sharedBytes);
  // Null before CUDA 12.
  Status (*tensorMapEncode)(TensorMap *, int32_t elementType, uint32_t rank, void *base, const uint64_t *extents,
                            const uint64_t *strideBytes, const uint32_t *box, const uint32_t *elementStrides,
                            int32_t interleave, int32_t swizzle, int32_t l2Promotion, int32_t outside);

  Status (*memoryInfo)(size_t *freeBytes, size_t *totalBytes);
  Status (*memoryAlloc)(Address *, size_t bytes);
  Status (*memoryFree)(Address);
  Status (*memoryAllocFromPool)(Address *, size_t bytes, MemoryPool, Stream);
  Status (*memoryFreeAsync)(Address, Stream);
  Status (*poolCreate)(MemoryPool *, const PoolProperties *);
  Status (*poolDestroy)(MemoryPool);
  Status (*poolSetAttribute)(MemoryPool, PoolAttribute, void *value);
  Status (*poolTrim)(MemoryPool, size_t keepBytes);
  Status (*copyToDevice)(Address, const void *, size_t bytes, Stream);
  Status (*copyToHost)(void *, Address, size_t bytes, Stream);
  Status (*copyOnDevice)(Address to, Address from, size_t bytes, Stream);
  Status (*fillBytes)(Address, uint8_t value, size_t count, Stream);
  Status (*hostAlloc)(void **, size_t bytes, uint32_t flags);
  Status (*hostFree)(void *);
  Status (*hostRegister)(void *, size_t bytes, uint32_t flags);
  Status (*hostUnregister)(void *);
  Status (*pointerAttributes)(uint32_t count, PointerAttribute *, void **values, Address);

  Status (*streamCreate)(Stream *, uint32_t flags);
  Status (*streamSynchronize)(Stream);
  Status (*streamQuery)(Stream);
  Status (*streamWaitEvent)(Stream, Event, uint32_t flags);
  Status (*streamBeginCapture)(Stream, CaptureMode);
  Status (*streamEndCapture)(Stream, Graph *);
  Status (*streamIsCapturing)(Stream, CaptureStatus *);
  Status (*exchangeCaptureMode)(CaptureMode *); // of this thread
  Status (*eventCreate)(Event *, uint32_t flags);
  Status (*eventDestroy)(Event);
  Status (*eventRecord)(Event, Stream);
  Status (*eventSynchronize)(Event);
  Status (*eventQuery)(Event);
  Status (*eventElapsed)(float *milliseconds, Event start, Event end);
  Status (*graphInstantiate)(GraphExec *, Graph, uint64_t flags);
  Status (*graphLaunch)(GraphExec, Stream);
  Status (*graphDestroy)(Graph);
  Status (*graphExecDestroy)(GraphExec);
};

// The name of the first function that the library does not have; empty: it has all of them.
std::string fill(Functions &functions, void *library);

} // namespace nereid::cuda::driver
