// JsonFields.h: a JSON object read field by field. The first mistake is kept, with the path of the field: what is read
// after it does not matter.
#pragma once

#include "nereid/result.hpp"

#include "llvm/Support/JSON.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::learn {

// The object that a text is, which may be anybody's: bounded in size and depth.
Result<llvm::json::Object> parseJsonObject(const std::string &name, std::string_view text);

class JsonFields {
public:
  JsonFields(const llvm::json::Object &object, std::string path, std::string &problem)
      : object(object), path(std::move(path)), problem(problem) {}

  // A field that has to be there.
  std::string text(std::string_view key);
  // Fields that may be missing.
  std::string textOr(std::string_view key, std::string fallback);
  bool flag(std::string_view key);
  double number(std::string_view key, double fallback);
  // A count: from 0 to `largest`.
  int64_t count(std::string_view key, int64_t fallback, int64_t largest = int64_t(1) << 53);
  std::vector<std::string> texts(std::string_view key);
  const llvm::json::Value *value(std::string_view key);
  void eachObject(std::string_view key, const std::function<void(JsonFields)> &visit);
  void objectAt(std::string_view key, const std::function<void(JsonFields)> &visit);
  void eachNumber(std::string_view key, const std::function<void(const std::string &name, double value)> &visit);

  bool has(std::string_view key) const { return object.get(llvm::StringRef(key)) != nullptr; }
  // Fields that nobody asked for are mistakes, too: a misspelt name would be ignored in silence.
  void finish();
  // What is wrong with a field.
  void refuse(std::string_view key, const std::string &why);
  const llvm::json::Object &fields() const { return object; }

private:
  const llvm::json::Object &object;
  std::string path;
  std::string &problem;
  std::vector<std::string> known;
};

} // namespace nereid::learn
