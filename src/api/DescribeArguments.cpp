#include "api/DescribeArguments.h"

#include "nereid/dtype.hpp"

#include <charconv>
#include <iterator>

namespace nereid::api {

static void describeTensor(profile::Launch &launch, std::string_view name, const nereid_tensor &tensor) {
  if (tensor.dtype < 0 || tensor.dtype >= kDTypeCount || tensor.rank < 0 || tensor.rank > 32)
    return;
  char type[16] = "*";
  std::string_view element = nameOf(static_cast<DType>(tensor.dtype));
  element.copy(type + 1, sizeof type - 2);
  profile::Argument &argument = launch.addArgument(name, {type, 1 + element.size()});
  if (tensor.shape)
    argument.shape.assign(tensor.shape, tensor.shape + tensor.rank);
}

static void describe(profile::Launch &launch, std::string_view name, bool isConstexpr, const nereid_argument &given) {
  auto add = [&](std::string_view type) -> std::string & {
    return launch.addArgument(name, isConstexpr ? "constexpr" : type).value;
  };
  char text[40];
  auto setNumber = [&](std::string_view type, auto number) {
    add(type).assign(text, std::to_chars(text, std::end(text), number).ptr);
  };
  switch (given.kind) {
  case NEREID_TENSOR:
  case NEREID_DESCRIPTOR: return describeTensor(launch, name, given.tensor);
  case NEREID_NONE: add("none") = "None"; break;
  case NEREID_BOOL: add("bool") = given.integer ? "True" : "False"; break;
  case NEREID_INT: setNumber("int", given.integer); break;
  case NEREID_UINT: setNumber("int", static_cast<uint64_t>(given.integer)); break;
  case NEREID_FLOAT: setNumber("float", given.number); break;
  case NEREID_STRING:
  case NEREID_EXPRESSION: add("str") = given.string ? given.string : ""; break;
  case NEREID_TUPLE: add("tuple") = std::to_string(given.item_count) + " values"; break;
  default: break;
  }
}

void describeArguments(profile::Launch &launch, const lang::Function &kernel, const nereid_argument *arguments,
                       size_t count) {
  if (kernel.module && kernel.module->source)
    launch.setSource(kernel.module->source->name(), kernel.name);
  for (size_t i = 0; i < count; ++i) {
    const lang::Parameter *parameter = nullptr;
    if (arguments[i].name) {
      for (const lang::Parameter &known : kernel.parameters)
        if (known.name == arguments[i].name)
          parameter = &known;
    } else if (i < kernel.parameters.size()) {
      parameter = &kernel.parameters[i];
    }
    if (parameter)
      describe(launch, parameter->name, parameter->isConstexpr, arguments[i]);
  }
}

} // namespace nereid::api
