// Value.h: what a name or an expression can stand for, at compile time (Python values) or at run time (tensors).
// In a kernel, everything that is not a Tensor (or built of Tensors) is a compile-time constant.
#pragma once

#include "lang/KeyIndex.h"
#include "lang/Type.h"
#include "support/Source.h"

#include "mlir/IR/Value.h"

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace nereid::lang {

class Value;
class Foreign;          // Foreign.h: an object of the process that embeds the compiler
struct Builtin;         // Builtin.h: a function of the language
struct LibraryFunction; // LibraryFunction.h: a function of compile-time Python (len, sorted, itertools.product …)
struct Function;        // Function.h: def or lambda, jit or not
struct Class;
struct Instance;
struct Module;

using Integer = __int128; // Python's int, bounded: an overflow is an error
using Values = std::vector<Value>;

struct None {};
struct Ellipsis {};

// A scalar or a block at run time.
struct Tensor {
  mlir::Value ir;
  Type type;
};

struct Tuple {
  Values items;
  std::shared_ptr<const Class> cls; // a named tuple's class (field names there), or null
};
struct ListObject {
  Values items;
};
struct DictObject {
  std::vector<std::pair<Value, Value>> items; // in insertion order
  std::shared_ptr<const Value> missing;       // defaultdict: makes the value of a missing key
  KeyIndex index;
};
struct SetObject {
  Values items; // in insertion order
  KeyIndex index;
  bool isFrozen = false;
};
struct SliceObject;
// range(…), tl.range(…) and tl.static_range(…): the bounds may be tensors; the options are constants.
struct RangeObject;
// A method together with the object it was taken from: `x.sum`, `desc.load`, `self.step`.
struct BoundMethod;

// tl.make_block_ptr: expanded by the front end, so that no back end has to know it.
struct BlockPointer;
// A tensor descriptor, made in the kernel or passed from the host.
struct Descriptor;

// A value that the evaluator cannot know (torch.cuda.device_count(), an argument parser): an error only when a kernel
// uses it. `path` says where it came from.
struct Opaque {
  std::string path;
  bool isKnown = false; // a name that stands for itself (torch.float16): it can be compared and is true
  std::shared_ptr<const Foreign> foreign; // an object of the embedding process, which can be asked; or null
};

// Whether T is one of the types that a variant may hold.
template <class T, class Variant> constexpr bool isAlternative = false;
template <class T, class... Types>
constexpr bool isAlternative<T, std::variant<Types...>> = (std::is_same_v<T, Types> || ...);

class Value {
public:
  using Str = std::shared_ptr<const std::string>;
  using Storage =
      std::variant<std::monostate, None, Ellipsis, bool, Integer, double, Str, Type, Tensor,
                   std::shared_ptr<const Tuple>, std::shared_ptr<ListObject>, std::shared_ptr<DictObject>,
                   std::shared_ptr<SetObject>, std::shared_ptr<const SliceObject>, std::shared_ptr<const RangeObject>,
                   std::shared_ptr<const BoundMethod>, std::shared_ptr<const BlockPointer>,
                   std::shared_ptr<const Descriptor>, std::shared_ptr<const Opaque>, const Builtin *,
                   const LibraryFunction *, std::shared_ptr<Function>, std::shared_ptr<Class>,
                   std::shared_ptr<Instance>, std::shared_ptr<Module>>;

  Value() = default; // no value: an unbound name, a missing argument
  Value(None) : data(None{}) {}
  Value(bool value) : data(value) {}
  Value(Integer value) : data(value) {}
  Value(int value) : data(Integer(value)) {}
  Value(int64_t value) : data(Integer(value)) {}
  Value(double value) : data(value) {}
  Value(std::string value) : data(std::make_shared<const std::string>(std::move(value))) {}
  Value(const char *value) : Value(std::string(value)) {}
  Value(Storage storage) : data(std::move(storage)) {}
  template <class T>
    requires isAlternative<T, Storage>
  Value(T value) : data(std::in_place_type<T>, std::move(value)) {}
  static Value tuple(Values items, std::shared_ptr<const Class> cls = nullptr);

  explicit operator bool() const { return !std::holds_alternative<std::monostate>(data); }
  template <class T> bool is() const { return std::holds_alternative<T>(data); }
  template <class T> const T *get() const { return std::get_if<T>(&data); }
  // The object behind a shared_ptr alternative, or null: `value.object<Tuple>()`.
  template <class T> T *object() const {
    if (auto *shared = std::get_if<std::shared_ptr<T>>(&data))
      return shared->get();
    return nullptr;
  }
  template <class T> const T *constant() const {
    if (auto *shared = std::get_if<std::shared_ptr<const T>>(&data))
      return shared->get();
    return nullptr;
  }
  bool isNone() const { return is<None>(); }
  bool isTensor() const { return is<Tensor>(); }
  const Tensor &tensor() const { return std::get<Tensor>(data); }
  const Tuple *asTuple() const { return constant<Tuple>(); }
  const std::string *str() const {
    auto *s = get<Str>();
    return s ? s->get() : nullptr;
  }
  // bool counts as an integer, as in Python.
  std::optional<Integer> integer() const;
  std::optional<double> number() const; // bool, int or float
  // True when nothing in it exists only at run time: such a value is a constexpr inside a kernel.
  bool isConstant() const;

  const Storage &storage() const { return data; }

  // Set on values made by `tl.constexpr(…)`: kernels may read only such globals.
  bool isConstexpr = false;

private:
  Storage data;
};

struct SliceObject {
  Value lower, upper, step;
};
struct RangeObject {
  enum class Kind { Python, Dynamic, Static } kind = Kind::Python; // range, tl.range, tl.static_range
  Value start, stop, step;
  std::map<std::string, Value> options; // num_stages, flatten, warp_specialize …
};
// The integers of a range whose bounds are known: start, start + step, …
struct Progression {
  Integer start, step, count;
};
// None when a bound is a tensor, the step is 0, or a bound is too large to count with.
std::optional<Progression> progressionOf(const RangeObject &range);
struct BoundMethod {
  Value self, function;
};
struct BlockPointer {
  Tensor base;                                 // scalar pointer
  std::vector<Tensor> shape, strides, offsets; // scalars: i64, i64, i32 or i64
  Shape blockShape;
  std::vector<int> order;
};
struct Descriptor {
  mlir::Value ir;
  Type block;                         // block type of one access
  std::vector<Tensor> shape, strides; // scalars: i32, i64
  bool nanPadding = false;
};

// A class of the source: aggregate, named tuple, dataclass, enum or plain.
struct Class {
  std::string name;
  enum class Kind { Plain, Aggregate, NamedTuple, Dataclass, Enum } kind = Kind::Plain;
  std::vector<std::shared_ptr<Class>> bases;
  std::vector<std::string> fields;         // annotated fields in order
  std::map<std::string, Value> attributes; // methods, constants, field defaults
  std::shared_ptr<Module> module;
  Value lookup(const std::string &name) const; // through the bases; no value when absent
  bool isSubclassOf(const Class &other) const;
  bool isOpaque = false;                     // it has a base that is not known: any attribute may exist
  bool isFrozen = false, isHashable = false; // a dataclass's options
};
struct Instance {
  std::shared_ptr<Class> cls;
  std::map<std::string, Value> fields;
};

// Names of a scope; lookups go on in `parent`.
struct Scope {
  std::map<std::string, Value, std::less<>> names;
  std::shared_ptr<Scope> parent;
  bool isComprehension = false; // `:=` inside it binds in the scope around it
  bool isClass = false;         // functions defined in it do not see its names
  Value *find(std::string_view name);
};

// As Python's repr(). `custom` may have a text of its own for an object, or none ("").
using CustomText = std::function<std::string(const Value &object)>;
std::string repr(const Value &value, const CustomText &custom = nullptr);
std::string toString(const Value &value); // as Python's str()
std::string integerText(Integer value);
std::string floatText(double value);            // as Python's repr(): 1.0, 1e-05, inf
std::string quoted(const std::string &text);    // as Python's repr()
std::string languageName(const Type &type);     // float32, int64: its name in `tl`
std::string typeName(const Value &value);       // int, str, tuple, tensor<128xf32> …: for messages
bool identical(const Value &a, const Value &b); // Python's `is`
bool equal(const Value &a, const Value &b);     // Python's `==` on constants
// Two items of containers: one object is equal to itself without a look at it (nan, lists of lists of lists).
bool equalItems(const Value &a, const Value &b);

} // namespace nereid::lang
