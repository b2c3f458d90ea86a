#include "learn/JsonFields.h"

#include "support/Diagnostic.h"
#include "support/JsonDepth.h"

#include <algorithm>

namespace nereid::learn {

Result<llvm::json::Object> parseJsonObject(const std::string &name, std::string_view text) {
  if (isTooDeepForJson(text))
    return Error{Status::BadInput,
                 "`" + name + "`: its brackets are nested more than " + std::to_string(kDeepestJson) + " deep"};
  auto parsed = llvm::json::parse(text);
  if (!parsed)
    return Error{Status::BadInput, "`" + name + "`: " + llvm::toString(parsed.takeError())};
  if (llvm::json::Object *object = parsed->getAsObject())
    return std::move(*object);
  return Error{Status::BadInput, "`" + name + "`: an object is expected"};
}

void JsonFields::refuse(std::string_view key, const std::string &why) {
  if (problem.empty())
    problem = "`" + path + (path.empty() ? "" : ".") + std::string(key) + "`: " + why;
}

const llvm::json::Value *JsonFields::value(std::string_view key) {
  known.emplace_back(key);
  return object.get(llvm::StringRef(key));
}

std::string JsonFields::text(std::string_view key) {
  const llvm::json::Value *found = value(key);
  if (!found) {
    refuse(key, "it is missing; a text is expected");
    return {};
  }
  known.pop_back();
  return textOr(key, {});
}

std::string JsonFields::textOr(std::string_view key, std::string fallback) {
  const llvm::json::Value *found = value(key);
  if (!found)
    return fallback;
  if (auto text = found->getAsString())
    return text->str();
  if (auto integer = found->getAsInteger()) // a grid of 1
    return std::to_string(*integer);
  refuse(key, "a text is expected");
  return fallback;
}

bool JsonFields::flag(std::string_view key) {
  const llvm::json::Value *found = value(key);
  if (found && !found->getAsBoolean())
    refuse(key, "true or false is expected");
  return found && found->getAsBoolean().value_or(false);
}

double JsonFields::number(std::string_view key, double fallback) {
  const llvm::json::Value *found = value(key);
  if (found && !found->getAsNumber())
    refuse(key, "a number is expected");
  return found ? found->getAsNumber().value_or(fallback) : fallback;
}

int64_t JsonFields::count(std::string_view key, int64_t fallback, int64_t largest) {
  const llvm::json::Value *found = value(key);
  if (!found)
    return fallback;
  std::optional<int64_t> integer = found->getAsInteger();
  if (integer && *integer >= 0 && *integer <= largest)
    return *integer;
  refuse(key, "an integer from 0 to " + std::to_string(largest) + " is expected");
  return fallback;
}

std::vector<std::string> JsonFields::texts(std::string_view key) {
  std::vector<std::string> list;
  const llvm::json::Value *found = value(key);
  if (!found)
    return list;
  const llvm::json::Array *array = found->getAsArray();
  if (!array) {
    refuse(key, "a list of texts is expected");
    return list;
  }
  for (size_t i = 0; i < array->size(); ++i) {
    if (auto text = (*array)[i].getAsString())
      list.push_back(text->str());
    else
      refuse(std::string(key) + "[" + std::to_string(i) + "]", "a text is expected");
  }
  return list;
}

void JsonFields::eachObject(std::string_view key, const std::function<void(JsonFields)> &visit) {
  const llvm::json::Value *found = value(key);
  if (!found)
    return;
  const llvm::json::Array *array = found->getAsArray();
  if (!array)
    return refuse(key, "a list of objects is expected");
  for (size_t i = 0; i < array->size(); ++i) {
    std::string name = std::string(key) + "[" + std::to_string(i) + "]";
    if (const llvm::json::Object *item = (*array)[i].getAsObject())
      visit(JsonFields(*item, path + (path.empty() ? "" : ".") + name, problem));
    else
      refuse(name, "an object is expected");
  }
}

void JsonFields::objectAt(std::string_view key, const std::function<void(JsonFields)> &visit) {
  const llvm::json::Value *found = value(key);
  if (!found)
    return;
  if (const llvm::json::Object *item = found->getAsObject())
    visit(JsonFields(*item, path + (path.empty() ? "" : ".") + std::string(key), problem));
  else
    refuse(key, "an object is expected");
}

void JsonFields::eachNumber(std::string_view key,
                            const std::function<void(const std::string &name, double value)> &visit) {
  const llvm::json::Value *found = value(key);
  if (!found)
    return;
  const llvm::json::Object *item = found->getAsObject();
  if (!item)
    return refuse(key, "an object of numbers is expected");
  for (const auto &[name, number] : *item) {
    if (auto value = number.getAsNumber())
      visit(name.str(), *value);
    else
      refuse(std::string(key) + "." + name.str(), "a number is expected");
  }
}

void JsonFields::finish() {
  for (const auto &[name, value] : object) {
    if (std::ranges::find(known, name.str()) != known.end())
      continue;
    std::string nearest = nearestName(name.str(), known);
    refuse(name.str(), "there is no such field" + (nearest.empty() ? "" : "; did you mean `" + nearest + "`?"));
  }
}

} // namespace nereid::learn
