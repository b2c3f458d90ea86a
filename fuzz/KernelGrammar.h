// KernelGrammar.h: bytes as choices in a grammar of kernel files. Every text parses; names are those that are in reach, calls are
// to the functions of the language by their signatures, and the rest is left to chance: types that do not fit, shapes that do
// not, compile-time Python next to tiles. Three files of four are careful: most of what they say fits.
#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include <string>
#include <vector>

namespace nereid::fuzz {

class KernelGrammar {
public:
  KernelGrammar(const uint8_t *data, size_t size) : bytes(data, size) {}
  std::string file();

private:
  void function(const std::string &name, bool isKernel);
  void body(int depth);
  void statement(int depth);
  void loop(int depth);
  void branch(int depth);
  std::string expression(int depth);
  std::string sound(int depth);
  std::string condition();
  std::string constant();
  std::string compileTime(int depth);
  std::string tile();
  std::string builtin(int depth);
  std::string shape();
  std::string name() { return names[choose(names.size())]; }
  std::string newName();

  size_t choose(size_t count) { return bytes.ConsumeIntegralInRange<size_t>(0, count - 1); }
  template <size_t N> std::string one(const char *const (&list)[N]) { return list[choose(N)]; }
  bool isSpent() { return statements > 40 || text.size() > 6000 || bytes.remaining_bytes() == 0; }
  void line(int depth, const std::string &content) { text += std::string(size_t(4 * depth), ' ') + content + "\n"; }

  FuzzedDataProvider bytes;
  std::string text;
  std::vector<std::string> names, functions;
  int statements = 0, made = 0;
  bool isCareful = false, isInKernel = false;
};

} // namespace nereid::fuzz
