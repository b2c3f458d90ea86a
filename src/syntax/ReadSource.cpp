// ReadSource.cpp: files and bytes become Sources: bounded size, declared encoding, byte order mark.
#include "syntax/Encoding.h"
#include "syntax/Parser.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sys/stat.h>

namespace nereid::syntax {

static SourceRef tooLarge(const std::string &name, Diagnostics &diagnostics) {
  diagnostics.error("`" + name + "` is too large for a source file (the limit is " +
                    std::to_string(kMaxSourceBytes >> 20) + " MiB)");
  return nullptr;
}

static SourceRef cannotRead(const std::string &path, Diagnostics &diagnostics) {
  diagnostics.error("cannot read `" + path + "`: " + std::strerror(errno));
  return nullptr;
}

SourceRef readSource(const std::string &path, Diagnostics &diagnostics) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0)
    return cannotRead(path, diagnostics);
  if (S_ISDIR(status.st_mode)) {
    diagnostics.error("expected a Python file, but `" + path + "` is a directory");
    return nullptr;
  }
  if (S_ISREG(status.st_mode) && static_cast<size_t>(status.st_size) > kMaxSourceBytes)
    return tooLarge(path, diagnostics);
  std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file)
    return cannotRead(path, diagnostics);
  // The size can change, and pipes and devices have none: read until the end or just past the limit.
  std::string bytes;
  size_t wanted = S_ISREG(status.st_mode) ? static_cast<size_t>(status.st_size) + 1 : size_t(64) << 10;
  for (size_t size = 0;; wanted = size) {
    bytes.resize(size + wanted);
    size_t count = std::fread(bytes.data() + size, 1, wanted, file.get());
    size += count;
    if (count == wanted && size <= kMaxSourceBytes)
      continue;
    bytes.resize(size);
    break;
  }
  if (std::ferror(file.get()))
    return cannotRead(path, diagnostics);
  return makeSource(path, std::move(bytes), diagnostics);
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
