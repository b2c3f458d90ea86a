// FakeStream.cpp: streams, events, graphs and copies of the fake driver. Everything is done when it is asked for.
#include "FakeCuda.h"

#include <chrono>
#include <cstring>
#include <memory>

using namespace nereid::fake;
using namespace nereid::cuda::driver;

namespace {

using Work = std::vector<std::function<Status()>>;

struct State {
  std::mutex mutex;
  uintptr_t next = 0x100;
  std::set<void *> streams{nullptr};
  std::map<void *, std::shared_ptr<Work>> captures;
  std::map<void *, std::shared_ptr<Work>> graphs;
  std::map<void *, std::chrono::steady_clock::time_point> events;
};
State &state() {
  static auto *instance = new State;
  return *instance;
}
void *newHandle() { return reinterpret_cast<void *>(state().next += 0x10); }

} // namespace

Status nereid::fake::performOn(void *stream, std::function<Status()> work) {
  {
    std::lock_guard lock(state().mutex);
    if (!state().streams.contains(stream))
      return kInvalidHandle;
    if (auto found = state().captures.find(stream); found != state().captures.end())
      return found->second->push_back(std::move(work)), kSuccess;
  }
  return work();
}

#pragma GCC visibility push(default)
extern "C" {

Status cuStreamCreate(Stream *stream, uint32_t) {
  if (Status status = control().enter("cuStreamCreate"))
    return status;
  std::lock_guard lock(state().mutex);
  *stream = static_cast<Stream>(newHandle());
  state().streams.insert(*stream);
  return kSuccess;
}
Status cuStreamSynchronize(Stream stream) {
  if (Status status = control().enter("cuStreamSynchronize"))
    return status;
  std::lock_guard lock(state().mutex);
  if (state().captures.contains(stream))
    return kStreamCaptureUnsupported;
  return state().streams.contains(stream) ? kSuccess : kInvalidHandle;
}
Status cuCtxSynchronize() { return control().enter("cuCtxSynchronize"); }
Status cuStreamQuery(Stream) { return control().enter("cuStreamQuery"); }
Status cuStreamWaitEvent(Stream, Event, uint32_t) { return control().enter("cuStreamWaitEvent"); }

Status cuStreamBeginCapture_v2(Stream stream, CaptureMode) {
  if (Status status = control().enter("cuStreamBeginCapture_v2"))
    return status;
  std::lock_guard lock(state().mutex);
  if (!stream) // the default stream cannot be recorded
    return kStreamCaptureUnsupported;
  state().captures[stream] = std::make_shared<Work>();
  return kSuccess;
}
Status cuStreamEndCapture(Stream stream, Graph *graph) {
  if (Status status = control().enter("cuStreamEndCapture"))
    return status;
  std::lock_guard lock(state().mutex);
  *graph = static_cast<Graph>(newHandle());
  state().graphs[*graph] = state().captures[stream];
  state().captures.erase(stream);
  return kSuccess;
}
Status cuStreamIsCapturing(Stream stream, CaptureStatus *status) {
  std::lock_guard lock(state().mutex);
  *status = state().captures.contains(stream) ? kCapturing : kNotCapturing;
  return kSuccess;
}
Status cuThreadExchangeStreamCaptureMode(CaptureMode *) { return control().enter("cuThreadExchangeStreamCaptureMode"); }
Status cuGraphInstantiateWithFlags(GraphExec *exec, Graph graph, uint64_t) {
  if (Status status = control().enter("cuGraphInstantiateWithFlags"))
    return status;
  std::lock_guard lock(state().mutex);
  *exec = static_cast<GraphExec>(newHandle());
  state().graphs[*exec] = state().graphs[graph];
  return kSuccess;
}
Status cuGraphLaunch(GraphExec exec, Stream) {
  if (Status status = control().enter("cuGraphLaunch"))
    return status;
  std::shared_ptr<Work> work;
  {
    std::lock_guard lock(state().mutex);
    work = state().graphs[exec];
  }
  for (const auto &each : *work)
    if (Status status = each())
      return status;
  return kSuccess;
}
Status cuGraphDestroy(Graph) { return control().enter("cuGraphDestroy"); }
Status cuGraphExecDestroy(GraphExec) { return control().enter("cuGraphExecDestroy"); }

Status cuEventCreate(Event *event, uint32_t) {
  if (Status status = control().enter("cuEventCreate"))
    return status;
  std::lock_guard lock(state().mutex);
  *event = static_cast<Event>(newHandle());
  return kSuccess;
}
Status cuEventDestroy_v2(Event) { return control().enter("cuEventDestroy_v2"); }
Status cuEventRecord(Event event, Stream) {
  std::lock_guard lock(state().mutex);
  state().events[event] = std::chrono::steady_clock::now();
  return control().enter("cuEventRecord");
}
Status cuEventSynchronize(Event) { return control().enter("cuEventSynchronize"); }
Status cuEventQuery(Event event) {
  std::lock_guard lock(state().mutex);
  return state().events.contains(event) ? control().enter("cuEventQuery") : kNotReady;
}
Status cuEventElapsedTime(float *milliseconds, Event start, Event end) {
  std::lock_guard lock(state().mutex);
  *milliseconds = std::chrono::duration<float, std::milli>(state().events[end] - state().events[start]).count();
  return control().enter("cuEventElapsedTime");
}

Status cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t bytes, Stream stream) {
  if (Status status = control().enter("cuMemcpyHtoDAsync_v2"))
    return status;
  if (!isDeviceAddress(to) || isDeviceAddress(reinterpret_cast<uint64_t>(from)))
    return kInvalidValue;
  return performOn(stream, [=] { return std::memcpy(reinterpret_cast<void *>(to), from, bytes), kSuccess; });
}
Status cuMemcpyDtoHAsync_v2(void *to, Address from, size_t bytes, Stream stream) {
  if (Status status = control().enter("cuMemcpyDtoHAsync_v2"))
    return status;
  if (!isDeviceAddress(from))
    return kInvalidValue;
  return performOn(stream, [=] { return std::memcpy(to, reinterpret_cast<void *>(from), bytes), kSuccess; });
}
Status cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, Stream stream) {
  if (Status status = control().enter("cuMemcpyDtoDAsync_v2"))
    return status;
  return performOn(stream, [=] {
    return std::memmove(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from), bytes), kSuccess;
  });
}
Status cuMemsetD8Async(Address to, uint8_t value, size_t count, Stream stream) {
  if (Status status = control().enter("cuMemsetD8Async"))
    return status;
  return performOn(stream, [=] { return std::memset(reinterpret_cast<void *>(to), value, count), kSuccess; });
}

} // extern "C"
#pragma GCC visibility pop
