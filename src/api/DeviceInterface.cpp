// DeviceInterface.cpp: the functions of nereid.h about GPUs: what there is, their memory, their streams, recorded graphs.
#include "api/LastError.h"
#include "jit/Backend.h"
#include "jit/CudaDevice.h"
#include "runtime/cuda/Stream.h"

#include <algorithm>
#include <cstring>

struct nereid_graph {
  nereid::cuda::Graph graph;
};

using namespace nereid;
using api::failed;
using api::missing;

namespace {

// Runs `work` with the device in its context; the status of what it gives.
template <class Work> nereid_status onDevice(const char *name, Work work) {
  return api::guarded([&] {
    std::string_view device = name && *name ? name : "cuda";
    if (jit::findBackend(device) != &jit::cudaBackend())
      return failed({Status::BadInput,
                     "error: `" + std::string(device.substr(0, 80)) + "` is no GPU; write `cuda` or `cuda:0`\n"});
    Result<cuda::Device *> found = jit::findCudaDevice(device);
    if (!found)
      return failed(found.error());
    cuda::CurrentContext scope(**found);
    Result<void> done = work(**found);
    return done ? NEREID_OK : failed(done.error());
  });
}

// The same with a stream that work can go into.
template <class Work> nereid_status onStream(const char *name, void *handle, Work work) {
  return onDevice(name, [&](cuda::Device &device) -> Result<void> {
    auto stream = static_cast<cuda::driver::Stream>(handle);
    if (device.streams().isFree(stream))
      return Error{Status::BadInput, "error: the stream was freed\n"};
    return work(device, stream);
  });
}

Result<void> checked(cuda::Device &device, cuda::driver::Status status, const char *what) {
  return status == cuda::driver::kSuccess ? Result<void>() : device.failed(status, what);
}

cuda::driver::Address addressOf(const void *memory) { return reinterpret_cast<cuda::driver::Address>(memory); }

bool isHost(cuda::Device &device, const void *memory) {
  return cuda::memoryKindOf(device, memory) != cuda::MemoryKind::Device;
}

} // namespace

nereid_status nereid_device_count(int32_t *count) {
  if (!count)
    return failed(missing("the count"));
  *count = 0;
  return api::guarded([&] {
    Result<cuda::Driver *> driver = cuda::Driver::shared();
    if (!driver)
      return failed(driver.error());
    *count = (*driver)->deviceCount();
    return NEREID_OK;
  });
}

nereid_status nereid_device_query(const char *device, nereid_device_properties *properties) {
  if (!properties || properties->size < sizeof(uint32_t))
    return failed(missing("the properties, or their `size`,"));
  return onDevice(device, [&](cuda::Device &found) -> Result<void> {
    const cuda::Properties &facts = found.properties();
    nereid_device_properties all{};
    all.size = properties->size;
    all.ordinal = found.ordinal();
    std::strncpy(all.name, facts.name.c_str(), sizeof all.name - 1);
    all.capability = facts.capability;
    all.multiprocessors = facts.multiprocessors, all.warp_size = facts.warpSize, all.max_threads = facts.maxThreads;
    all.max_shared_bytes = facts.maxSharedBytes, all.l2_bytes = facts.l2Bytes, all.memory_bytes = facts.memoryBytes;
    std::memcpy(properties, &all, std::min<size_t>(properties->size, sizeof all));
    return {};
  });
}

nereid_status nereid_synchronize(const char *device) {
  return onDevice(device, [](cuda::Device &found) { return found.synchronize(); });
}

nereid_status nereid_memory_alloc(const char *device, size_t bytes, void *stream, void **memory) {
  if (!memory)
    return failed(missing("where the address goes"));
  *memory = nullptr;
  return onStream(device, stream, [&](cuda::Device &found, cuda::driver::Stream into) -> Result<void> {
    Result<cuda::Buffer> buffer = cuda::Buffer::allocate(found, bytes, into);
    if (!buffer)
      return buffer.error();
    *memory = reinterpret_cast<void *>(buffer->take());
    return {};
  });
}

nereid_status nereid_memory_free(const char *device, void *memory, void *stream) {
  if (!memory)
    return NEREID_OK;
  return onDevice(device, [&](cuda::Device &found) { // also after the stream: memory may outlive it
    return cuda::Buffer::free(found, addressOf(memory), static_cast<cuda::driver::Stream>(stream));
  });
}

nereid_status nereid_memory_copy(const char *device, void *to, const void *from, size_t bytes, void *stream,
                                 int32_t asynchronous) {
  if (bytes && (!to || !from))
    return failed(missing("an address to copy"));
  if (uintptr_t end; __builtin_add_overflow(reinterpret_cast<uintptr_t>(to), bytes, &end) ||
                     __builtin_add_overflow(reinterpret_cast<uintptr_t>(from), bytes, &end))
    return failed({Status::BadInput, "error: " + std::to_string(bytes) + " bytes reach beyond the end of memory\n"});
  return onStream(device, stream, [&](cuda::Device &found, cuda::driver::Stream into) -> Result<void> {
    bool isToHost = isHost(found, to), isFromHost = isHost(found, from);
    Result<void> done;
    if (isToHost && isFromHost)
      std::memmove(to, from, bytes);
    else if (isFromHost)
      done = cuda::copyToDevice(found, addressOf(to), {static_cast<const std::byte *>(from), bytes}, into);
    else if (isToHost)
      done = cuda::copyToHost(found, {static_cast<std::byte *>(to), bytes}, addressOf(from), into);
    else
      done =
          checked(found, found.call().copyOnDevice(addressOf(to), addressOf(from), bytes, into), "copying on the GPU");
    if (!done || asynchronous)
      return done;
    return checked(found, found.call().streamSynchronize(into), "waiting for a copy");
  });
}

nereid_status nereid_stream_create(const char *device, void **stream) {
  if (!stream)
    return failed(missing("where the stream goes"));
  *stream = nullptr;
  return onDevice(device, [&](cuda::Device &found) -> Result<void> {
    Result<cuda::driver::Stream> made = found.streams().take(found);
    if (!made)
      return made.error();
    *stream = *made;
    return {};
  });
}

nereid_status nereid_stream_destroy(const char *device, void *stream) {
  return onDevice(device,
                  [&](cuda::Device &found) { return found.streams().give(static_cast<cuda::driver::Stream>(stream)); });
}

nereid_status nereid_stream_synchronize(const char *device, void *stream) {
  return onStream(device, stream, [](cuda::Device &found, cuda::driver::Stream of) {
    return checked(found, found.call().streamSynchronize(of), "waiting for a stream");
  });
}

nereid_status nereid_graph_begin(const char *device, void *stream) {
  if (!stream)
    return failed(
        {Status::BadInput, "error: the default stream cannot be recorded; make one with nereid_stream_create\n"});
  return onStream(device, stream,
                  [](cuda::Device &found, cuda::driver::Stream of) { return cuda::Graph::begin(found, of); });
}

nereid_status nereid_graph_end(const char *device, void *stream, nereid_graph **graph) {
  if (!graph)
    return failed(missing("where the graph goes"));
  *graph = nullptr;
  return onStream(device, stream, [&](cuda::Device &found, cuda::driver::Stream of) -> Result<void> {
    Result<cuda::Graph> made = cuda::Graph::end(found, of);
    if (!made)
      return made.error();
    *graph = new nereid_graph{std::move(*made)};
    return {};
  });
}

nereid_status nereid_graph_launch(nereid_graph *graph, void *stream) {
  if (!graph)
    return failed(missing("the graph"));
  return api::guarded([&] {
    auto into = static_cast<cuda::driver::Stream>(stream);
    if (graph->graph.owner().streams().isFree(into))
      return failed({Status::BadInput, "error: the stream was freed\n"});
    Result<void> done = graph->graph.launch(into);
    return done ? NEREID_OK : failed(done.error());
  });
}

void nereid_graph_free(nereid_graph *graph) { delete graph; }
