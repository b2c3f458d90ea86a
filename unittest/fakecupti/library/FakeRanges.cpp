// FakeRanges.cpp: CUPTI's range profiler without a GPU: the n-th metric of a kernel is 100 + n. Every structure begins with its size and a null
// pointer; those sizes are the real ones.
#include "FakeCupti.h"

#include <cstddef>
#include <cstring>

namespace {

// The word at this place of a structure.
template <class T> T &at(void *structure, size_t offset) {
  return *reinterpret_cast<T *>(static_cast<char *>(structure) + offset);
}

int check(void *structure, size_t size) {
  nereid::fake::CuptiControl &control = *nereidFakeCupti();
  if (control.rangeRefusal)
    return control.rangeRefusal;
  return at<size_t>(structure, 0) == size && !at<void *>(structure, 8) ? 0 : 1;
}

bool isCounting = false;
size_t seen = 0;

} // namespace

extern "C" {

int cuptiProfilerInitialize(void *p) { return check(p, 16); }
int cuptiDeviceGetChipName(void *p) {
  at<const char *>(p, 24) = "GH100";
  return check(p, 32);
}
int cuptiProfilerGetCounterAvailability(void *p) {
  if (!at<void *>(p, 32))
    at<size_t>(p, 24) = 8;
  return check(p, 40);
}
int cuptiProfilerHostInitialize(void *p) {
  at<void *>(p, 40) = &isCounting;
  return std::strcmp(at<const char *>(p, 24), "GH100") ? 1 : check(p, 48);
}
int cuptiProfilerHostDeinitialize(void *p) { return check(p, 24); }
int cuptiProfilerHostConfigAddMetrics(void *p) { return at<size_t>(p, 32) < 10 ? 1 : check(p, 40); }
int cuptiProfilerHostGetConfigImageSize(void *p) {
  at<size_t>(p, 24) = 16;
  return check(p, 32);
}
int cuptiProfilerHostGetConfigImage(void *p) { return check(p, 40); }
int cuptiRangeProfilerEnable(void *p) {
  at<void *>(p, 24) = &seen;
  return check(p, 32);
}
int cuptiRangeProfilerDisable(void *p) { return check(p, 24); }
int cuptiRangeProfilerGetCounterDataSize(void *p) {
  at<size_t>(p, 56) = 32;
  return check(p, 64);
}
int cuptiRangeProfilerCounterDataImageInitialize(void *p) {
  seen = 0;
  return check(p, 40);
}
int cuptiRangeProfilerSetConfig(void *p) {
  bool isAutomatic = at<uint32_t>(p, 56) == 1 && at<uint32_t>(p, 60) == 2;
  return isAutomatic ? check(p, 90) : 1;
}
int cuptiRangeProfilerStart(void *p) {
  isCounting = true;
  return check(p, 24);
}
int cuptiRangeProfilerStop(void *p) {
  isCounting = false, seen = 1;
  at<uint8_t>(p, 40) = 1;
  return check(p, 41);
}
int cuptiRangeProfilerDecodeData(void *p) { return check(p, 32); }
int cuptiRangeProfilerGetCounterDataInfo(void *p) {
  at<size_t>(p, 32) = seen;
  return check(p, 40);
}
int cuptiProfilerHostEvaluateToGpuValues(void *p) {
  for (size_t i = 0; i < at<size_t>(p, 56); ++i)
    at<double *>(p, 64)[i] = 100.0 + double(i);
  return check(p, 72);
}

} // extern "C"
