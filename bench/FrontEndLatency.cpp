// FrontEndLatency.cpp: how long a kernel takes from its file to verified tile IR: reading, parsing, loading, emitting,
// cleaning up and verifying, with a new compiler each time, as a process that compiles one kernel sees it.
// usage: front-end-latency FOLDER SIGNATURES [REPETITIONS]
// Prints the median of every kernel; exits 1 when one is above the limit, 2 when one does not compile.
#include "KernelSignature.h"
#include "compiler/Compiler.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace {

constexpr double kLimit = 10; // milliseconds

struct Row {
  std::string file, kernel, signature;
};

std::vector<Row> readRows(const std::string &path) {
  std::vector<Row> rows;
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) {
    if (line.empty() || line[0] == '#')
      continue;
    Row row;
    std::istringstream words(line);
    words >> row.file >> row.kernel;
    std::getline(words, row.signature);
    rows.push_back(row);
  }
  return rows;
}

// Milliseconds, or nothing after printing what is wrong.
std::optional<double> compileOnce(const std::string &folder, const Row &row) {
  auto start = std::chrono::steady_clock::now();
  nereid::compiler::Compiler compiler;
  auto fail = [&](const std::string &problem) {
    std::fprintf(stderr, "%s: %s: %s%s\n", row.file.c_str(), row.kernel.c_str(), problem.c_str(),
                 compiler.diagnostics().render().c_str());
    return std::nullopt;
  };
  auto module = compiler.loadFile(folder + "/" + row.file);
  auto kernel = module ? compiler.findKernel(*module, row.kernel) : nullptr;
  if (!kernel)
    return fail("");
  std::string problem;
  auto arguments = nereid::test::parseSignature(*kernel, row.signature, problem);
  if (!problem.empty())
    return fail(problem);
  if (!compiler.compile(*kernel, arguments).module)
    return fail("");
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: front-end-latency FOLDER SIGNATURES [REPETITIONS]\n");
    return 2;
  }
  int repetitions = argc > 3 ? std::max(1, std::atoi(argv[3])) : 21;
  int status = 0;
  std::printf("%-28s %-36s %9s %9s\n", "file", "kernel", "median ms", "first ms");
  for (const Row &row : readRows(argv[2])) {
    std::vector<double> times;
    for (int i = 0; i < repetitions; ++i) {
      auto time = compileOnce(argv[1], row);
      if (!time)
        break;
      times.push_back(*time);
    }
    if (times.empty()) {
      status = 2;
      continue;
    }
    double first = times.front();
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    double median = times[times.size() / 2];
    std::printf("%-28s %-36s %9.2f %9.2f%s\n", row.file.c_str(), row.kernel.c_str(), median, first,
                median > kLimit ? "  above the limit" : "");
    if (median > kLimit && status == 0)
      status = 1;
  }
  return status;
}
