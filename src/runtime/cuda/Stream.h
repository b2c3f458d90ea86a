// Stream.h: launches and copies in order on a GPU; events that mark a place in that order; recorded graphs of both.
#pragma once

#include "runtime/cuda/Device.h"

#include <functional>

namespace nereid::cuda {

class Event {
public:
  static Result<Event> create(Device &device, bool hasTime = true);
  Event(Event &&other) noexcept : device(other.device), event(std::exchange(other.event, nullptr)) {}
  ~Event();

  driver::Event handle() const { return event; }
  Result<void> record(driver::Stream stream);
  Result<void> wait();
  Result<bool> isDone();
  // Seconds from `start` to this one; both have been recorded and are done.
  Result<double> secondsSince(const Event &start);

private:
  Event(Device &device, driver::Event event) : device(&device), event(event) {}
  Device *device;
  driver::Event event;
};

// A stream of our own, or one that somebody else made (torch) and keeps.
class Stream {
public:
  static Result<Stream> create(Device &device);
  static Stream borrow(Device &device, driver::Stream handle) { return Stream(device, handle, false); }
  Stream(Stream &&other) noexcept
      : device(other.device), stream(std::exchange(other.stream, nullptr)),
        isOwned(std::exchange(other.isOwned, false)) {}
  ~Stream();

  driver::Stream handle() const { return stream; }
  Result<void> synchronize();
  Result<void> wait(const Event &event);
  // Whether what is launched now is recorded into a graph instead of run.
  bool isCapturing() const;

private:
  Stream(Device &device, driver::Stream stream, bool isOwned) : device(&device), stream(stream), isOwned(isOwned) {}
  Device *device;
  driver::Stream stream;
  bool isOwned;
};

// Launches recorded once, then run together at the cost of one.
class Graph {
public:
  // What `work` launches on the stream is recorded, not run.
  static Result<Graph> record(Device &device, driver::Stream stream, const std::function<Result<void>()> &work);
  // The same in two steps, both in one thread: after `begin` comes `end`, whatever happened between.
  static Result<void> begin(Device &device, driver::Stream stream);
  static Result<Graph> end(Device &device, driver::Stream stream);
  Graph(Graph &&other) noexcept
      : device(other.device), graph(std::exchange(other.graph, nullptr)), exec(std::exchange(other.exec, nullptr)) {}
  ~Graph();

  Result<void> launch(driver::Stream stream);
  Device &owner() const { return *device; }

private:
  explicit Graph(Device &device) : device(&device) {}
  Device *device;
  driver::Graph graph = nullptr;
  driver::GraphExec exec = nullptr;
};

} // namespace nereid::cuda
