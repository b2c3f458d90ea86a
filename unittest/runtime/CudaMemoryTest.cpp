// Memory, streams, events and graphs.
#include "FakeDriver.h"

#include "runtime/cuda/Stream.h"

#include <numeric>

namespace nereid::cuda {

class CudaMemory : public FakeDriverTest {};

TEST_F(CudaMemory, RoundTrip) {
  std::vector<uint8_t> values(1000), back(1000);
  std::iota(values.begin(), values.end(), uint8_t(0));
  {
    Result<Buffer> buffer = Buffer::allocate(*device, 1000);
    ASSERT_TRUE(buffer);
    EXPECT_EQ(buffer->address() % 256, 0u);
    ASSERT_TRUE(copyToDevice(*device, buffer->address(), std::as_bytes(std::span(values)), nullptr));
    ASSERT_TRUE(copyToHost(*device, std::as_writable_bytes(std::span(back)), buffer->address(), nullptr));
    EXPECT_EQ(values, back);
    ASSERT_TRUE(fill(*device, buffer->address(), 7, 10, nullptr));
    ASSERT_TRUE(copyToHost(*device, std::as_writable_bytes(std::span(back)), buffer->address(), nullptr));
    EXPECT_EQ(back[9], 7);
    EXPECT_EQ(back[10], 10);
    EXPECT_GT(fake.allocated, 0u);
  }
  EXPECT_EQ(fake.allocated, 0u);
}

TEST_F(CudaMemory, WithoutPools) {
  fake.hasPools = false;
  auto other = Driver::load(NEREID_FAKE_CUDA);
  Result<Device *> plain = (*other)->device(0);
  ASSERT_TRUE(Buffer::allocate(**plain, 64));
  EXPECT_EQ(fake.calls["cuMemAlloc_v2"], 1);
  EXPECT_EQ(fake.calls["cuMemFree_v2"], 1);
}

TEST_F(CudaMemory, OutOfMemorySaysHowMuch) {
  fake.memoryBytes = size_t(64) << 20;
  Result<Buffer> buffer = Buffer::allocate(*device, size_t(100) << 20);
  ASSERT_FALSE(buffer);
  EXPECT_EQ(buffer.error().status, Status::Environment);
  expectContains(buffer.error().message, "out of memory on GPU 0: 100 MiB were asked for, 64 MiB of 64 MiB are free");
  EXPECT_EQ(fake.calls["cuMemPoolTrimTo"], 1);  // it was tried once more
  EXPECT_TRUE(Buffer::allocate(*device, 1000)); // and the process goes on
}

TEST_F(CudaMemory, WhereAnAddressPoints) {
  int onHost = 0;
  Result<Buffer> buffer = Buffer::allocate(*device, 64);
  Result<HostBuffer> pinned = HostBuffer::allocate(*device, 64);
  EXPECT_EQ(memoryKindOf(*device, &onHost), MemoryKind::Host);
  EXPECT_EQ(memoryKindOf(*device, reinterpret_cast<void *>(buffer->address())), MemoryKind::Device);
  EXPECT_EQ(memoryKindOf(*device, pinned->data()), MemoryKind::Shared);
  fake.sharesPages = true;
  EXPECT_EQ(memoryKindOf(*device, &onHost), MemoryKind::Host);
  int asked = fake.calls["cuPointerGetAttributes"];
  EXPECT_EQ(memoryKindOf(*device, reinterpret_cast<void *>(buffer->address() + 8)), MemoryKind::Device);
  EXPECT_EQ(fake.calls["cuPointerGetAttributes"], asked); // remembered
}

TEST_F(CudaMemory, EventsMeasure) {
  Result<Stream> stream = Stream::create(*device);
  Result<Event> start = Event::create(*device), end = Event::create(*device);
  EXPECT_FALSE(*start->isDone());
  ASSERT_TRUE(start->record(stream->handle()));
  ASSERT_TRUE(end->record(stream->handle()));
  ASSERT_TRUE(end->wait());
  ASSERT_TRUE(stream->wait(*end));
  EXPECT_GE(*end->secondsSince(*start), 0);
  EXPECT_TRUE(*end->isDone());
}

TEST_F(CudaMemory, AFreedStreamIsTheNextOnceItIsIdle) {
  CurrentContext scope(*device);
  StreamPool &streams = device->streams();
  driver::Stream first = *streams.take(*device);
  EXPECT_FALSE(streams.isFree(first));
  ASSERT_TRUE(streams.give(first));
  EXPECT_TRUE(streams.isFree(first));
  fake.failures["cuStreamQuery"] = {0, driver::kNotReady};
  driver::Stream second = *streams.take(*device);
  EXPECT_NE(first, second);
  fake.failures.clear();
  EXPECT_EQ(*streams.take(*device), first);
  EXPECT_FALSE(streams.isFree(first));
}

TEST_F(CudaMemory, StreamsAreFreedOnce) {
  CurrentContext scope(*device);
  driver::Stream stream = *device->streams().take(*device);
  ASSERT_TRUE(device->streams().give(stream));
  EXPECT_EQ(device->streams().give(stream).error().message, "error: a stream cannot be freed: it was freed before\n");
  EXPECT_EQ(device->streams().give(nullptr).error().message,
            "error: a stream cannot be freed: somebody else made it\n");
}

TEST_F(CudaMemory, AGraphRunsWhatItRecorded) {
  Result<Stream> stream = Stream::create(*device);
  Result<Buffer> buffer = Buffer::allocate(*device, 4);
  ASSERT_TRUE(fill(*device, buffer->address(), 1, 4, stream->handle()));
  auto work = [&]() -> Result<void> {
    EXPECT_TRUE(stream->isCapturing());
    Result<Buffer> scratch = Buffer::allocate(*device, 64, stream->handle()); // legal while recording
    if (!scratch)
      return scratch.error();
    return fill(*device, buffer->address(), 5, 4, stream->handle());
  };
  Result<Graph> graph = Graph::record(*device, stream->handle(), work);
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_FALSE(stream->isCapturing());
  uint8_t values[4];
  ASSERT_TRUE(copyToHost(*device, std::as_writable_bytes(std::span(values)), buffer->address(), nullptr));
  EXPECT_EQ(values[0], 1);
  ASSERT_TRUE(graph->launch(stream->handle()));
  ASSERT_TRUE(copyToHost(*device, std::as_writable_bytes(std::span(values)), buffer->address(), nullptr));
  EXPECT_EQ(values[3], 5);
}

TEST_F(CudaMemory, AFailureWhileRecordingEndsTheRecording) {
  Result<Stream> stream = Stream::create(*device);
  Result<Graph> graph =
      Graph::record(*device, stream->handle(), [] { return Result<void>(Error{Status::BadInput, "no\n"}); });
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().message, "no\n");
  EXPECT_FALSE(stream->isCapturing());
  Result<Graph> onDefault = Graph::record(*device, nullptr, [] { return Result<void>(); });
  ASSERT_FALSE(onDefault);
  expectContains(onDefault.error().message, "a graph cannot be recorded");
}

} // namespace nereid::cuda
