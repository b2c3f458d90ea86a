// LibraryFunction.h: the compile-time Python library: functions, types and modules that module-level code, config lists
// and constexpr functions use (len, sorted, math.log2, itertools.product, triton.cdiv …). A function is one row of a
// table in library/*.cpp; a type or a module is a named list of rows.
#pragma once

#include "lang/evaluate/ConstEval.h"

#include <span>

namespace nereid::lang {

// One call: the arguments by position in the row's parameter list, no value where one was not given.
struct LibraryCall {
  ConstEval &eval;
  const LibraryFunction &function;
  Values arguments;

  const Value &operator[](size_t index) const { return arguments[index]; }
  Session &session() const { return eval.session; }
  // Typed access; fails with the function's name, what is expected and what was given.
  Integer integer(size_t index) const;
  Integer integer(size_t index, Integer whenAbsent) const;
  Integer size(size_t index, Integer whenAbsent) const; // one that CPython keeps in a machine word
  double number(size_t index) const;
  const std::string &text(size_t index) const;
  bool flag(size_t index, bool whenAbsent) const;
  [[noreturn]] void expected(size_t index, std::string_view what) const;
};

struct LibraryFunction {
  std::string_view name;
  // Space-separated names: `iterable key? reverse?`. `?`: may be absent. `*rest`: a tuple of the remaining positional
  // arguments. `**options`: a dict of the remaining keywords.
  std::string_view parameters;
  Value (*call)(LibraryCall &);
  // What besides plain constants it takes: unknown values, run-time values. Otherwise an unknown argument gives an
  // unknown result, and a run-time argument is an error.
  enum Takes { Constants, Unknown, Anything } takes = Constants;
  // Most functions look at all items of their arguments, and are charged for it.
  enum Cost { PerItem, Fixed } cost = PerItem;
};

using LibraryFunctions = std::span<const LibraryFunction>;

// A type of compile-time Python: its constructor, its methods (`self` is the first parameter), its base.
struct LibraryType {
  std::string_view name;
  const LibraryFunction *constructor; // may be null
  LibraryFunctions methods;
  std::string_view base;
  bool isBuiltin = false; // a name that every module sees without an import
};
// A module: functions, and what else it holds.
struct LibraryModule {
  std::string_view name; // dotted
  LibraryFunctions functions;
  void (*populate)(Scope &globals) = nullptr;
  bool isOpaque = false; // attributes that are not known are opaque values, not errors
};

// Every file of library/ lists its types and modules here (library/Tables.cpp).
std::span<const LibraryType *const> libraryTypes();
std::span<const LibraryModule *const> libraryModules();

// The class that stands for a type: int, str, tuple, ValueError, constexpr …; null when there is none.
std::shared_ptr<Class> libraryClass(std::string_view name);
// type(value).
std::shared_ptr<Class> classOf(const Value &value);
bool isInstance(const Value &value, const Value &classOrTuple);
// `len`, `float`, `range` …: the name of a library function or type, "" for anything else. Kernels may call some.
std::string_view libraryName(const Value &callee);

Value makeOpaque(std::string path, bool isKnown = false);
Value makeList(Values items);
Value makeDict(std::vector<std::pair<Value, Value>> items = {});
Value makeIterator(Values items); // what map, zip, reversed, generators … give
// The same for items that are made by code: an error is kept until somebody asks for the item that it stands for.
Value makeIterator(const std::function<void(Values &items)> &fill);
Value makeView(std::string_view className, Value dict); // dict.keys(), values(), items()
DictObject *viewedDict(const Value &value);             // of such a view; null for anything else
Value asMember(const Value &item);                      // what a set looks for: in place of a set, its frozen copy
Value makeMethod(Value self, const LibraryFunction *function);
// A new instance of one of its classes.
std::shared_ptr<Instance> makeInstance(std::string_view className);

// Keys of dicts and items of sets must have a hash, as in Python: lists, dicts and sets have none.
Value *findItem(DictObject &dict, const Value &key);
void setItem(DictObject &dict, const Value &key, Value value);
Value removeItem(DictObject &dict, const Value &key); // its value; no value when it was not there
bool contains(const SetObject &set, const Value &item);
void addItem(SetObject &set, const Value &item);
bool removeItem(SetObject &set, const Value &item); // false when it was not there
// How many items a container has, or characters a text: what an operation on all of it costs.
size_t sizeOf(const Value &value);
// For the origin of an unknown value: the other operand may be large.
std::string briefly(const Value &value);

} // namespace nereid::lang
