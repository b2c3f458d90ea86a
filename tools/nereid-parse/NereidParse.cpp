// NereidParse.cpp: the parser alone, for its tests and benchmarks.
//
//   nereid-parse FILE…           prints each tree as ast.dump does, or the errors; exit status 2 on errors
//   nereid-parse --batch         reads file names from standard input; per file prints `ok LENGTH` or `error LENGTH`,
//                                a line end, and LENGTH bytes of tree or messages
//   nereid-parse --time N FILE…  parses all files N times from memory and prints the best total in seconds
//   --list                       file names come from standard input
//   --positions                  print the positions of nodes too
#include "syntax/Parser.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

using namespace nereid;

static std::vector<std::string> readList() {
  std::vector<std::string> files;
  for (std::string line; std::getline(std::cin, line);)
    files.push_back(line);
  return files;
}

static bool dumpFile(const std::string &path, bool positions, std::string &text) {
  Diagnostics diagnostics;
  SourceRef source = syntax::readSource(path, diagnostics);
  if (source) {
    syntax::ParsedFile file = syntax::parseFile(source, diagnostics);
    if (!diagnostics.hasErrors())
      text = syntax::dumpAst(file, positions);
  }
  if (diagnostics.hasErrors())
    text = diagnostics.render();
  return !diagnostics.hasErrors();
}

static int runBatch(bool positions) {
  std::string text;
  for (std::string path; std::getline(std::cin, path);) {
    text.clear();
    bool ok = dumpFile(path, positions, text);
    std::cout << (ok ? "ok " : "error ") << text.size() << "\n" << text << std::flush;
  }
  return 0;
}

static int runFiles(const std::vector<std::string> &files, bool positions) {
  int status = 0;
  for (const std::string &path : files) {
    std::string text;
    bool ok = dumpFile(path, positions, text);
    (ok ? std::cout : std::cerr) << text << (ok ? "\n" : "");
    status = ok ? status : 2;
  }
  return status;
}

// Times parsing alone: the files are in memory, and the trees are freed outside the clock only with their arenas.
static int runTimes(unsigned rounds, const std::vector<std::string> &files) {
  std::vector<SourceRef> sources;
  size_t bytes = 0;
  for (const std::string &path : files) {
    Diagnostics diagnostics;
    if (SourceRef source = syntax::readSource(path, diagnostics)) {
      bytes += source->text().size();
      sources.push_back(source);
    }
  }
  double best = 1e30;
  for (unsigned round = 0; round < rounds; ++round) {
    auto begin = std::chrono::steady_clock::now();
    for (const SourceRef &source : sources) {
      Diagnostics diagnostics;
      syntax::parseFile(source, diagnostics);
    }
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::printf("%zu files, %zu bytes, %.6f seconds\n", sources.size(), bytes, best);
  return 0;
}

int main(int argc, char **argv) {
  std::vector<std::string> files;
  unsigned rounds = 0;
  bool batch = false, positions = false;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument == "--batch")
      batch = true;
    else if (argument == "--time" && i + 1 < argc)
      rounds = static_cast<unsigned>(std::strtoul(argv[++i], nullptr, 10));
    else if (argument == "--positions")
      positions = true;
    else if (argument == "--list")
      files = readList();
    else
      files.push_back(argument);
  }
  if (batch)
    return runBatch(positions);
  return rounds != 0 ? runTimes(rounds, files) : runFiles(files, positions);
}
