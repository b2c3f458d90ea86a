// Configurations.h: tables that say how a kernel runs best where: rows of conditions on facts, of the device and of the problem,
// with what a launch takes then. The first row that holds counts. They are written as tables in Markdown:
//
//   | kernel | when | configuration | from |
//   |---|---|---|---|
//   | matmul | capability=90 bytes<=2 tiles>=100 | BLOCK_M=128 BLOCK_N=256 num_warps=8 | measured on an H200 |
#pragma once

#include "nereid/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::jit {

struct Fact {
  std::string name;
  int64_t value = 0;
};
// "dim=64 causal=1"
Result<std::vector<Fact>> readFacts(std::string_view text);
std::string textOf(const std::vector<Fact> &facts);

// Of a device by its name: gpu, capability, multiprocessors, shared (KiB of a block), l2 (MiB); on a CPU gpu=0 and its cores.
Result<std::vector<Fact>> factsOfDevice(std::string_view device);

class ConfigurationTable {
public:
  // Rows of a text, behind those that are there; lines that are no rows of a table are left alone.
  Result<void> add(std::string_view text);
  // What the first row of the kernel that holds says.
  std::optional<std::vector<Fact>> find(std::string_view kernel, const std::vector<Fact> &facts) const;

private:
  enum class Comparison { Equal, NotEqual, AtMost, AtLeast };
  struct Condition {
    std::string fact;
    Comparison comparison;
    int64_t value;
  };
  struct Row {
    std::string kernel;
    std::vector<Condition> when;
    std::vector<Fact> configuration;
  };
  static Result<Condition> readCondition(std::string_view word);
  static bool holds(const Condition &condition, const std::vector<Fact> &facts);
  std::vector<Row> rows;
};

// What tuning found on this machine for exactly these facts of a problem, in the cache on disk.
std::optional<std::vector<Fact>> loadConfiguration(std::string_view device, std::string_view kernel,
                                                   std::string_view problem);
void keepConfiguration(std::string_view device, std::string_view kernel, std::string_view problem,
                       const std::vector<Fact> &configuration);
// All of it as rows of a table, with the facts of the devices.
std::string keptConfigurations();

} // namespace nereid::jit
