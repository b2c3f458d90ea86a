#include "learn/Accesses.h"

#include "interp/trace/Tracer.h"
#include "jit/Launch.h"
#include "learn/Compare.h"

#include <algorithm>

namespace nereid::learn {

namespace {

constexpr uint64_t kMostPrograms = 64;
constexpr int64_t kMostElements = 4096;

void mark(AccessPicture &picture, const interp::ElementRun &run, bool isRead, bool isWritten) {
  auto count = static_cast<int64_t>(picture.letters.size());
  for (int64_t i = 0; i < run.count; ++i)
    for (int64_t j = 0; j < run.length; ++j) {
      int64_t at = run.first + i * run.stride + j;
      if (at < 0 || at >= count)
        continue;
      char &letter = picture.letters[static_cast<size_t>(at)];
      bool read = isRead || letter == 'r' || letter == 'b', written = isWritten || letter == 'w' || letter == 'b';
      letter = read && written ? 'b' : read ? 'r' : 'w';
    }
}

void addTrace(const interp::Trace &trace, const Scene &scene, std::vector<AccessPicture> &pictures) {
  using Kind = interp::TracedAccess::Kind;
  for (const interp::ProgramTrace &program : trace.programs)
    for (const interp::TracedAccess &access : program.accesses) {
      if (access.tensor < 0)
        continue;
      const void *begin = trace.tensors[static_cast<size_t>(access.tensor)].data;
      for (AccessPicture &picture : pictures) // a launch may know the tensor by another name
        if (scene.find(picture.tensor)->tensor.data() == begin)
          for (const interp::ElementRun &run : access.touched)
            mark(picture, run, access.kind != Kind::Store, access.kind != Kind::Load);
    }
}

} // namespace

std::vector<AccessPicture> pictureAccesses(jit::KernelModule &module, const Scene &scene, const Test &test,
                                           double seconds) {
  std::vector<AccessPicture> pictures;
  for (const jit::NamedTensor &named : scene.tensors()) {
    const Tensor &tensor = named.tensor;
    bool isPlain = tensor.strides() == Tensor::contiguousStrides(tensor.shape());
    if (isPlain && tensor.count() <= kMostElements && tensor.count() > 1)
      pictures.push_back({named.name, tensor.shape(), std::string(static_cast<size_t>(tensor.count()), '.')});
  }
  for (const Step &step : test.steps) {
    Result<Scene::Ready> ready = scene.prepare(module, step);
    if (!ready || ready->settings.grid.size() != 3)
      return {};
    const std::vector<int64_t> &grid = ready->settings.grid;
    if (static_cast<uint64_t>(grid[0]) * static_cast<uint64_t>(grid[1]) * static_cast<uint64_t>(grid[2]) >
        kMostPrograms)
      return {};
    interp::TraceOptions options;
    options.runsAll = true;
    for (uint32_t z = 0; z < grid[2]; ++z)
      for (uint32_t y = 0; y < grid[1]; ++y)
        for (uint32_t x = 0; x < grid[0]; ++x)
          options.programs.push_back({x, y, z});
    interp::Trace trace;
    trace.programs.reserve(options.programs.size()); // they stay where they are
    interp::Tracer tracer(options, trace);
    ready->settings.observer = &tracer;
    ready->settings.device = "interp";
    ready->settings.limits.timeout = seconds;
    Result<jit::Launched> launched = jit::launch(module, ready->kernel, ready->arguments, ready->settings);
    addTrace(trace, scene, pictures); // up to where it failed, if it did
    if (!launched)
      break;
  }
  std::erase_if(pictures, [](const AccessPicture &picture) {
    return picture.letters.find_first_not_of('.') == std::string::npos;
  });
  return pictures;
}

std::string textOf(const std::vector<AccessPicture> &pictures) {
  std::string text = pictures.empty() ? "" : "what the programs read (`r`), wrote (`w`), both (`b`):\n";
  for (const AccessPicture &shown : pictures) {
    std::vector<char> letters(shown.letters.begin(), shown.letters.end());
    std::string extents;
    for (int64_t extent : shown.shape)
      extents += (extents.empty() ? "" : ", ") + std::to_string(extent);
    text += picture(shown.tensor, shown.shape, letters, "[" + extents + "]", "bwr.");
  }
  return text;
}

} // namespace nereid::learn
