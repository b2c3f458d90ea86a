// Builtin.h: a function of the language is one row: its signature with defaults, one line of documentation, and what
// it does. Rows stand in builtins/*.cpp, one file per family.
#pragma once

#include "lang/Value.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::lang {

class Emitter;

// The arguments of one call, bound to the parameters of the signature: positional, keyword or default.
class BoundArguments {
public:
  // By position in the signature. A `*rest` parameter is a tuple.
  const Value &operator[](size_t index) const { return values[index]; }
  const Value &operator[](std::string_view name) const;
  SourceRange range(size_t index) const { return ranges[index]; } // of the argument, or of the call for a default
  bool isGiven(size_t index) const { return given[index]; }
  size_t size() const { return values.size(); }

  std::vector<Value> values;
  std::vector<SourceRange> ranges;
  std::vector<bool> given;
  const Builtin *builtin = nullptr;
};

struct Builtin {
  // "load(pointer, mask=None, other=None, cache_modifier="", volatile=False)": defaults are literals.
  std::string_view signature;
  std::string_view documentation;
  Value (*emit)(Emitter &, const BoundArguments &);
  // Also callable as a method of a tensor, whose first argument is then the tensor.
  bool isMember = false;

  std::string_view name() const { return signature.substr(0, signature.find('(')); }
};

// One signature, taken apart (once, on first use).
struct Signature {
  struct Parameter {
    std::string name;
    Value defaultValue;
    bool isRest = false;
  };
  std::vector<Parameter> parameters;
};
const Signature &signatureOf(const Builtin &builtin);

// A table of rows and the names under which it is reached: "tl", "tl.math", "tl.extra.libdevice", "tl.extra.cuda",
// "descriptor" (methods of descriptors), "dtype" (methods of types) …
struct BuiltinTable {
  std::string_view space;
  std::span<const Builtin> rows;
};
// All tables; each family file defines one function and Builtins.cpp lists them.
std::span<const BuiltinTable> builtinTables();
const Builtin *findBuiltin(std::string_view space, std::string_view name);
const Builtin *findMember(std::string_view name); // a row of any table with isMember

// One argument as written at a call: a value, its keyword (or ""), and its place.
struct CallArgument {
  Value value;
  std::string keyword;
  SourceRange range;
};
// Binds a call's arguments; fails with the unknown keyword (and the nearest known one), a missing or a surplus argument.
BoundArguments bindArguments(Emitter &emitter, const Builtin &builtin, std::span<const CallArgument> arguments);

} // namespace nereid::lang
