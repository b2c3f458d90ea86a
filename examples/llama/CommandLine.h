// CommandLine.h: the words of the program's command line, and what its commands share.
#pragma once

#include "Engine.h"

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace llama {

// The words of the command line: `--name value`, and the rest.
class Options {
public:
  Options(int argc, char **argv) {
    for (int i = 2; i < argc; ++i) {
      std::string word = argv[i];
      if (word == "--numbers" || word == "--profile")
        named[word] = "1";
      else if (word.starts_with("--") || word == "-o")
        named[word] = i + 1 < argc ? argv[++i] : "";
      else
        operands.push_back(word);
    }
  }
  std::string text(const std::string &name, const std::string &fallback = "") {
    asked.push_back(name);
    auto found = named.find(name);
    return found == named.end() ? fallback : found->second;
  }
  template <class T> T number(const std::string &name, T fallback, T low, T high) {
    std::string word = text(name);
    if (word.empty() && !named.contains(name))
      return fallback;
    T value{};
    auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (failed != std::errc() || end != word.data() + word.size() || !(value >= low) || !(value <= high)) {
      std::ostringstream message;
      message << "`" << name << "` is `" << word << "`, but a number from " << low << " to " << high << " is expected";
      problem = problem.empty() ? message.str() : problem;
    }
    return value;
  }
  bool has(const std::string &name) {
    asked.push_back(name);
    return named.contains(name);
  }
  // What is wrong with the words, after all that are known were asked for.
  std::string mistake() const {
    for (auto &[name, value] : named)
      if (std::find(asked.begin(), asked.end(), name) == asked.end())
        return "there is no option `" + name + "` here";
    return problem;
  }
  std::vector<std::string> operands;

private:
  std::map<std::string, std::string> named;
  std::vector<std::string> asked;
  std::string problem;
};

inline int complain(const std::string &message) {
  std::fprintf(stderr, "error: %s\n", message.c_str());
  return 2;
}
inline int complain(const Error &error) {
  std::fputs(error.message.c_str(), stderr);
  if (error.message.empty() || error.message.back() != '\n')
    std::fputc('\n', stderr);
  return static_cast<int>(error.status);
}

inline double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline std::string deviceOf(Options &options) {
  const char *usual = std::getenv("NEREID_DEVICE");
  return options.text("--device", usual ? usual : "cpu");
}

inline int64_t aheadOf(Options &options, const std::string &device) {
  return options.number<int64_t>("--ahead", device.starts_with("cuda") ? 8 : 1, 1, 4096);
}

inline std::string showTokens(const std::vector<int64_t> &tokens, bool isNumbers) {
  std::string text;
  for (int64_t token : tokens)
    text += isNumbers ? (text.empty() ? "" : ",") + std::to_string(token) : std::string(1, static_cast<char>(token));
  return text;
}

// An engine over the weights of a file; `kind` is what `--weights` says.
Result<Engine> makeEngine(const std::string &path, const std::string &kind, const Place &place,
                          const EngineOptions &options);

// The commands of Bench.cpp.
int bench(Options &options);
int tune(Options &options);

} // namespace llama
