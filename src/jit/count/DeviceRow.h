// DeviceRow.h: what devices can do at most, from their makers' data sheets (without sparsity); for estimates where the
// device is not at hand.
#pragma once

#include "compiler/Target.h"
#include "nereid/result.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace nereid::jit {

struct DeviceRow {
  std::string name;   // "H200"
  std::string target; // what code for it is compiled for: "sm_90a", "cpu"
  uint32_t multiprocessors = 1;
  uint64_t cacheBytes = 0;      // L2; the last level of a CPU
  uint32_t firstCacheBytes = 0; // of a multiprocessor: L1 and shared memory together; 0: no L1 cache is modelled
  uint32_t cacheParts = 1;      // of the L2 cache, which serve a share of the multiprocessors each
  uint32_t fetchSectors = 1;    // of 32 bytes that memory gives at a time
  // In a second.
  double memoryBytes = 0;
  double fp16 = 0, fp32 = 0, fp64 = 0; // flops without tensor cores
  double tensorFp16 = 0, tensorTf32 = 0, tensorFp8 = 0, tensorInt8 = 0;
  // What programs share on one multiprocessor.
  uint32_t sharedBytes = 0, threads = 0, programs = 0, registers = 65536;
  bool isThisMachine = false; // its CPU, measured
};

std::span<const DeviceRow> deviceRows();
// The row of a name, whatever its case and blanks, of `more` first; "cpu" is this machine, measured. Fails with the names
// that there are.
Result<DeviceRow> findDeviceRow(const std::string &name, std::span<const DeviceRow> more = {});
// The one that is taken for a target when none is named.
std::string usualDeviceFor(const compiler::Target &target);

// Rows of a user's JSON file: a list of objects with the names of DeviceRow in snake_case ("memory_bytes_per_second", …).
Result<std::vector<DeviceRow>> readDeviceRows(const std::string &path);

} // namespace nereid::jit
