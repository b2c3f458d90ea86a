// Probe.cpp: a program that is linked as the portable ones are, and uses what the C library got or changed since 2.28.
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <dlfcn.h>
#include <filesystem>
#include <iostream>
#include <malloc.h>
#include <random>
#include <stdexcept>
#include <thread>

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// What `strtol` and `sscanf` mean with the headers of 2.38 and later.
extern "C" long __isoc23_strtol(const char *text, char **end, int base);
extern "C" int __isoc23_sscanf(const char *text, const char *format, ...);

static std::string global = "constructed";

static void throwAway() { throw std::runtime_error("caught"); }

int main(int, char **words) {
  std::cout << global << "\n";
  try {
    throwAway();
  } catch (const std::exception &error) {
    std::cout << error.what() << "\n";
  }
  std::mutex mutex;
  std::condition_variable changed;
  bool isSet = false;
  std::thread other([&] {
    std::lock_guard lock(mutex);
    isSet = true;
    changed.notify_one();
  });
  std::unique_lock lock(mutex);
  std::cout << (changed.wait_for(lock, 60s, [&] { return isSet; }) ? "notified" : "late") << "\n";
  Clock::time_point before = Clock::now();
  bool isTimeout = changed.wait_until(lock, before + 5ms) == std::cv_status::timeout || Clock::now() >= before + 5ms;
  std::cout << (isTimeout ? "timed out" : "woken") << "\n";
  lock.unlock();
  other.join();
  bool isFile = std::filesystem::is_regular_file(words[0]) && std::filesystem::file_size(words[0]) > 0;
  std::cout << (isFile && !std::filesystem::exists("/nowhere") ? "file" : "no file") << "\n";
  std::random_device random;
  std::cout << (random() != random() || random() != random() ? "random" : "not random") << "\n";
  std::cout << (mallinfo2().uordblks > 0 ? "allocated" : "empty") << "\n";
  std::cout << (dlopen("libm.so.6", RTLD_NOW) ? "loaded" : dlerror()) << "\n";
  int number = 0;
  __isoc23_sscanf("40", "%d", &number);
  std::cout << number + __isoc23_strtol("2", nullptr, 10) << "\n";
  std::cout << std::pow(2.0, static_cast<double>(global.size()) - 1.0) << "\n";
}
