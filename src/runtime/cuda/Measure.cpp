#include "runtime/cuda/Measure.h"

#include "runtime/cuda/Memory.h"

#include <algorithm>
#include <vector>

namespace nereid::cuda {

namespace {

runtime::Timings timingsOf(std::vector<double> times) {
  if (times.empty())
    return {};
  std::ranges::sort(times);
  auto at = [&](double share) {
    return times[static_cast<size_t>(share * static_cast<double>(times.size() - 1) + 0.5)];
  };
  return {times.front(), at(0.25), at(0.5), at(0.75), times.size()};
}

// One timed stretch of work in a stream.
Result<double> timed(Device &device, driver::Stream stream, const std::function<Result<void>()> &work) {
  Result<Event> start = Event::create(device), end = Event::create(device);
  if (!start || !end)
    return (start ? end : start).error();
  if (Result<void> done = start->record(stream); !done)
    return done.error();
  if (Result<void> done = work(); !done)
    return done.error();
  if (Result<void> done = end->record(stream); !done)
    return done.error();
  if (Result<void> done = end->wait(); !done)
    return done.error();
  return end->secondsSince(*start);
}

// How often something is run that takes so long.
size_t runsFor(double seconds, const runtime::MeasureOptions &options) {
  bool isHopeless = options.giveUpAbove > 0 && seconds > options.giveUpAbove;
  if (isHopeless)
    return 1;
  double runs = options.seconds / std::max(seconds, 1e-7);
  return static_cast<size_t>(
      std::clamp(runs, static_cast<double>(options.minRuns), static_cast<double>(options.maxRuns)));
}

class Sampler {
public:
  Sampler(Device &device, const LaunchInto &launch, const runtime::MeasureOptions &options, driver::Stream stream)
      : device(device), launch(launch), options(options), stream(stream) {}

  Result<runtime::Timings> run() {
    // The first launch may still load code; the second tells how long one takes.
    Result<double> once = Error{};
    for (int i = 0; i < 2; ++i)
      if (once = timed(device, stream, [&] { return launch(stream); }); !once)
        return once.error();
    return options.flush ? withEvents(*once) : withGraph(*once);
  }

private:
  Result<runtime::Timings> withEvents(double once) {
    // Twice the cache, so that nothing of the launch before is left. Overwriting it takes longer than putting the next
    // launch into the stream does: the GPU never waits for the host.
    size_t bytes = std::max<size_t>(2 * device.properties().l2Bytes, size_t(64) << 20);
    Result<Buffer> flush = Buffer::allocate(device, bytes, stream);
    if (!flush)
      return flush.error();
    std::vector<Event> starts, ends;
    size_t count = std::min<size_t>(runsFor(once, options), 1000);
    for (size_t i = 0; i < count; ++i) {
      Result<Event> start = Event::create(device), end = Event::create(device);
      if (!start || !end)
        return (start ? end : start).error();
      starts.push_back(std::move(*start)), ends.push_back(std::move(*end));
    }
    for (size_t i = 0; i < count; ++i) {
      Result<void> done = fill(device, flush->address(), static_cast<uint8_t>(i), bytes, stream);
      if (done)
        done = starts[i].record(stream);
      if (done)
        done = launch(stream);
      if (done)
        done = ends[i].record(stream);
      if (!done)
        return done.error();
    }
    if (Result<void> done = ends.back().wait(); !done)
      return done.error();
    std::vector<double> times;
    for (size_t i = 0; i < count; ++i) {
      Result<double> seconds = ends[i].secondsSince(starts[i]);
      if (!seconds)
        return seconds.error();
      times.push_back(*seconds);
    }
    return timingsOf(std::move(times));
  }

  Result<runtime::Timings> withGraph(double once) {
    constexpr double kGraphSeconds = 1e-3; // long against the time that starting a graph takes
    auto batch = static_cast<size_t>(std::clamp(kGraphSeconds / std::max(once, 1e-7), 1.0, 200.0));
    Result<Graph> graph = Graph::record(device, stream, [&]() -> Result<void> {
      for (size_t i = 0; i < batch; ++i)
        if (Result<void> done = launch(stream); !done)
          return done;
      return {};
    });
    if (!graph)
      return graph.error();
    std::vector<double> times;
    size_t count = std::min<size_t>(runsFor(once * static_cast<double>(batch), options), options.maxRuns);
    for (size_t i = 0; i < count + 1; ++i) {
      Result<double> seconds = timed(device, stream, [&] { return graph->launch(stream); });
      if (!seconds)
        return seconds.error();
      if (i > 0) // the first one brings the graph to the device
        times.push_back(*seconds / static_cast<double>(batch));
    }
    return timingsOf(std::move(times));
  }

  Device &device;
  const LaunchInto &launch;
  const runtime::MeasureOptions &options;
  driver::Stream stream;
};

// The shortest of some runs, straight in a stream: in a graph, copies go through the slower copy engine.
Result<double> shortest(Device &device, const LaunchInto &work) {
  constexpr int kRuns = 20;
  double best = 0;
  for (int i = 0; i < kRuns; ++i) {
    Result<double> seconds = timed(device, nullptr, [&] { return work(nullptr); });
    if (!seconds)
      return seconds.error();
    best = i == 0 ? *seconds : std::min(best, *seconds);
  }
  return best;
}

} // namespace

Result<runtime::Timings> measureLaunches(Device &device, const LaunchInto &launch,
                                         const runtime::MeasureOptions &options) {
  CurrentContext scope(device);
  Result<Stream> stream = Stream::create(device); // the default stream cannot be recorded
  if (!stream)
    return stream.error();
  return Sampler(device, launch, options, stream->handle()).run();
}

Result<runtime::Limits> measureLimits(Device &device) {
  size_t bytes = std::min<size_t>(size_t(1) << 30, device.properties().memoryBytes / 8);
  Result<Buffer> from = Buffer::allocate(device, bytes), to = Buffer::allocate(device, bytes);
  if (!from || !to)
    return (from ? to : from).error();
  auto copy = [&](driver::Stream stream) -> Result<void> {
    driver::Status status = device.call().copyOnDevice(to->address(), from->address(), bytes, stream);
    return status == driver::kSuccess ? Result<void>() : device.failed(status, "copying on the GPU");
  };
  if (Result<void> filled = fill(device, from->address(), 1, bytes, nullptr); !filled)
    return filled.error();
  auto clear = [&](driver::Stream stream) { return fill(device, to->address(), 1, bytes, stream); };
  Result<double> copied = shortest(device, copy), cleared = shortest(device, clear);
  if (!copied || !cleared)
    return (copied ? cleared : copied).error();
  // Writing alone may be faster than copying, and no kernel is faster than both.
  double moved = static_cast<double>(bytes);
  const Properties &facts = device.properties();
  return runtime::Limits{.copyBytes = std::max(2 * moved / *copied, moved / *cleared),
                         .fmaFlops = facts.tensorFlopsPerClock() * facts.multiprocessors * facts.clockGigahertz * 1e9};
}

} // namespace nereid::cuda
