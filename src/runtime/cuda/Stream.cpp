#include "runtime/cuda/Stream.h"

namespace nereid::cuda {

static Result<void> checked(Device &device, driver::Status status, const char *what) {
  return status == driver::kSuccess ? Result<void>() : device.failed(status, what);
}

Result<Event> Event::create(Device &device, bool hasTime) {
  CurrentContext scope(device);
  driver::Event event = nullptr;
  driver::Status status =
      device.call().eventCreate(&event, hasTime ? driver::kEventDefault : driver::kEventDisableTiming);
  if (status != driver::kSuccess)
    return device.failed(status, "an event cannot be made");
  return Event(device, event);
}

Event::~Event() {
  if (!event || Driver::isForked())
    return;
  CurrentContext scope(*device);
  device->call().eventDestroy(event);
}

Result<void> Event::record(driver::Stream stream) {
  CurrentContext scope(*device);
  return checked(*device, device->call().eventRecord(event, stream), "an event cannot be recorded");
}

Result<void> Event::wait() {
  CurrentContext scope(*device);
  return checked(*device, device->call().eventSynchronize(event), "waiting for an event");
}

Result<bool> Event::isDone() {
  CurrentContext scope(*device);
  driver::Status status = device->call().eventQuery(event);
  if (status == driver::kNotReady)
    return false;
  if (status != driver::kSuccess)
    return device->failed(status, "asking for an event");
  return true;
}

Result<double> Event::secondsSince(const Event &start) {
  CurrentContext scope(*device);
  float milliseconds = 0;
  driver::Status status = device->call().eventElapsed(&milliseconds, start.event, event);
  if (status != driver::kSuccess)
    return device->failed(status, "the time between two events");
  return static_cast<double>(milliseconds) * 1e-3;
}

Result<Stream> Stream::create(Device &device) {
  CurrentContext scope(device);
  Result<driver::Stream> stream = device.streams().take(device);
  if (!stream)
    return stream.error();
  return Stream(device, *stream, true);
}

Stream::~Stream() {
  if (isOwned)
    (void)device->streams().give(stream);
}

Result<void> Stream::synchronize() {
  CurrentContext scope(*device);
  return checked(*device, device->call().streamSynchronize(stream), "waiting for a stream");
}

Result<void> Stream::wait(const Event &event) {
  CurrentContext scope(*device);
  return checked(*device, device->call().streamWaitEvent(stream, event.handle(), 0), "a stream cannot wait");
}

bool Stream::isCapturing() const {
  CurrentContext scope(*device);
  driver::CaptureStatus status = driver::kNotCapturing;
  return device->call().streamIsCapturing(stream, &status) == driver::kSuccess && status != driver::kNotCapturing;
}

Result<void> Graph::begin(Device &device, driver::Stream stream) {
  CurrentContext scope(device);
  return checked(device, device.call().streamBeginCapture(stream, driver::kCaptureThreadLocal),
                 "a graph cannot be recorded");
}

Result<Graph> Graph::end(Device &device, driver::Stream stream) {
  CurrentContext scope(device);
  const driver::Functions &call = device.call();
  Graph result(device);
  driver::Status status = call.streamEndCapture(stream, &result.graph);
  if (status == driver::kSuccess)
    status = call.graphInstantiate(&result.exec, result.graph, 0);
  if (status != driver::kSuccess)
    return device.failed(status, "a recorded graph cannot be used");
  return result;
}

Result<Graph> Graph::record(Device &device, driver::Stream stream, const std::function<Result<void>()> &work) {
  if (Result<void> begun = begin(device, stream); !begun)
    return begun.error();
  Result<void> done = work();
  Result<Graph> graph = end(device, stream); // also when the work failed: else the stream stays so
  return done ? std::move(graph) : Result<Graph>(done.error());
}

Graph::~Graph() {
  if (Driver::isForked())
    return;
  CurrentContext scope(*device);
  if (exec)
    device->call().graphExecDestroy(exec);
  if (graph)
    device->call().graphDestroy(graph);
}

Result<void> Graph::launch(driver::Stream stream) {
  CurrentContext scope(*device);
  return checked(*device, device->call().graphLaunch(exec, stream), "a graph cannot be launched");
}

} // namespace nereid::cuda
