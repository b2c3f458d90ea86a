// The driver's types and numbers as we declare them, against the toolkit's own header where this machine has one.
#include "runtime/cuda/Artifact.h"
#include "runtime/cuda/DriverTypes.h"

#include <gtest/gtest.h>

#if __has_include(<cuda.h>)
#include <cuda.h>

namespace nereid::cuda::driver {

static_assert(sizeof(LaunchAttribute) == sizeof(CUlaunchAttribute) && sizeof(LaunchConfig) == sizeof(CUlaunchConfig));
static_assert(offsetof(LaunchAttribute, value) == offsetof(CUlaunchAttribute, value));
static_assert(offsetof(LaunchConfig, stream) == offsetof(CUlaunchConfig, hStream));
static_assert(offsetof(LaunchConfig, attributeCount) == offsetof(CUlaunchConfig, numAttrs));
static_assert(sizeof(TensorMap) == sizeof(CUtensorMap) && alignof(TensorMap) >= alignof(CUtensorMap));
static_assert(sizeof(PoolProperties) == sizeof(CUmemPoolProps));
static_assert(offsetof(PoolProperties, locationType) == offsetof(CUmemPoolProps, location));
static_assert(offsetof(PoolProperties, maxSize) == offsetof(CUmemPoolProps, maxSize));

TEST(CudaAbi, NumbersAreTheToolkits) {
  EXPECT_EQ(int(kMaxSharedPerBlockOptin), int(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  EXPECT_EQ(int(kMaxSharedPerMultiprocessor), int(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR));
  EXPECT_EQ(int(kCapabilityMajor), int(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
  EXPECT_EQ(int(kCapabilityMinor), int(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  EXPECT_EQ(int(kMultiprocessorCount), int(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  EXPECT_EQ(int(kMaxThreadsPerBlock), int(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
  EXPECT_EQ(int(kWarpSize), int(CU_DEVICE_ATTRIBUTE_WARP_SIZE));
  EXPECT_EQ(int(kL2CacheSize), int(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
  EXPECT_EQ(int(kClockRate), int(CU_DEVICE_ATTRIBUTE_CLOCK_RATE));
  EXPECT_EQ(int(kMemoryClockRate), int(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE));
  EXPECT_EQ(int(kMemoryBusWidth), int(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH));
  EXPECT_EQ(int(kMemoryPoolsSupported), int(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED));
  EXPECT_EQ(int(kFunctionMaxThreads), int(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
  EXPECT_EQ(int(kFunctionSharedBytes), int(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
  EXPECT_EQ(int(kFunctionLocalBytes), int(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
  EXPECT_EQ(int(kFunctionRegisters), int(CU_FUNC_ATTRIBUTE_NUM_REGS));
  EXPECT_EQ(int(kFunctionMaxDynamicShared), int(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES));
  EXPECT_EQ(int(kPointerMemoryType), int(CU_POINTER_ATTRIBUTE_MEMORY_TYPE));
  EXPECT_EQ(int(kPointerIsManaged), int(CU_POINTER_ATTRIBUTE_IS_MANAGED));
  EXPECT_EQ(int(kPointerDevicePointer), int(CU_POINTER_ATTRIBUTE_DEVICE_POINTER));
  EXPECT_EQ(int(kPointerRangeSize), int(CU_POINTER_ATTRIBUTE_RANGE_SIZE));
  EXPECT_EQ(int(kMemoryHost), int(CU_MEMORYTYPE_HOST));
  EXPECT_EQ(int(kMemoryDevice), int(CU_MEMORYTYPE_DEVICE));
  EXPECT_EQ(int(kJitErrorLog), int(CU_JIT_ERROR_LOG_BUFFER));
  EXPECT_EQ(int(kJitErrorLogBytes), int(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES));
  EXPECT_EQ(int(kJitInfoLog), int(CU_JIT_INFO_LOG_BUFFER));
  EXPECT_EQ(int(kJitInfoLogBytes), int(CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES));
  EXPECT_EQ(int(kJitLogVerbose), int(CU_JIT_LOG_VERBOSE));
  EXPECT_EQ(int(kJitLineInfo), int(CU_JIT_GENERATE_LINE_INFO));
  EXPECT_EQ(int(kHostPortable), int(CU_MEMHOSTALLOC_PORTABLE));
  EXPECT_EQ(int(kHostMapped), int(CU_MEMHOSTALLOC_DEVICEMAP));
  EXPECT_EQ(int(kStreamNonBlocking), int(CU_STREAM_NON_BLOCKING));
  EXPECT_EQ(int(kEventDisableTiming), int(CU_EVENT_DISABLE_TIMING));
  EXPECT_EQ(int(kCaptureThreadLocal), int(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  EXPECT_EQ(int(kCaptureRelaxed), int(CU_STREAM_CAPTURE_MODE_RELAXED));
  EXPECT_EQ(int(kCapturing), int(CU_STREAM_CAPTURE_STATUS_ACTIVE));
  EXPECT_EQ(int(kPoolReleaseThreshold), int(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD));
  EXPECT_EQ(int(kLaunchCooperative), int(CU_LAUNCH_ATTRIBUTE_COOPERATIVE));
  EXPECT_EQ(int(kLaunchProgrammaticSerialization), int(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION));
}

TEST(CudaAbi, ErrorsAreTheToolkits) {
  EXPECT_EQ(int(kOutOfMemory), int(CUDA_ERROR_OUT_OF_MEMORY));
  EXPECT_EQ(int(kNoDevice), int(CUDA_ERROR_NO_DEVICE));
  EXPECT_EQ(int(kStubLibrary), int(CUDA_ERROR_STUB_LIBRARY));
  EXPECT_EQ(int(kInvalidImage), int(CUDA_ERROR_INVALID_IMAGE));
  EXPECT_EQ(int(kInvalidPtx), int(CUDA_ERROR_INVALID_PTX));
  EXPECT_EQ(int(kUnsupportedPtxVersion), int(CUDA_ERROR_UNSUPPORTED_PTX_VERSION));
  EXPECT_EQ(int(kInvalidHandle), int(CUDA_ERROR_INVALID_HANDLE));
  EXPECT_EQ(int(kNotReady), int(CUDA_ERROR_NOT_READY));
  EXPECT_EQ(int(kIllegalAddress), int(CUDA_ERROR_ILLEGAL_ADDRESS));
  EXPECT_EQ(int(kLaunchOutOfResources), int(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES));
  EXPECT_EQ(int(kMisalignedAddress), int(CUDA_ERROR_MISALIGNED_ADDRESS));
  EXPECT_EQ(int(kIllegalInstruction), int(CUDA_ERROR_ILLEGAL_INSTRUCTION));
  EXPECT_EQ(int(kLaunchFailed), int(CUDA_ERROR_LAUNCH_FAILED));
  EXPECT_EQ(int(kCooperativeLaunchTooLarge), int(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE));
  EXPECT_EQ(int(kStreamCaptureUnsupported), int(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED));
}

TEST(CudaAbi, TensorMapsAreTheToolkits) {
  using Element = cuda::TensorMap::Element;
  EXPECT_EQ(int(Element::U8), int(CU_TENSOR_MAP_DATA_TYPE_UINT8));
  EXPECT_EQ(int(Element::F16), int(CU_TENSOR_MAP_DATA_TYPE_FLOAT16));
  EXPECT_EQ(int(Element::F32), int(CU_TENSOR_MAP_DATA_TYPE_FLOAT32));
  EXPECT_EQ(int(Element::BF16), int(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16));
  EXPECT_EQ(int(cuda::TensorMap::Swizzle::Bytes128), int(CU_TENSOR_MAP_SWIZZLE_128B));
  EXPECT_EQ(2, int(CU_TENSOR_MAP_L2_PROMOTION_L2_128B));
  EXPECT_EQ(1, int(CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA));
}

} // namespace nereid::cuda::driver
#endif
