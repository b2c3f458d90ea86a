// Tables.cpp: the list of all host types and modules. A new one adds its name to the declaration and to the list.
#include "lang/host/Tables.h"

// clang-format off (tables)
namespace nereid::lang {

std::span<const HostType *const> hostTypes() {
  static const std::vector<const HostType *> types = [] {
    std::vector<const HostType *> list = {&objectType,
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
    for (const HostType &type : exceptionTypes())
      list.push_back(&type);
    for (const HostType &type : inertTypes())
      list.push_back(&type);
    for (const HostType &type : languageTypes())
      list.push_back(&type);
    return list;
  }();
  return types;
}

std::span<const HostModule *const> hostModules() {
  static const HostModule *const modules[] = {&builtinsModule,
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

Value firstArgument(HostCall &call) { return call[0]; }

Value unknownCall(HostCall &call) { return makeOpaque(std::string(call.function.name) + "()"); }

} // namespace nereid::lang
