#include "jit/count/Roofline.h"

#include <algorithm>

namespace nereid::jit {

// What a device has no unit for runs on the next best one, which never is none.
static double secondsFor(uint64_t count, double rate, double otherwise) {
  double used = rate > 0 ? rate : otherwise;
  return used > 0 ? double(count) / used : 0;
}

Roofline rooflineOf(const interp::Counts &counts, const DeviceRow &device) {
  Roofline roofline;
  roofline.memory = secondsFor(counts.memoryBytes, device.memoryBytes, 0);
  double tensor16 = device.tensorFp16 > 0 ? device.tensorFp16 : device.fp32;
  roofline.tensorCores = secondsFor(counts.tensorFp16 + counts.tensorBf16, tensor16, 0) +
                         secondsFor(counts.tensorTf32, device.tensorTf32, device.fp32) +
                         secondsFor(counts.tensorFp8, device.tensorFp8, tensor16) +
                         secondsFor(counts.tensorInt8, device.tensorInt8, tensor16);
  // Half of the peak is that of fused products and sums; single operations take as long.
  roofline.arithmetic = secondsFor(counts.fp16Flops, device.fp16, device.fp32) +
                        secondsFor(counts.fp32Flops, device.fp32, 0) +
                        secondsFor(counts.fp64Flops, device.fp64, device.fp32);
  // A multiprocessor does 16 a clock beside 256 flops.
  roofline.specialFunctions = secondsFor(counts.specialFunctions, device.fp32 / 16, 0);
  roofline.intensity = counts.memoryBytes ? double(counts.flops) / double(counts.memoryBytes) : 0;
  return roofline;
}

double Roofline::seconds() const { return std::max({memory, tensorCores, arithmetic, specialFunctions}); }

const char *Roofline::bound() const {
  double most = seconds();
  return most == memory        ? "memory"
         : most == tensorCores ? "tensor cores"
         : most == arithmetic  ? "arithmetic"
                               : "special functions";
}

} // namespace nereid::jit
