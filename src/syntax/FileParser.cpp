// FileParser.cpp: the token stream under the parser's rules: expectations, errors and recovery from them.
#include "syntax/FileParser.h"

#include "syntax/Unicode.h"

namespace nereid::syntax {

FileParser::FileParser(SourceRef file, Arena &arena, Diagnostics &diagnostics)
    : source(std::move(file)), sourceText(source->text()), arena(arena), diagnostics(diagnostics), lexer(sourceText) {
  advance();
}

void FileParser::advance() {
  if (failed)
    return;
  if (token.kind > TokenKind::Dedent) // a block ends with its last word, not with the blank lines after it
    previousEnd = token.end;
  lexer.next(token);
  if (token.kind != TokenKind::Error) [[likely]]
    return;
  const LexError &error = lexer.error();
  Diagnostic *diagnostic = fail(error.range, error.message);
  if (!error.note.empty())
    note(diagnostic, error.noteRange, error.note);
}

bool FileParser::accept(TokenKind kind) {
  if (token.kind != kind)
    return false;
  advance();
  return true;
}

bool FileParser::expect(TokenKind kind, const char *after) {
  if (accept(kind))
    return true;
  failAtToken("`" + std::string(spelling(kind)) + "` " + after);
  return false;
}

// `what` says what else could have stood here: "`,` or ".
bool FileParser::expectClosing(TokenKind kind, uint32_t opening, const char *what) {
  if (accept(kind))
    return true;
  failUnclosed(opening, kind, what);
  return false;
}

Diagnostic *FileParser::complain(SourceRange range, std::string message) {
  if (failed)
    return nullptr;
  ++errors;
  return &diagnostics.error(source, range, std::move(message));
}

Diagnostic *FileParser::fail(SourceRange range, std::string message) {
  Diagnostic *diagnostic = complain(range, std::move(message));
  if (diagnostic) {
    failed = true;
    failedToken = token;
    token.kind = TokenKind::Error;
  }
  return diagnostic;
}

void FileParser::note(Diagnostic *diagnostic, SourceRange range, std::string message) {
  if (diagnostic)
    diagnostic->notes.push_back({Severity::Note, source, range, std::move(message), {}});
}

std::string FileParser::found() const {
  switch (token.kind) {
  case TokenKind::EndOfFile:
  case TokenKind::Newline:
  case TokenKind::Indent:
  case TokenKind::Dedent:
  case TokenKind::String:
  case TokenKind::FString: return std::string(spelling(token.kind));
  default: return "`" + std::string(text(token).substr(0, 60)) + "`";
  }
}

void FileParser::failAtToken(std::string_view expected) {
  if (failed)
    return;
  bool lineEnds =
      at(TokenKind::Newline) || at(TokenKind::EndOfFile); // point behind the last word, not behind a comment
  fail(lineEnds ? SourceRange{previousEnd, previousEnd} : SourceRange{token.begin, token.end},
       "expected " + std::string(expected) + ", found " + found());
}

// Words that a statement can begin with.
static bool startsStatement(TokenKind kind) {
  switch (kind) {
  case TokenKind::Def:
  case TokenKind::Class:
  case TokenKind::At:
  case TokenKind::While:
  case TokenKind::With:
  case TokenKind::Try:
  case TokenKind::Import:
  case TokenKind::Return:
  case TokenKind::Raise:
  case TokenKind::Assert:
  case TokenKind::Del:
  case TokenKind::Pass:
  case TokenKind::Break:
  case TokenKind::Continue:
  case TokenKind::Global:
  case TokenKind::Nonlocal:
  case TokenKind::If:
  case TokenKind::For:
  case TokenKind::From:
  case TokenKind::Name: return true;
  default: return false;
  }
}

// A bracket is still open. If the file ends here, or a line begins here that can only be a new statement, the bracket
// itself is at fault; otherwise what stands here is.
void FileParser::failUnclosed(uint32_t opening, TokenKind closing, std::string_view expected) {
  if (failed)
    return;
  std::string open = "`" + std::string(sourceText.substr(opening, 1)) + "`";
  bool newStatement = token.startsLine && startsStatement(token.kind) && !lexer.atFieldLevel() &&
                      lexer.columnOf(token.begin) <= lexer.indentation();
  if (at(TokenKind::EndOfFile) || newStatement) {
    fail({opening, opening + 1}, open + " is never closed");
    return;
  }
  Diagnostic *diagnostic = fail({token.begin, token.end}, "expected " + std::string(expected) + "`" +
                                                              std::string(spelling(closing)) + "`, found " + found());
  note(diagnostic, {opening, opening + 1}, open + " was opened here");
}

void DepthScope::reportTooDeep(FileParser &parser) {
  parser.fail({parser.token.begin, parser.token.end},
              "the code is nested too deeply (at most " + std::to_string(kMaxSyntaxDepth) + " levels)");
  parser.errors = FileParser::kMaxErrors + 1; // what follows cannot be understood either
}

// Moves to the next statement: past the line that failed and the block that it may have opened. Inside brackets that
// nobody closes, a line that begins no deeper than the current block with a word of its own ends the search.
void FileParser::recover() {
  if (errors > kMaxErrors) { // given up: at the end for ever, and `failed` keeps everyone quiet
    token.kind = TokenKind::EndOfFile;
    return;
  }
  failed = false;
  if (errors == kMaxErrors) {
    fail({failedToken.begin, failedToken.end}, "too many errors; the rest of the file is not checked");
    return recover();
  }
  Token next = failedToken;
  for (unsigned blocks = 0;; lexer.next(next)) {
    if (next.startsLine && startsStatement(next.kind) && lexer.columnOf(next.begin) <= lexer.indentation()) {
      lexer.restartLine(next.begin);
      return advance();
    }
    if (next.kind == TokenKind::Indent)
      ++blocks;
    bool leavesBlock = next.kind == TokenKind::Dedent && blocks-- == 0;
    bool endsLine = next.kind == TokenKind::Newline && blocks == 0;
    if (next.kind == TokenKind::EndOfFile || leavesBlock) {
      token = next;
      return;
    }
    if (next.kind == TokenKind::FString)
      lexer.skipFString(next);
    if (!endsLine && !(next.kind == TokenKind::Dedent && blocks == 0))
      continue;
    Lexer probe = lexer;
    Token following;
    probe.next(following);
    if (following.kind == TokenKind::Indent)
      continue;
    return advance();
  }
}

Identifier FileParser::identifier(const Token &name) {
  std::string_view spelled = text(name);
  return name.plain ? spelled : arena.copy(normalizeIdentifier(spelled));
}

Identifier FileParser::expectIdentifier(const char *what) {
  if (!at(TokenKind::Name)) {
    if (isKeyword(token.kind) && !failed)
      fail({token.begin, token.end}, "expected " + std::string(what) + ", but " + found() + " is a keyword");
    failAtToken(what);
    return {};
  }
  Identifier name = identifier(token);
  advance();
  return name;
}

Expr *FileParser::placeholder() { return make<Name>({token.begin, token.begin}, Identifier(), ExprContext::Load); }

Stmt *FileParser::placeholderStatement() {
  return arena.make<Stmt>(StmtKind::Pass, SourceRange{token.begin, token.begin});
}

Body FileParser::parseModule() {
  ListBuilder<Stmt> statements(*this);
  if (failed)
    recover();
  while (!at(TokenKind::EndOfFile)) {
    if (accept(TokenKind::Dedent)) // only after an error
      continue;
    parseStatement(statements);
    if (failed)
      recover();
  }
  return statements.finish();
}

} // namespace nereid::syntax
