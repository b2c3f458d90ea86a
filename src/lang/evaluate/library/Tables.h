// Tables.h: the tables of library/*.cpp, and helpers that several of them share.
#pragma once

#include "lang/evaluate/LibraryFunction.h"

namespace nereid::lang {

Value firstArgument(LibraryCall &call); // of decorators that change nothing
Value unknownCall(LibraryCall &call);   // a value that nothing here needs to know
Value formatMethod(LibraryCall &call);  // str.format (StringFormat.cpp)
Value percentFormat(LibraryCall &call); // str % values
void sortValues(ConstEval &eval, Values &items, const Value &key, bool isReversed);

extern const LibraryType objectType, typeType, noneType, boolType, intType, floatType, complexType, strType, bytesType,
    tupleType, listType, dictType, setType, frozensetType, rangeType, sliceType, functionType, moduleType, iteratorType,
    dictViewType, dictKeysType, dictValuesType, dictItemsType, superType, propertyType, staticmethodType,
    classmethodType, namedTupleType, enumType, intEnumType, strEnumType, flagType, intFlagType, autoType, fieldType,
    orderedDictType, defaultDictType, constexprType, dtypeType, pointerTypeType, blockTypeType, tensorType,
    tensorDescriptorType, constType, jitFunctionType, configType, hostDescriptorType, versionType, environType,
    floatInfoType, integerInfoType, targetType;
extern const LibraryModule builtinsModule, mathModule, itertoolsModule, functoolsModule, operatorModule, typingModule,
    typingExtensionsModule, copyModule, dataclassesModule, enumModule, collectionsModule, collectionsAbcModule,
    abcModule, osModule, sysModule, platformModule, importlibModule, importlibUtilModule, importlibMetadataModule,
    packagingModule, packagingVersionModule, tritonModule, tritonRuntimeModule, tritonJitModule, tritonAutotunerModule,
    tritonDriverModule, tritonActiveModule, tritonCompilerModule, tritonToolsDescriptorModule, tritonLanguageModule,
    tritonTargetModule, torchModule, torchVersionModule, torchCudaModule, torchXpuModule;

// Constructors whose types stand in another file, and decorators that `triton` and `triton.language` share.
extern const LibraryFunction *const strConstructor,
    *const tupleConstructor, *const listConstructor, *const dictConstructor, *const setConstructor,
                                                                                 *const frozensetConstructor,
                                                                                     *const defaultDictConstructor,
                                                                                         *const namedTupleConstructor,
                                                                                             *const rangeConstructor;
extern const LibraryFunction *const constexprFunctionRow, *const aggregateRow, *const mustUseResultRow;

std::span<const LibraryType> exceptionTypes();
std::span<const LibraryType> languageTypes(); // names of `tl` that only isinstance uses
std::span<const LibraryType> inertTypes();    // names of `typing` and `abc` that only annotations and base lists use

} // namespace nereid::lang
