// ReadSource.cpp: files and bytes become Sources: bounded size, declared encoding, byte order mark.
#include "support/ReadFile.h"
#include "syntax/Encoding.h"
#include "syntax/Parser.h"

#include <sys/stat.h>

namespace nereid::syntax {

static SourceRef tooLarge(const std::string &name, Diagnostics &diagnostics) {
  diagnostics.error("`" + name + "` is too large for a source file (the limit is " +
                    std::to_string(kMaxSourceBytes >> 20) + " MiB)");
  return nullptr;
}

SourceRef readSource(const std::string &path, Diagnostics &diagnostics) {
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    diagnostics.error("expected a Python file, but `" + path + "` is a directory");
    return nullptr;
  }
  std::string problem;
  std::optional<std::string> bytes = readFile(path, kMaxSourceBytes + 1, problem);
  if (!bytes) {
    diagnostics.error("cannot read `" + path + "`: " + problem);
    return nullptr;
  }
  return makeSource(path, std::move(*bytes), diagnostics);
}

// With a byte order mark, Python takes `utf-8` and its extensions (`utf-8-unix`), but not the alias `utf8`.
static bool isUtf8WithMark(std::string_view name) {
  constexpr std::string_view kName = "utf-8";
  for (size_t i = 0; i < kName.size(); ++i)
    if (i >= name.size() ||
        (kName[i] == '-' ? name[i] != '-' && name[i] != '_' : (name[i] | 0x20) != kName[i] && name[i] != kName[i]))
      return false;
  return name.size() == kName.size() || name[kName.size()] == '-' || name[kName.size()] == '_';
}

SourceRef makeSource(std::string name, std::string bytes, Diagnostics &diagnostics) {
  if (bytes.size() > kMaxSourceBytes)
    return tooLarge(name, diagnostics);
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  bool marked = std::string_view(bytes).starts_with(kByteOrderMark);
  if (marked)
    bytes.erase(0, kByteOrderMark.size());
  auto declaration = declaredEncoding(bytes);
  if (!declaration)
    return std::make_shared<Source>(std::move(name), std::move(bytes));
  Encoding encoding = findEncoding(declaration->name);
  auto refuse = [&](SourceRange range, const std::string &message) {
    diagnostics.error(std::make_shared<Source>(name, bytes), range, message);
    return nullptr;
  };
  std::string encodingName = "`" + std::string(declaration->name) + "`";
  if (encoding.family == EncodingFamily::Unknown)
    return refuse(declaration->range, "the encoding " + encodingName + " is not known; save the file as UTF-8");
  if (marked && !isUtf8WithMark(declaration->name))
    return refuse(declaration->range, "the file begins with a UTF-8 mark but declares the encoding " + encodingName);
  if (auto bad = decodeToUtf8(encoding, bytes))
    return refuse({static_cast<uint32_t>(*bad), static_cast<uint32_t>(*bad + 1)},
                  "this byte has no meaning in the declared encoding " + encodingName);
  return std::make_shared<Source>(std::move(name), std::move(bytes));
}

} // namespace nereid::syntax
