#include "syntax/Parser.h"

#include "syntax/FileParser.h"
#include "syntax/Unicode.h"

namespace nereid::syntax {

ParsedFile::ParsedFile(SourceRef source) : source(std::move(source)), arena(std::make_unique<Arena>()) {}
ParsedFile::~ParsedFile() = default;
ParsedFile::ParsedFile(ParsedFile &&) noexcept = default;

// What the lexer relies on: a bounded size, no NUL before the end, UTF-8 throughout.
static bool checkText(const SourceRef &source, Diagnostics &diagnostics) {
  std::string_view text = source->text();
  if (text.size() > kMaxSourceBytes) {
    diagnostics.error("`" + source->name() + "` has " + std::to_string(text.size() >> 20) +
                      " MiB; the limit for a source file is " + std::to_string(kMaxSourceBytes >> 20) + " MiB");
    return false;
  }
  auto report = [&](size_t at, const char *message) {
    uint32_t offset = static_cast<uint32_t>(at);
    diagnostics.error(source, {offset, offset + 1}, message);
    return false;
  };
  if (size_t nul = text.find('\0'); nul != std::string_view::npos)
    return report(nul, "a source file cannot contain a null byte");
  if (auto invalid = findInvalidUtf8(text))
    return report(*invalid, "this byte is not valid UTF-8; save the file as UTF-8 or declare its encoding");
  return true;
}

ParsedFile parseFile(SourceRef source, Diagnostics &diagnostics) {
  ParsedFile file(source);
  if (checkText(source, diagnostics))
    file.body = FileParser(source, *file.arena, diagnostics).parseModule();
  return file;
}

} // namespace nereid::syntax
