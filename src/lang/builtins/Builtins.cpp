// Builtins.cpp: the list of all families. A new family file adds one line to each list. Where two tables of one space have
// a row of the same name, the first one counts.
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
BuiltinTable mathBuiltins();
BuiltinTable mathModuleBuiltins();
BuiltinTable selectBuiltins();
BuiltinTable selectMathBuiltins();
BuiltinTable reduceBuiltins();
BuiltinTable scanBuiltins();
BuiltinTable sortBuiltins();
BuiltinTable histogramBuiltins();
BuiltinTable mapBuiltins();
BuiltinTable hintBuiltins();
BuiltinTable debugBuiltins();
BuiltinTable profilerBuiltins();
BuiltinTable inlineAsmBuiltins();
BuiltinTable externBuiltins();
BuiltinTable libdeviceBuiltins();
BuiltinTable iteratorBuiltins();
BuiltinTable cudaBuiltins();

std::span<const BuiltinTable> builtinTables() {
  static const std::vector<BuiltinTable> tables = {
      atomicBuiltins(),    descriptorBuiltins(), descriptorMethods(),    dotBuiltins(),      dotScaledBuiltins(),
      programBuiltins(),   memoryBuiltins(),     blockPointerBuiltins(), creationBuiltins(), shapeBuiltins(),
      castBuiltins(),      tensorMethods(),      typeMethods(),          mathBuiltins(),     mathModuleBuiltins(),
      selectBuiltins(),    selectMathBuiltins(), reduceBuiltins(),       scanBuiltins(),     sortBuiltins(),
      histogramBuiltins(), mapBuiltins(),        hintBuiltins(),         debugBuiltins(),    profilerBuiltins(),
      inlineAsmBuiltins(), externBuiltins(),     libdeviceBuiltins(),    iteratorBuiltins(), cudaBuiltins(),
  };
  return tables;
}

} // namespace nereid::lang
