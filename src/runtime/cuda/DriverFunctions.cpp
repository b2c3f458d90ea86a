#include "runtime/cuda/DriverFunctions.h"

#include <dlfcn.h>

namespace nereid::cuda::driver {

namespace {

class Binder {
public:
  explicit Binder(void *library) : library(library) {}
  // The driver keeps every old form of a function under its old name: the suffix names the one declared here.
  template <class F> void operator()(F *&member, const char *name) {
    member = reinterpret_cast<F *>(dlsym(library, name));
    if (!member && missing.empty())
      missing = name;
  }
  // One that kernels can do without.
  template <class F> void optional(F *&member, const char *name) {
    member = reinterpret_cast<F *>(dlsym(library, name));
  }
  std::string missing;

private:
  void *library;
};

void fillDevices(Functions &f, Binder &bind) {
  bind(f.init, "cuInit");
  bind(f.driverVersion, "cuDriverGetVersion");
  bind(f.errorName, "cuGetErrorName");
  bind(f.errorText, "cuGetErrorString");
  bind(f.deviceCount, "cuDeviceGetCount");
  bind(f.deviceGet, "cuDeviceGet");
  bind(f.deviceName, "cuDeviceGetName");
  bind(f.deviceAttribute, "cuDeviceGetAttribute");
  bind(f.deviceTotalMemory, "cuDeviceTotalMem_v2");
  bind(f.primaryContextRetain, "cuDevicePrimaryCtxRetain");
  bind(f.contextGetCurrent, "cuCtxGetCurrent");
  bind(f.contextSetCurrent, "cuCtxSetCurrent");
  bind(f.contextPush, "cuCtxPushCurrent_v2");
  bind(f.contextPop, "cuCtxPopCurrent_v2");
  bind(f.contextDevice, "cuCtxGetDevice");
  bind(f.contextSynchronize, "cuCtxSynchronize");
}

void fillCode(Functions &f, Binder &bind) {
  bind(f.moduleLoad, "cuModuleLoadDataEx");
  bind(f.moduleUnload, "cuModuleUnload");
  bind(f.moduleFunction, "cuModuleGetFunction");
  bind(f.functionAttribute, "cuFuncGetAttribute");
  bind(f.functionSetAttribute, "cuFuncSetAttribute");
  bind(f.launch, "cuLaunchKernel");
  bind(f.launchWith, "cuLaunchKernelEx");
  bind(f.occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  bind.optional(f.tensorMapEncode, "cuTensorMapEncodeTiled");
}

void fillMemory(Functions &f, Binder &bind) {
  bind(f.memoryInfo, "cuMemGetInfo_v2");
  bind(f.memoryAlloc, "cuMemAlloc_v2");
  bind(f.memoryFree, "cuMemFree_v2");
  bind(f.memoryAllocFromPool, "cuMemAllocFromPoolAsync");
  bind(f.memoryFreeAsync, "cuMemFreeAsync");
  bind(f.poolCreate, "cuMemPoolCreate");
  bind(f.poolDestroy, "cuMemPoolDestroy");
  bind(f.poolSetAttribute, "cuMemPoolSetAttribute");
  bind(f.poolTrim, "cuMemPoolTrimTo");
  bind(f.copyToDevice, "cuMemcpyHtoDAsync_v2");
  bind(f.copyToHost, "cuMemcpyDtoHAsync_v2");
  bind(f.copyOnDevice, "cuMemcpyDtoDAsync_v2");
  bind(f.fillBytes, "cuMemsetD8Async");
  bind(f.hostAlloc, "cuMemHostAlloc");
  bind(f.hostFree, "cuMemFreeHost");
  bind(f.hostRegister, "cuMemHostRegister_v2");
  bind(f.hostUnregister, "cuMemHostUnregister");
  bind(f.pointerAttributes, "cuPointerGetAttributes");
}

void fillStreams(Functions &f, Binder &bind) {
  bind(f.streamCreate, "cuStreamCreate");
  bind(f.streamSynchronize, "cuStreamSynchronize");
  bind(f.streamQuery, "cuStreamQuery");
  bind(f.streamWaitEvent, "cuStreamWaitEvent");
  bind(f.streamBeginCapture, "cuStreamBeginCapture_v2");
  bind(f.streamEndCapture, "cuStreamEndCapture");
  bind(f.streamIsCapturing, "cuStreamIsCapturing");
  bind(f.exchangeCaptureMode, "cuThreadExchangeStreamCaptureMode");
  bind(f.eventCreate, "cuEventCreate");
  bind(f.eventDestroy, "cuEventDestroy_v2");
  bind(f.eventRecord, "cuEventRecord");
  bind(f.eventSynchronize, "cuEventSynchronize");
  bind(f.eventQuery, "cuEventQuery");
  bind(f.eventElapsed, "cuEventElapsedTime");
  bind(f.graphInstantiate, "cuGraphInstantiateWithFlags");
  bind(f.graphLaunch, "cuGraphLaunch");
  bind(f.graphDestroy, "cuGraphDestroy");
  bind(f.graphExecDestroy, "cuGraphExecDestroy");
}

} // namespace

std::string fill(Functions &functions, void *library) {
  Binder bind(library);
  fillDevices(functions, bind);
  fillCode(functions, bind);
  fillMemory(functions, bind);
  fillStreams(functions, bind);
  return bind.missing;
}

} // namespace nereid::cuda::driver
