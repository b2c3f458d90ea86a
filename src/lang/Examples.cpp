#include "lang/Examples.h"

#include "lang/builtins/LibdeviceTable.h"
#include "support/EmbeddedText.h"

#include <vector>

namespace nereid::lang {

namespace {

constexpr EmbeddedText kFiles[] = {
#include "lang/Examples.inc"
    {"", ""}};

// # tl.max, tl.min: run x=randn:f32[8] …
struct Head {
  std::string_view names, words;
};
std::optional<Head> readHead(std::string_view line) {
  size_t colon = line.find(": ");
  if (!line.starts_with("# ") || colon == std::string_view::npos)
    return std::nullopt;
  Head head{line.substr(2, colon - 2), line.substr(colon + 2)};
  bool isCommand = head.words.starts_with("run ") || head.words.starts_with("compile ");
  return isCommand ? std::optional(head) : std::nullopt;
}

bool names(const Head &head, std::string_view name) {
  for (std::string_view rest = head.names; !rest.empty();) {
    std::string_view one = rest.substr(0, rest.find(", "));
    rest.remove_prefix(std::min(rest.size(), one.size() + 2));
    if (one == name)
      return true;
  }
  return false;
}

std::string_view trimmedLines(std::string_view text) {
  while (text.ends_with("\n\n"))
    text.remove_suffix(1);
  return text;
}

std::string lastFunction(std::string_view text) {
  size_t at = text.rfind("\ndef ") + 5;
  return std::string(text.substr(at, text.find('(', at) - at));
}

std::optional<Example> findIn(std::string_view file, std::string_view name) {
  std::string_view imports;
  for (size_t begin = 0; begin < file.size();) {
    size_t end = file.find("\n# ", begin); // up to the next head
    while (end != std::string_view::npos && !readHead(file.substr(end + 1, file.find('\n', end + 1) - end - 1)))
      end = file.find("\n# ", end + 1);
    end = end == std::string_view::npos ? file.size() : end + 1;
    std::string_view part = file.substr(begin, end - begin), line = part.substr(0, part.find('\n'));
    std::optional<Head> head = readHead(line);
    if (!head)
      imports = trimmedLines(part);
    else if (names(*head, name)) {
      std::string_view body = trimmedLines(part.substr(line.size() + 1));
      bool hasImports = body.starts_with("import") || body.starts_with("from");
      return Example{std::string(imports) + (hasImports ? "" : "\n\n") + std::string(body), lastFunction(part),
                     std::string(head->words)};
    }
    begin = end;
  }
  return std::nullopt;
}

std::optional<Example> findWritten(std::string_view name) {
  for (const EmbeddedText &file : kFiles)
    if (std::optional<Example> found = findIn(file.text, name))
      return found;
  return std::nullopt;
}

// tl.math.exp: the example of tl.exp with the longer name.
std::optional<Example> mathExample(std::string_view last) {
  std::optional<Example> example = findWritten("tl." + std::string(last));
  if (!example)
    return std::nullopt;
  std::string plain = "tl." + std::string(last) + "(";
  for (size_t at = 0; (at = example->text.find(plain, at)) != std::string::npos; at += plain.size() + 5)
    example->text.replace(at, plain.size(), "tl.math." + std::string(last) + "(");
  return example;
}

std::string_view dtypeName(char code) {
  switch (code) {
  case 'b':
  case 'i': return "i32";
  case 'u': return "u32";
  case 'l': return "i64";
  case 'w': return "u64";
  case 'f': return "f32";
  default: return "f64";
  }
}

// libdevice: a tensor for each argument of the first overload, and one for the result.
std::optional<Example> libdeviceExample(std::string_view last) {
  for (const LibdeviceFunction &function : libdeviceFunctions()) {
    if (function.name != last)
      continue;
    size_t arrow = function.variants.find('>');
    std::string parameters, loads, words;
    for (size_t i = 0; i < arrow; ++i) {
      std::string name(1, "xyzw"[i]), type(dtypeName(function.variants[i]));
      bool isFloat = type.starts_with('f');
      parameters += name + ", ";
      loads += (i ? ", " : "") + ("tl.load(" + name + " + i)");
      words += name + (isFloat ? "=rand:" : "=randint(1,9):") + type + "[8] ";
    }
    std::string called(last);
    return Example{
        "import triton\nimport triton.language as tl\nfrom triton.language.extra import libdevice\n\n\n"
        "@triton.jit\ndef " +
            called + "(" + parameters + "out):\n    i = tl.arange(0, 8)\n    tl.store(out + i, libdevice." + called +
            "(" + loads + "))\n",
        called, "run " + words + "out=empty:" + std::string(dtypeName(function.variants[arrow + 1])) + "[8] --grid 1"};
  }
  return std::nullopt;
}

} // namespace

std::optional<Example> findExample(std::string_view name) {
  constexpr std::string_view kMath = "tl.math.", kLibdevice = "tl.extra.libdevice.";
  if (std::optional<Example> found = findWritten(name))
    return found;
  if (name.starts_with(kMath))
    return mathExample(name.substr(kMath.size()));
  if (name.starts_with(kLibdevice))
    return libdeviceExample(name.substr(kLibdevice.size()));
  return std::nullopt;
}

} // namespace nereid::lang
