// Tables.cpp: the list of all types and modules. A new one adds its name to the declaration and to the list.
#include "lang/evaluate/library/Tables.h"

// clang-format off (tables)
namespace nereid::lang {

std::span<const LibraryType *const> libraryTypes() {
  static const std::vector<const LibraryType *> types = [] {
    std::vector<const LibraryType *> list = {&objectType,
                                             &typeType,
                                             &noneType,
                                             &boolType,
                                             &intType,
                                             &floatType,
                                             &complexType,
                                             &strType,
                                             &bytesType,
                                             &tupleType,
                                             &listType,
                                             &dictType,
                                             &setType,
                                             &frozensetType,
                                             &rangeType,
                                             &sliceType,
                                             &functionType,
                                             &moduleType,
                                             &iteratorType,
                                             &dictViewType,
                                             &dictKeysType,
                                             &dictValuesType,
                                             &dictItemsType,
                                             &superType,
                                             &propertyType,
                                             &staticmethodType,
                                             &classmethodType,
                                             &namedTupleType,
                                             &enumType,
                                             &intEnumType,
                                             &strEnumType,
                                             &flagType,
                                             &intFlagType,
                                             &autoType,
                                             &fieldType,
                                             &orderedDictType,
                                             &defaultDictType,
                                             &constexprType,
                                             &dtypeType,
                                             &pointerTypeType,
                                             &blockTypeType,
                                             &tensorType,
                                             &tensorDescriptorType,
                                             &constType,
                                             &jitFunctionType,
                                             &configType,
                                             &hostDescriptorType,
                                             &versionType,
                                             &environType,
                                             &floatInfoType,
                                             &integerInfoType,
                                             &targetType};
    for (const LibraryType &type : exceptionTypes())
      list.push_back(&type);
    for (const LibraryType &type : inertTypes())
      list.push_back(&type);
    for (const LibraryType &type : languageTypes())
      list.push_back(&type);
    return list;
  }();
  return types;
}

std::span<const LibraryModule *const> libraryModules() {
  static const LibraryModule *const modules[] = {&builtinsModule,
                                                 &mathModule,
                                                 &itertoolsModule,
                                                 &functoolsModule,
                                                 &operatorModule,
                                                 &typingModule,
                                                 &typingExtensionsModule,
                                                 &copyModule,
                                                 &dataclassesModule,
                                                 &enumModule,
                                                 &collectionsModule,
                                                 &collectionsAbcModule,
                                                 &abcModule,
                                                 &osModule,
                                                 &sysModule,
                                                 &platformModule,
                                                 &importlibModule,
                                                 &importlibUtilModule,
                                                 &importlibMetadataModule,
                                                 &packagingModule,
                                                 &packagingVersionModule,
                                                 &tritonModule,
                                                 &tritonRuntimeModule,
                                                 &tritonJitModule,
                                                 &tritonAutotunerModule,
                                                 &tritonDriverModule,
                                                 &tritonActiveModule,
                                                 &tritonCompilerModule,
                                                 &tritonToolsDescriptorModule,
                                                 &tritonLanguageModule,
                                                 &tritonTargetModule,
                                                 &torchModule,
                                                 &torchVersionModule,
                                                 &torchCudaModule,
                                                 &torchXpuModule};
  return modules;
}

Value firstArgument(LibraryCall &call) { return call[0]; }

Value unknownCall(LibraryCall &call) { return makeOpaque(std::string(call.function.name) + "()"); }

} // namespace nereid::lang
