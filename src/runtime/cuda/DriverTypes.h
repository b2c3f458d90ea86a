// DriverTypes.h: the few types and numbers of the CUDA driver's C interface that we use, as its manual gives them. No
// header of the toolkit is needed to build; unittest/runtime/CudaAbiTest.cpp holds them against it where there is one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nereid::cuda::driver {

using Device = int32_t;
using Address = uint64_t; // CUdeviceptr
using Context = struct OpaqueContext *;
using Module = struct OpaqueModule *;
using Function = struct OpaqueFunction *;
using Stream = struct OpaqueStream *;
using Event = struct OpaqueEvent *;
using Graph = struct OpaqueGraph *;
using GraphExec = struct OpaqueGraphExec *;
using MemoryPool = struct OpaqueMemoryPool *;

// CUresult: those that we tell apart.
enum Status : int32_t {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kDeinitialized = 4,
  kStubLibrary = 34,
  kDeviceUnavailable = 46,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kNoBinaryForGpu = 209,
  kEccUncorrectable = 214,
  kInvalidPtx = 218,
  kJitCompilerNotFound = 221,
  kUnsupportedPtxVersion = 222,
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kLaunchOutOfResources = 701,
  kLaunchTimeout = 702,
  kContextIsDestroyed = 709,
  kAssert = 710,
  kHostMemoryAlreadyRegistered = 712,
  kHardwareStackError = 714,
  kIllegalInstruction = 715,
  kMisalignedAddress = 716,
  kInvalidAddressSpace = 717,
  kInvalidPc = 718,
  kLaunchFailed = 719,
  kCooperativeLaunchTooLarge = 720,
  kNotPermitted = 800,
  kNotSupported = 801,
  kSystemNotReady = 802,
  kSystemDriverMismatch = 803,
  kStreamCaptureUnsupported = 900,
  kStreamCaptureInvalidated = 901,
  kStreamCaptureImplicit = 906,
  kUnknown = 999,
};

enum DeviceAttribute : int32_t {
  kMaxThreadsPerBlock = 1,
  kWarpSize = 10,
  kClockRate = 13, // kHz
  kMultiprocessorCount = 16,
  kMemoryClockRate = 36, // kHz
  kMemoryBusWidth = 37,  // bits
  kL2CacheSize = 38,
  kCapabilityMajor = 75,
  kCapabilityMinor = 76,
  kMaxSharedPerMultiprocessor = 81,
  kMaxSharedPerBlockOptin = 97,
  kMemoryPoolsSupported = 115,
};

enum FunctionAttribute : int32_t {
  kFunctionMaxThreads = 0,
  kFunctionSharedBytes = 1,
  kFunctionLocalBytes = 3,
  kFunctionRegisters = 4,
  kFunctionMaxDynamicShared = 8,
};

enum PointerAttribute : int32_t {
  kPointerMemoryType = 2,
  kPointerDevicePointer = 3,
  kPointerIsManaged = 8,
  kPointerRangeSize = 12,
};
enum MemoryType : int32_t { kMemoryHost = 1, kMemoryDevice = 2 };

enum JitOption : int32_t {
  kJitInfoLog = 3,
  kJitInfoLogBytes = 4,
  kJitErrorLog = 5,
  kJitErrorLogBytes = 6,
  kJitLogVerbose = 12,
  kJitLineInfo = 13,
};

enum HostAllocFlag : uint32_t { kHostPortable = 1, kHostMapped = 2 };
enum StreamFlag : uint32_t { kStreamNonBlocking = 1 };
enum EventFlag : uint32_t { kEventDefault = 0, kEventDisableTiming = 2 };
enum CaptureMode : int32_t { kCaptureThreadLocal = 1, kCaptureRelaxed = 2 };
enum CaptureStatus : int32_t { kNotCapturing = 0, kCapturing = 1, kCaptureInvalid = 2 };
enum PoolAttribute : int32_t { kPoolReleaseThreshold = 4 };

enum LaunchAttributeId : int32_t {
  kLaunchCooperative = 2,
  kLaunchProgrammaticSerialization = 6,
};
struct LaunchAttribute {
  int32_t id;
  int32_t padding;
  union {
    int32_t flag;
    uint32_t cluster[3];
    uint64_t bytes[8];
  } value;
};
struct LaunchConfig {
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t sharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  uint32_t attributeCount;
};

struct alignas(128) TensorMap { // 64 would do before CUDA 13
  uint64_t opaque[16];
};

struct PoolProperties {
  int32_t allocationType; // 1: pinned, the only one
  int32_t handleTypes;
  int32_t locationType; // 1: a device
  int32_t locationId;
  void *securityAttributes;
  size_t maxSize;
  uint16_t usage;
  uint8_t reserved[54];
};

} // namespace nereid::cuda::driver
