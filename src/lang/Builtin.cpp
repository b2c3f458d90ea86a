// Builtin.cpp: takes signatures apart, finds rows by name, and binds the arguments of a call to parameters.
#include "lang/Builtin.h"

#include "lang/emit/Emitter.h"

#include <algorithm>
#include <charconv>
#include <mutex>
#include <unordered_map>

namespace nereid::lang {

namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  return text;
}

// A default as it stands in a row: None, True, 3, -1, 0.5, "text", (), float32. Any other word is its own text.
Value parseDefault(std::string_view text) {
  if (text == "None")
    return None{};
  if (text == "True" || text == "False")
    return text == "True";
  if (text == "()" || text == "[]")
    return Value::tuple({});
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\''))
    return std::string(text.substr(1, text.size() - 2));
  int64_t integer = 0;
  const char *end = text.data() + text.size();
  if (auto [rest, error] = std::from_chars(text.data(), end, integer); error == std::errc() && rest == end)
    return integer;
  double number = 0;
  if (auto [rest, error] = std::from_chars(text.data(), end, number); error == std::errc() && rest == end)
    return number;
  if (auto type = Type::parse(text))
    return *type;
  return std::string(text);
}

Signature parseSignature(std::string_view text) {
  Signature signature;
  size_t open = text.find('('), close = text.rfind(')');
  std::string_view list = trim(text.substr(open + 1, close - open - 1));
  while (!list.empty()) {
    int depth = 0;
    bool quoted = false;
    size_t end = 0;
    for (; end < list.size() && (depth || quoted || list[end] != ','); ++end) {
      quoted ^= list[end] == '"';
      depth += !quoted && (list[end] == '(' || list[end] == '[');
      depth -= !quoted && (list[end] == ')' || list[end] == ']');
    }
    std::string_view item = trim(list.substr(0, end));
    list = end < list.size() ? trim(list.substr(end + 1)) : std::string_view();
    if (item == "*") // what follows may be given by position too: older releases allowed it
      continue;
    Signature::Parameter parameter;
    parameter.isRest = item.starts_with('*');
    if (parameter.isRest)
      item.remove_prefix(1);
    size_t equals = item.find('=');
    parameter.name = trim(item.substr(0, equals));
    if (equals != std::string_view::npos)
      parameter.defaultValue = parseDefault(trim(item.substr(equals + 1)));
    signature.parameters.push_back(std::move(parameter));
  }
  return signature;
}

struct Lookup {
  std::unordered_map<std::string, const Builtin *> bySpace; // "space/name"
  std::unordered_map<std::string_view, const Builtin *> members;

  Lookup() {
    for (const BuiltinTable &table : builtinTables())
      for (const Builtin &builtin : table.rows) {
        bySpace.emplace(std::string(table.space) + '/' + std::string(builtin.name()), &builtin);
        if (builtin.isMember)
          members.emplace(builtin.name(), &builtin);
      }
  }
};

const Lookup &lookup() {
  static const Lookup tables;
  return tables;
}

std::string ticked(std::string_view name) { return "`" + std::string(name) + "`"; }

// What functions around builtins hand on in Triton: handles of its compiler, always None here.
bool isCompilerArgument(const CallArgument &argument) {
  return argument.value.isNone() &&
         (argument.keyword == "_semantic" || argument.keyword == "_builder" || argument.keyword == "_generator");
}

size_t findParameter(Emitter &emitter, const Builtin &builtin, const Signature &signature,
                     const CallArgument &argument) {
  std::vector<std::string> names;
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    if (signature.parameters[i].name == argument.keyword)
      return i;
    names.push_back(signature.parameters[i].name);
  }
  // What NumPy and PyTorch call it.
  static constexpr std::pair<std::string_view, std::string_view> kOther[] = {{"default", "other"},
                                                                             {"fill_value", "other"},
                                                                             {"dim", "axis"},
                                                                             {"keepdim", "keep_dims"},
                                                                             {"keepdims", "keep_dims"}};
  std::vector<std::string> notes;
  for (const auto &[theirs, ours] : kOther)
    if (theirs == argument.keyword && std::ranges::find(names, ours) != names.end())
      notes.push_back("did you mean `" + std::string(ours) + "`?");
  if (std::string near = nearestName(argument.keyword, names); !near.empty() && notes.empty())
    notes.push_back("did you mean `" + near + "`?");
  if (notes.empty())
    notes.push_back(ticked(builtin.signature) + " is the signature");
  emitter.failAt(argument.range, ticked(builtin.name()) + " has no parameter " + ticked(argument.keyword), notes,
                 "TypeError");
}

} // namespace

const Value &BoundArguments::operator[](std::string_view name) const {
  static const Value missing;
  const Signature &signature = signatureOf(*builtin);
  for (size_t i = 0; i < values.size(); ++i)
    if (signature.parameters[i].name == name)
      return values[i];
  return missing;
}

const Signature &signatureOf(const Builtin &builtin) {
  static std::mutex mutex;
  static std::unordered_map<const Builtin *, std::unique_ptr<Signature>> parsed;
  std::lock_guard lock(mutex);
  auto &entry = parsed[&builtin];
  if (!entry)
    entry = std::make_unique<Signature>(parseSignature(builtin.signature));
  return *entry;
}

const Builtin *findBuiltin(std::string_view space, std::string_view name) {
  const auto &rows = lookup().bySpace;
  auto found = rows.find(std::string(space) + '/' + std::string(name));
  return found == rows.end() ? nullptr : found->second;
}

const Builtin *findMember(std::string_view name) {
  const auto &rows = lookup().members;
  auto found = rows.find(name);
  return found == rows.end() ? nullptr : found->second;
}

BoundArguments bindArguments(Emitter &emitter, const Builtin &builtin, std::span<const CallArgument> arguments) {
  const Signature &signature = signatureOf(builtin);
  const size_t count = signature.parameters.size();
  BoundArguments bound;
  bound.builtin = &builtin;
  bound.values.resize(count);
  bound.ranges.assign(count, emitter.session.place());
  bound.given.assign(count, false);
  auto give = [&](size_t index, Value value, SourceRange range) {
    bound.values[index] = std::move(value);
    bound.ranges[index] = range;
    bound.given[index] = true;
  };

  Values rest;
  size_t next = 0;
  for (const CallArgument &argument : arguments) {
    if (isCompilerArgument(argument))
      continue;
    if (!argument.keyword.empty()) {
      size_t index = findParameter(emitter, builtin, signature, argument);
      if (bound.given[index])
        emitter.failAt(argument.range, ticked(builtin.name()) + " got " + ticked(argument.keyword) + " twice", {},
                       "TypeError");
      give(index, argument.value, argument.range);
    } else if (next < count && signature.parameters[next].isRest) {
      if (rest.empty())
        bound.ranges[next] = argument.range;
      bound.ranges[next].end = argument.range.end;
      rest.push_back(argument.value);
    } else if (next < count) {
      give(next++, argument.value, argument.range);
    } else {
      emitter.failAt(argument.range, "too many arguments for " + ticked(builtin.name()),
                     {ticked(builtin.signature) + " is the signature"}, "TypeError");
    }
  }
  for (size_t i = 0; i < count; ++i) {
    const Signature::Parameter &parameter = signature.parameters[i];
    if (bound.given[i])
      continue;
    if (parameter.isRest) {
      bound.given[i] = !rest.empty();
      bound.values[i] = Value::tuple(std::move(rest));
    } else if (parameter.defaultValue) {
      bound.values[i] = parameter.defaultValue;
    } else {
      emitter.fail(ticked(builtin.name()) + " needs the argument " + ticked(parameter.name),
                   {ticked(builtin.signature) + " is the signature"}, "TypeError");
    }
  }
  return bound;
}

} // namespace nereid::lang
