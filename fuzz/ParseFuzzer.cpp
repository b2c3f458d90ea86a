// ParseFuzzer.cpp: bytes to source to tree to text. No input may crash, hang or leak, whether it parses or not.
// libraries: nereidSyntax
#include "syntax/Parser.h"

using namespace nereid;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Diagnostics diagnostics;
  SourceRef source =
      syntax::makeSource("fuzz.py", std::string(reinterpret_cast<const char *>(data), size), diagnostics);
  if (source) {
    syntax::ParsedFile file = syntax::parseFile(source, diagnostics);
    syntax::dumpAst(file);
  }
  diagnostics.render();
  return 0;
}
