// Foreign.h: an object of the process that embeds the compiler (a Python module, class, function …), seen through
// questions. The compiler runs such code only where the embedding process says that it may, and only with constants.
#pragma once

#include "lang/Builtin.h"
#include "lang/Value.h"

namespace nereid::lang {

class ConstEval;

class Foreign {
public:
  virtual ~Foreign() = default;

  // No value when there is none.
  virtual Value attribute(ConstEval &eval, const std::string &name) const = 0;
  // Whether compile-time code and kernels may call it: a constexpr function, and with nothing but constants what a module
  // has (`torch.finfo`).
  virtual bool isCallable(bool withConstants) const = 0;
  // The jit function that does the same inside of a kernel; no value when there is none.
  virtual Value asFunction() const { return {}; }
  // No value where it turns out to call functions of the language, which asFunction() may.
  virtual Value call(ConstEval &eval, std::vector<CallArgument> arguments) const = 0;
  // Whether a kernel may read a global variable that holds it: a module, a class, a constexpr function.
  virtual bool isReadable() const = 0;
  // Whether its path stands for all that it answers, in every process: a type of torch. Any other object may answer otherwise
  // the next time it is asked.
  virtual bool isAlwaysTheSame() const { return false; }
  // Whether it is a function without a decorator.
  virtual bool isPlainFunction() const { return false; }
};

// A value that stands for such an object; `path` names it in messages, and is the same for the same object only.
Value makeForeign(std::shared_ptr<const Foreign> object, std::string path);

} // namespace nereid::lang
