// Site.h: a place in a kernel's source that can print or fail, as compiled code names it. Standard library only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nereid::runtime {

struct Site {
  enum class Kind : uint8_t { Print, Assert, DivisionByZero, Wait, Loop, Scope };
  Kind kind = Kind::Assert;
  std::string text; // the prefix of a print, the message of an assertion, the name of a scope
  std::string file;
  uint32_t line = 0, column = 0, endColumn = 0;
  bool isHex = false; // prints only, with
  struct Value {
    std::string type; // "i32", "u8", "f16", "fp8e5", "ptr", …
    std::vector<int64_t> shape;
  };
  std::vector<Value> values;
};

// What went wrong there, for an error message.
std::string describeFailure(const Site &site);

} // namespace nereid::runtime
