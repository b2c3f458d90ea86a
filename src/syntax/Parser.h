// Parser.h: text in, syntax tree out.
#pragma once

#include "support/Diagnostic.h"
#include "syntax/Ast.h"

#include <memory>
#include <string>

namespace nereid::syntax {

class Arena;

// The parser refuses deeper nesting, counting brackets, blocks and the links of chains such as `a + b + c`. A tree has at
// most about twice as many levels of nodes, so readers may recurse.
inline constexpr unsigned kMaxSyntaxDepth = 1000;
// Larger files are refused.
inline constexpr size_t kMaxSourceBytes = size_t(16) << 20;

// A parsed file: owns its source and the arena that holds the tree.
struct ParsedFile {
  ParsedFile(SourceRef source);
  ~ParsedFile();
  ParsedFile(ParsedFile &&) noexcept;

  SourceRef source;
  std::unique_ptr<Arena> arena;
  Body body;
};

// Parses a whole file. On a syntax error it reports and recovers at the next statement, so that the tree holds what
// was understood; `diagnostics.hasErrors()` tells. Nesting deeper than the limit and files over the size limit are
// errors, never crashes.
ParsedFile parseFile(SourceRef source, Diagnostics &diagnostics);

// Reads a file for the parser: detects the declared encoding and a byte order mark, checks UTF-8, bounds the size.
// Returns null after reporting.
SourceRef readSource(const std::string &path, Diagnostics &diagnostics);

// The same for bytes in memory.
SourceRef makeSource(std::string name, std::string bytes, Diagnostics &diagnostics);

// Exactly what CPython 3.11's `ast.dump(ast.parse(source))` returns; with positions, `include_attributes=True`. Inside
// f-strings CPython 3.11 has only approximate positions: there none are printed.
std::string dumpAst(const ParsedFile &file, bool withPositions = false);

} // namespace nereid::syntax
