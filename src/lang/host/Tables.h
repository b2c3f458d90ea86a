// Tables.h: the tables of host/*.cpp, and helpers that several of them share.
#pragma once

#include "lang/HostFunction.h"

namespace nereid::lang {

void sortValues(ConstEval &eval, Values &items, const Value &key, bool isReversed);

// Types.
extern const HostType objectType, typeType, noneType, boolType, intType, floatType, complexType, strType, bytesType, tupleType, listType, dictType,
    setType, frozensetType, rangeType, sliceType, functionType, moduleType, iteratorType, superType, propertyType, staticmethodType,
    classmethodType;
extern const HostType namedTupleType, enumType, intEnumType, strEnumType, flagType, intFlagType, autoType, fieldType, orderedDictType, defaultDictType;
extern const HostType constexprType, dtypeType, pointerTypeType, blockTypeType, tensorType, tlTupleType, tensorDescriptorType, constType, jitFunctionType,
    configType, hostDescriptorType, versionType, floatInfoType, integerInfoType, targetType;
std::span<const HostType> exceptionTypes();
std::span<const HostType> inertTypes(); // names of `typing` and `abc` that only annotations and base lists use

// Modules.
extern const HostModule builtinsModule, mathModule, itertoolsModule, functoolsModule, operatorModule, typingModule, typingExtensionsModule,
    copyModule, dataclassesModule, enumModule, collectionsModule, collectionsAbcModule, abcModule, osModule, osPathModule, sysModule, platformModule, importlibModule,
    importlibUtilModule, importlibMetadataModule, packagingModule, packagingVersionModule, warningsModule, contextlibModule;
extern const HostModule tritonModule, tritonLanguageModule, tritonRuntimeModule, tritonToolsDescriptorModule;
extern const HostModule torchModule, torchVersionModule, torchCudaModule;

} // namespace nereid::lang
