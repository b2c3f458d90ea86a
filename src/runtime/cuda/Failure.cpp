#include "runtime/cuda/Failure.h"

namespace nereid::cuda {

bool isSticky(driver::Status status) {
  switch (status) {
  case driver::kEccUncorrectable:
  case driver::kIllegalAddress:
  case driver::kLaunchTimeout:
  case driver::kContextIsDestroyed:
  case driver::kAssert:
  case driver::kHardwareStackError:
  case driver::kIllegalInstruction:
  case driver::kMisalignedAddress:
  case driver::kInvalidAddressSpace:
  case driver::kInvalidPc:
  case driver::kLaunchFailed: return true;
  default: return false;
  }
}

std::string textOf(const driver::Functions &call, driver::Status status) {
  const char *name = nullptr, *text = nullptr;
  if (!call.errorName || call.errorName(status, &name) != driver::kSuccess || !name)
    return "error " + std::to_string(status) + " of the driver";
  if (call.errorText(status, &text) != driver::kSuccess || !text)
    text = "the driver has no words for it";
  return std::string(text) + " (" + name + ")";
}

std::string adviceOn(driver::Status status) {
  switch (status) {
  case driver::kStubLibrary:
    return "the library is the toolkit's stub for linking, not a driver: remove its folder from LD_LIBRARY_PATH";
  case driver::kDeviceUnavailable:
    return "another process uses the GPU exclusively, or it is in a bad state: see `nvidia-smi`";
  case driver::kSystemDriverMismatch:
    return "the library and the kernel module of the driver have different versions: restart the machine after an "
           "update";
  case driver::kSystemNotReady: return "the machine's fabric manager is not running";
  case driver::kInvalidContext: return "another part of this process has destroyed the CUDA context";
  case driver::kInvalidHandle:
    return "a stream, an event or a module of another device, or one that was freed, was given";
  case driver::kStreamCaptureUnsupported:
  case driver::kStreamCaptureImplicit:
    return "this is not possible while the stream records a CUDA graph: launch the kernel once before the recording";
  case driver::kUnsupportedPtxVersion:
    return "the driver is older than the PTX: update it, or set NEREID_PTXAS to the `ptxas` of a newer toolkit";
  case driver::kNoBinaryForGpu: return "the code was compiled for another kind of GPU";
  default: return "";
  }
}

Error failure(const driver::Functions &call, driver::Status status, const std::string &what) {
  std::string message = "error: " + what + ": " + textOf(call, status) + "\n";
  if (std::string advice = adviceOn(status); !advice.empty())
    message += "note: " + advice + "\n";
  return {driver::Status::kSuccess == status ? nereid::Status::Ok : nereid::Status::Environment, std::move(message)};
}

} // namespace nereid::cuda
