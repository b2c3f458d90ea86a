// FakeDriver.h: a driver over the fake libcuda, fresh for each test.
#pragma once

#include "FakeCuda.h"
#include "runtime/cuda/Device.h"
#include "runtime/cuda/LoadedKernel.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace nereid::cuda {

inline fake::Control &fakeControl() {
  void *library = dlopen(NEREID_FAKE_CUDA, RTLD_NOW | RTLD_GLOBAL);
  auto *find = reinterpret_cast<fake::Control *(*)()>(dlsym(library, "nereidFakeCuda"));
  return *find();
}

class FakeDriverTest : public ::testing::Test {
protected:
  void SetUp() override {
    fake.reset();
    Result<std::unique_ptr<Driver>> loaded = Driver::load(NEREID_FAKE_CUDA);
    ASSERT_TRUE(loaded) << loaded.error().message;
    driver = std::move(*loaded);
    Result<Device *> opened = driver->device(0);
    ASSERT_TRUE(opened) << opened.error().message;
    device = *opened;
    driver->call().contextSetCurrent(nullptr);
  }
  void TearDown() override { fake.reset(); }

public:
  // A kernel whose PTX declares these parameters: ".u64 x, .u32 n".
  static Artifact artifactWith(const std::vector<std::string> &declarations) {
    Artifact artifact;
    artifact.name = "kernel";
    artifact.target = "sm_90a";
    artifact.ptx = ".version 8.0\n.target sm_90a\n.visible .entry kernel(";
    for (size_t i = 0; i < declarations.size(); ++i)
      artifact.ptx += (i ? ", .param " : ".param ") + declarations[i];
    artifact.ptx += ")\n{ ret; }\n";
    return artifact;
  }

protected:
  std::shared_ptr<const LoadedKernel> load(Artifact artifact) {
    Result<std::shared_ptr<const LoadedKernel>> loaded = LoadedKernel::load(*device, std::move(artifact));
    EXPECT_TRUE(loaded) << loaded.error().message;
    return loaded ? *loaded : nullptr;
  }

  fake::Control &fake = fakeControl();
  std::unique_ptr<Driver> driver;
  Device *device = nullptr;
};

inline void expectContains(const std::string &text, const std::string &part) {
  EXPECT_NE(text.find(part), std::string::npos) << "no `" << part << "` in: " << text;
}

} // namespace nereid::cuda
