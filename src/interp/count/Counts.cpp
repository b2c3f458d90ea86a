#include "interp/count/Counts.h"

namespace nereid::interp {

static constexpr CounterRow kCounters[] = {
    {"programs", &Counts::programs, ""},
    {"launches", &Counts::launches, ""},
    {"bytes_read", &Counts::bytesRead, "bytes"},
    {"bytes_written", &Counts::bytesWritten, "bytes"},
    {"unique_bytes_read", &Counts::uniqueBytesRead, "bytes"},
    {"unique_bytes_written", &Counts::uniqueBytesWritten, "bytes"},
    {"useful_bytes_read", &Counts::usefulBytesRead, "bytes"},
    {"useful_bytes_written", &Counts::usefulBytesWritten, "bytes"},
    {"masked_elements", &Counts::maskedElements, ""},
    {"flops", &Counts::flops, ""},
    {"fp16_flops", &Counts::fp16Flops, ""},
    {"fp32_flops", &Counts::fp32Flops, ""},
    {"fp64_flops", &Counts::fp64Flops, ""},
    {"tensor_flops", &Counts::tensorFlops, ""},
    {"tensor_flops_fp16", &Counts::tensorFp16, ""},
    {"tensor_flops_bf16", &Counts::tensorBf16, ""},
    {"tensor_flops_tf32", &Counts::tensorTf32, ""},
    {"tensor_flops_fp8", &Counts::tensorFp8, ""},
    {"tensor_flops_int8", &Counts::tensorInt8, ""},
    {"special_functions", &Counts::specialFunctions, ""},
    {"integer_operations", &Counts::integerOperations, ""},
    {"atomics", &Counts::atomics, ""},
    {"atomic_collisions", &Counts::atomicCollisions, ""},
    {"requests", &Counts::requests, ""},
    {"sectors", &Counts::sectors, ""},
    {"ideal_sectors", &Counts::idealSectors, ""},
    {"lines", &Counts::lines, ""},
    {"first_cache_hits", &Counts::firstCacheHits, ""},
    {"cache_sectors", &Counts::cacheSectors, ""},
    {"cache_hits", &Counts::cacheHits, ""},
    {"cache_misses", &Counts::cacheMisses, ""},
    {"memory_bytes_read", &Counts::memoryBytesRead, "bytes"},
    {"memory_bytes_written", &Counts::memoryBytesWritten, "bytes"},
    {"memory_bytes", &Counts::memoryBytes, "bytes"},
    {"tensor_instructions", &Counts::tensorInstructions, ""},
    {"fp32_instructions", &Counts::fp32Instructions, ""},
    {"barriers", &Counts::barriers, ""},
    {"bank_conflicts", &Counts::bankConflicts, ""},
    {"registers", &Counts::registers, ""},
    {"spill_bytes", &Counts::spillBytes, "bytes"},
    {"shared_bytes", &Counts::sharedBytes, "bytes"},
    {"code_bytes", &Counts::codeBytes, "bytes"},
};

std::span<const CounterRow> counters() { return kCounters; }

Counts &Counts::operator+=(const Counts &other) {
  for (const CounterRow &row : kCounters)
    this->*row.value += other.*row.value;
  return *this;
}

} // namespace nereid::interp
