// Finding the driver and its devices, and what is said when something is missing.
#include "FakeDriver.h"

#include <cstdlib>
#include <thread>

namespace nereid::cuda {

// Loads with the fake as it is set now; the error's text.
static std::string problemWith(const std::string &path) {
  Result<std::unique_ptr<Driver>> loaded = Driver::load(path);
  if (loaded)
    return "";
  EXPECT_EQ(loaded.error().status, Status::Environment);
  return loaded.error().message;
}

class CudaDriver : public FakeDriverTest {};

TEST_F(CudaDriver, NoLibrary) {
  std::string text = problemWith("/nonexistent/libcuda.so.1");
  expectContains(text, "error: there is no CUDA driver: `/nonexistent/libcuda.so.1` cannot be loaded");
  expectContains(text, "NEREID_LIBCUDA");
}

TEST_F(CudaDriver, ALibraryThatIsNoDriver) {
  expectContains(problemWith("libm.so.6"), "is no CUDA driver that can be used: it has no `cuInit`");
}

TEST_F(CudaDriver, AnOldDriver) {
  fake.version = 11040;
  expectContains(problemWith(NEREID_FAKE_CUDA),
                 "the CUDA driver is too old: it is of CUDA 11.4, and 11.8 or newer is needed");
}

TEST_F(CudaDriver, NoDevice) {
  fake.devices = 0;
  unsetenv("CUDA_VISIBLE_DEVICES");
  expectContains(problemWith(NEREID_FAKE_CUDA), "the CUDA driver finds no GPU in this machine");
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  expectContains(problemWith(NEREID_FAKE_CUDA), "there is no GPU to use: CUDA_VISIBLE_DEVICES is ``");
  unsetenv("CUDA_VISIBLE_DEVICES");
}

TEST_F(CudaDriver, ADriverThatDoesNotStart) {
  fake.failures["cuInit"] = {0, driver::kSystemDriverMismatch};
  std::string text = problemWith(NEREID_FAKE_CUDA);
  expectContains(text, "the CUDA driver cannot be initialized");
  expectContains(text, "restart the machine after an update");
}

TEST_F(CudaDriver, AContextThatCannotBeHad) {
  fake.failures["cuDevicePrimaryCtxRetain"] = {0, driver::kDeviceUnavailable};
  auto loaded = Driver::load(NEREID_FAKE_CUDA);
  ASSERT_TRUE(loaded);
  Result<Device *> opened = (*loaded)->device(1);
  ASSERT_FALSE(opened);
  expectContains(opened.error().message, "GPU 1 cannot be used");
  expectContains(opened.error().message, "exclusively");
}

TEST_F(CudaDriver, ADeviceThatThereIsNot) {
  Result<Device *> opened = driver->device(7);
  ASSERT_FALSE(opened);
  expectContains(opened.error().message, "there is no GPU 7; there are 2, the first one is `cuda:0`");
}

TEST_F(CudaDriver, PropertiesAreRead) {
  const Properties &facts = device->properties();
  EXPECT_EQ(facts.name, "Fake GPU");
  EXPECT_EQ(facts.target(), "sm_90a");
  EXPECT_EQ(facts.multiprocessors, 100);
  EXPECT_EQ(facts.maxSharedBytes, 232448u);
  EXPECT_NEAR(facts.memoryGigabytes, 4916.7, 0.1);
}

TEST_F(CudaDriver, TheCurrentContextIsUsed) {
  // As torch leaves it: the primary context of the second device is current.
  Result<Device *> second = driver->device(1);
  ASSERT_TRUE(second);
  driver->call().contextSetCurrent((*second)->context());
  EXPECT_EQ(*driver->current(), *second);
  // A thread without a context gets the first device, and its context becomes current there.
  std::thread([&] {
    EXPECT_EQ(*driver->current(), device);
    driver::Context context = nullptr;
    driver->call().contextGetCurrent(&context);
    EXPECT_EQ(context, device->context());
  }).join();
  // A context that somebody made for himself is a device of its own.
  auto own = reinterpret_cast<driver::Context>(uintptr_t(0x2001));
  driver->call().contextSetCurrent(own);
  Result<Device *> other = driver->current();
  ASSERT_TRUE(other);
  EXPECT_EQ((*other)->context(), own);
  EXPECT_EQ((*other)->ordinal(), 1);
  EXPECT_NE(*other, *second);
}

TEST_F(CudaDriver, WorkOnAnotherDeviceLeavesTheContextAsItWas) {
  Result<Device *> second = driver->device(1);
  driver->call().contextSetCurrent((*second)->context());
  ASSERT_TRUE(Buffer::allocate(*device, 100));
  driver::Context context = nullptr;
  driver->call().contextGetCurrent(&context);
  EXPECT_EQ(context, (*second)->context());
}

} // namespace nereid::cuda
