// ParseStatement.cpp: which statement a line begins, and blocks of statements.
#include "syntax/FileParser.h"

namespace nereid::syntax {

void FileParser::parseStatement(ListBuilder<Stmt> &out) {
  if (at(TokenKind::Indent))
    return parseUnexpectedBlock(out);
  if (at(TokenKind::Newline)) // an empty statement: only after an error
    return advance();
  Stmt *compound = parseCompound();
  if (!compound)
    return parseSimpleLine(out);
  if (!failed)
    out.push(compound);
}

Stmt *FileParser::parseCompound() {
  uint32_t begin = token.begin;
  switch (token.kind) {
  case TokenKind::If: return parseIf();
  case TokenKind::For: return parseFor(begin, false);
  case TokenKind::While: return parseWhile();
  case TokenKind::Try: return parseTry();
  case TokenKind::With: return parseWith(begin, false);
  case TokenKind::Def: return parseFunction(begin, {}, false);
  case TokenKind::Class: return parseClass({});
  case TokenKind::At: return parseDecorated();
  case TokenKind::Async: return parseAsync();
  case TokenKind::Name: return text(token) == "match" && atMatchStatement() ? parseMatch() : nullptr;
  default: return nullptr;
  }
}

void FileParser::parseUnexpectedBlock(ListBuilder<Stmt> &out) {
  complain({token.begin, token.end}, "this line is indented, but no block begins before it");
  advance();
  while (!at(TokenKind::Dedent) && !at(TokenKind::EndOfFile)) {
    DepthScope scope(*this);
    parseStatement(out);
    if (failed)
      recover();
  }
  accept(TokenKind::Dedent);
}

// Statements up to the end of the line; of a line with an error, none is kept.
void FileParser::parseSimpleLine(ListBuilder<Stmt> &out) {
  size_t before = out.size();
  do {
    Stmt *statement = parseSimple();
    if (failed)
      return out.shrink(before);
    out.push(statement);
  } while (accept(TokenKind::Semicolon) && !at(TokenKind::Newline));
  if (accept(TokenKind::Newline))
    return;
  failAfterStatement(out[out.size() - 1]);
  out.shrink(before);
}

void FileParser::failAfterStatement(const Stmt *last) {
  const auto *expression = dynCast<ExprStmt>(last);
  const auto *name = expression ? dynCast<Name>(expression->value) : nullptr;
  if (name && (name->id == "print" || name->id == "exec") && startsExpression()) {
    std::string function(name->id);
    fail({last->range.begin, token.end}, "`" + function + "` is a function; write `" + function + "(...)`");
    return;
  }
  failAtToken("the end of the line or an operator");
}

// True when a block follows. A colon that is missing at the end of a line is reported and taken as read.
bool FileParser::expectBlockColon(const char *after) {
  if (accept(TokenKind::Colon))
    return true;
  if (at(TokenKind::Newline)) {
    complain({previousEnd, previousEnd + 1}, std::string("expected `:` after ") + after);
    return true;
  }
  if (at(TokenKind::Equal)) {
    fail({token.begin, token.end},
         std::string("expected `:` after ") + after + ", found `=`; did you mean `==` or `:=`?");
    return false;
  }
  if (at(TokenKind::If) && std::string_view(after) == "`else`") {
    fail({previousEnd - 4, token.end}, "expected `:` after `else`, found `if`; write `elif`");
    return false;
  }
  failAtToken(std::string("`:` after ") + after);
  return false;
}

// What follows a colon: statements on the same line, or an indented block.
Body FileParser::parseBlock(const char *after, uint32_t headerBegin) {
  if (!expectBlockColon(after))
    return {};
  DepthScope scope(*this);
  ListBuilder<Stmt> statements(*this);
  if (!at(TokenKind::Newline)) {
    parseSimpleLine(statements);
    return statements.finish();
  }
  advance();
  if (!at(TokenKind::Indent)) {
    note(complain({token.begin, token.end}, std::string("expected an indented block after ") + after),
         {headerBegin, headerBegin + 1}, "it belongs to this line");
    return {};
  }
  advance();
  while (!at(TokenKind::Dedent) && !at(TokenKind::EndOfFile)) {
    if (failed)
      recover();
    else
      parseStatement(statements);
    if (failed)
      recover();
  }
  accept(TokenKind::Dedent);
  return statements.finish();
}

} // namespace nereid::syntax
