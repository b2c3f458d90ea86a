#include "Expect.h"

#include "Reference.h"
#include "Summary.h"

#include "runtime/Memory.h"
#include "runtime/Npy.h"
#include "runtime/TensorSpec.h"

#include <algorithm>

namespace nereid::tool {

namespace {

// A tensor, or a number among the arguments and the names of `--let`.
std::optional<Result<ReferenceArray>> valueOf(const LaunchWords &launch, std::string_view name) {
  for (const NamedTensor &named : launch.tensors)
    if (named.name == name)
      return ReferenceArray::of(named.tensor);
  for (const std::vector<Argument> *list : {&launch.arguments, &launch.settings.names})
    for (const Argument &argument : *list) {
      if (argument.name != name)
        continue;
      if (const int64_t *integer = std::get_if<int64_t>(&argument.value))
        return ReferenceArray::scalar(static_cast<double>(*integer));
      if (const double *number = std::get_if<double>(&argument.value))
        return ReferenceArray::scalar(*number);
      if (const bool *flag = std::get_if<bool>(&argument.value))
        return ReferenceArray::scalar(*flag);
    }
  return std::nullopt;
}

Result<ReferenceArray> evaluate(const std::string &name, const std::string &text, const LaunchWords &launch) {
  if (!text.ends_with(".npy"))
    return evaluateReference("--expect " + name, text, [&](std::string_view word) { return valueOf(launch, word); });
  Result<Tensor> tensor = runtime::readNpy(text, std::nullopt);
  return tensor ? ReferenceArray::of(*tensor) : tensor.error();
}

std::string elementText(const Tensor &tensor, int64_t index) {
  Shape place(tensor.shape().size());
  for (size_t axis = place.size(); axis-- > 0; index /= tensor.shape()[axis])
    place[axis] = index % tensor.shape()[axis];
  return shapeText(place);
}

} // namespace

std::optional<std::vector<Expectation>> readExpectations(const Words &words, const LaunchWords &launch,
                                                         Console &console, int &status) {
  auto give = [&](int value) {
    status = value;
    return std::nullopt;
  };
  std::vector<std::string> names;
  for (const NamedTensor &tensor : launch.tensors)
    names.push_back(tensor.name);
  std::vector<Expectation> expectations;
  for (const std::string &word : words.values("--expect")) {
    size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == word.size())
      return give(fail(console, "`--expect` takes NAME=EXPR or NAME=FILE.npy, not `" + word.substr(0, 80) + "`"));
    std::string name = word.substr(0, equals), text = word.substr(equals + 1);
    auto found = std::ranges::find(names, name);
    if (found == names.end())
      return give(fail(console, "`--expect`: there is no tensor argument `" + name.substr(0, 80) + "`",
                       suggestion(name, names)));
    auto index = static_cast<size_t>(found - names.begin());
    const Tensor &tensor = launch.tensors[index].tensor;
    Result<ReferenceArray> value = evaluate(name, text, launch);
    if (!value)
      return give(report(console, value.error()));
    Result<ReferenceArray> whole = broadcast(*value, tensor.shape());
    if (!whole)
      return give(fail(console, "`--expect " + name + "`: `" + text.substr(0, 80) + "` has the shape " +
                                    shapeText(value->shape) + ", but `" + name + "` is " +
                                    runtime::describe(tensor.dtype(), tensor.shape())));
    expectations.push_back({index, text, std::move(whole->values)});
  }
  return expectations;
}

int checkExpectations(const std::vector<Expectation> &expectations, const LaunchWords &launch,
                      std::optional<double> tolerance, Console &console, bool isJson, llvm::json::Array &rows) {
  int status = kFine;
  for (const Expectation &expected : expectations) {
    const auto &[name, tensor] = launch.tensors[expected.tensor];
    Difference difference = compare(tensor, expected.values, tolerance.value_or(defaultTolerance(tensor.dtype())));
    if (difference.beyond) {
      status = kCheckFailed;
      console.err << "error: `" << name << "` is not what is expected: " << difference.beyond << " of "
                  << tensor.count() << " elements differ, by up to " << shortNumber(difference.absolute) << "\n"
                  << "note: element " << elementText(tensor, difference.first) << " is "
                  << shortNumber(difference.found) << ", expected " << shortNumber(difference.expected) << "\n";
    }
    rows.push_back(llvm::json::Object{{"name", name},
                                      {"expected", jsonText(expected.text)},
                                      {"absolute", number(difference.absolute)},
                                      {"relative", number(difference.relative)},
                                      {"beyond", difference.beyond},
                                      {"equal", difference.beyond == 0}});
    if (!isJson)
      console.out << "expected " << name << ": largest difference " << shortNumber(difference.absolute) << " absolute, "
                  << shortNumber(difference.relative) << " relative\n";
  }
  return status;
}

} // namespace nereid::tool
