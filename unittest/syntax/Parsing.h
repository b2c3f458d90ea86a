// Parsing.h: what the parser's tests share: parse text, and look at the first statement.
#pragma once

#include "syntax/Parser.h"

#include <gtest/gtest.h>

namespace nereid::syntax {

struct Parsed {
  explicit Parsed(std::string text)
      : file(parseFile(std::make_shared<Source>("test.py", std::move(text)), diagnostics)) {}

  std::string_view slice(SourceRange range) const { return file.source->slice(range); }
  const Stmt *statement(size_t i = 0) const { return file.body[i]; }
  const Expr *expression(size_t i = 0) const { return cast<ExprStmt>(file.body[i]).value; }
  size_t errorCount() const { return diagnostics.all().size(); }
  std::string message(size_t i = 0) const { return i < errorCount() ? diagnostics.all()[i].message : "(no error)"; }
  std::string_view place(size_t i = 0) const { return slice(diagnostics.all().at(i).range); }

  Diagnostics diagnostics;
  ParsedFile file;
};

} // namespace nereid::syntax
