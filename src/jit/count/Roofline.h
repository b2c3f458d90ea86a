// Roofline.h: the least time that a device needs for what was counted.
#pragma once

#include "interp/count/Counts.h"
#include "jit/count/DeviceRow.h"

namespace nereid::jit {

struct Roofline {
  // Seconds that each part of the device needs by itself.
  double memory = 0, tensorCores = 0, arithmetic = 0, specialFunctions = 0;
  double intensity = 0; // flops for each byte of memory; 0 where no byte moves

  double seconds() const;
  const char *bound() const; // "memory", "tensor cores", "arithmetic", "special functions"
};

Roofline rooflineOf(const interp::Counts &counts, const DeviceRow &device);

} // namespace nereid::jit
