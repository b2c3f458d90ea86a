// Record.h: what is kept of a program's run: its launches, its scopes, the code that was made for it; and the bytes that stand for
// each record in a journal.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nereid::profile {

using Time = int64_t; // nanoseconds of the steady clock, which all processes of a machine share

Time now();

struct Argument {
  std::string name, type;     // `*f32` of a tensor, else `i32`, `float`, `constexpr` …
  std::vector<int64_t> shape; // of a tensor
  std::string value;          // of anything else

  bool operator==(const Argument &) const = default;
};

struct Record {
  // Launch: one launch as the host sees it, from the call to its return.
  // Device: when the kernel of the launch `id` ran on its device.
  // Worker: a thread's share of the launch `id`.
  // ScopeBegin, ScopeEnd: of the scope `id`.
  // Code: a kernel was compiled or found on disk.
  // Inner: a scope inside of a kernel, of one program of the launch `id`.
  // Process: the program, by its command line.
  enum class Kind : uint8_t { Launch = 1, Device, Worker, ScopeBegin, ScopeEnd, Code, Inner, Process };
  static constexpr Kind kLast = Kind::Process;

  Kind kind = Kind::Process;
  uint32_t process = 0; // not in the bytes: the journal knows it
  uint32_t thread = 0;
  uint64_t id = 0;
  uint64_t scope = 0; // the innermost open one; 0: none
  Time begin = 0, end = 0;
  uint64_t stream = 0;
  uint64_t programs = 0; // Launch: all; Worker: of this thread; Inner: the number of the program
  std::array<uint32_t, 3> grid{};
  std::string name;   // of the kernel, of the scope
  std::string device; // `cpu`, `interp`, `cuda:0`
  // Code: what was done. Launch: how it failed. Device: the stream, Inner: the warp; empty where a thread of the host is it.
  std::string detail;
  std::string source; // Launch: FILE.py:KERNEL, where there is a file
  std::vector<Argument> arguments;
  std::vector<std::pair<std::string, double>> metrics;

  Time duration() const { return end - begin; }
};

// The bytes of a record: its numbers, and its texts, which many records share (see Texts.h). They take the place of what was there.
void encodeNumbers(const Record &record, std::vector<std::byte> &bytes);
void encodeTexts(const Record &record, std::vector<std::byte> &bytes);
// False where the bytes are not those of a record: they may come from a process that was killed, or from anywhere.
bool decodeNumbers(std::span<const std::byte> bytes, Record &record);
bool decodeTexts(std::span<const std::byte> bytes, Record &record);

} // namespace nereid::profile
