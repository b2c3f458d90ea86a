// Builtins.cpp: the list of all families. A new family file adds one line to each list.
#include "lang/Builtin.h"

namespace nereid::lang {

BuiltinTable atomicBuiltins();
BuiltinTable descriptorBuiltins();
BuiltinTable descriptorMethods();
BuiltinTable dotBuiltins();
BuiltinTable dotScaledBuiltins();
BuiltinTable programBuiltins();
BuiltinTable memoryBuiltins();
BuiltinTable blockPointerBuiltins();
BuiltinTable creationBuiltins();
BuiltinTable shapeBuiltins();
BuiltinTable castBuiltins();
BuiltinTable tensorMethods();
BuiltinTable typeMethods();

std::span<const BuiltinTable> builtinTables() {
  static const std::vector<BuiltinTable> tables = {
      atomicBuiltins(), descriptorBuiltins(), descriptorMethods(), dotBuiltins(), dotScaledBuiltins(),
      programBuiltins(), memoryBuiltins(), blockPointerBuiltins(), creationBuiltins(), shapeBuiltins(), castBuiltins(),
      tensorMethods(),   typeMethods(),
  };
  return tables;
}

} // namespace nereid::lang
