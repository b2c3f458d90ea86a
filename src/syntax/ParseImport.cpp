// ParseImport.cpp: `import` and `from … import`.
#include "syntax/FileParser.h"

namespace nereid::syntax {

// a.b.c as one identifier; blanks between the parts are dropped.
Identifier FileParser::parseDottedName() {
  uint32_t begin = token.begin;
  bool plain = token.plain;
  Identifier first = expectIdentifier("the name of a module");
  if (!at(TokenKind::Dot))
    return first;
  std::string joined(first);
  while (accept(TokenKind::Dot)) {
    plain &= token.plain;
    joined += '.';
    joined += expectIdentifier("a name after `.`");
  }
  std::string_view spelled = sourceText.substr(begin, since(begin).end - begin);
  return plain && spelled == joined ? spelled : arena.copy(joined);
}

Stmt *FileParser::parseImport() {
  uint32_t begin = token.begin;
  advance();
  ListBuilder<Alias> names(*this);
  do {
    uint32_t nameBegin = token.begin;
    Identifier name = parseDottedName();
    Identifier alias = accept(TokenKind::As) ? expectIdentifier("a name after `as`") : Identifier();
    names.push(arena.make<Alias>(name, alias, since(nameBegin)));
  } while (accept(TokenKind::Comma));
  return make<Import>(since(begin), names.finish());
}

Alias *FileParser::parseImportedName() {
  uint32_t begin = token.begin;
  Identifier name = expectIdentifier("a name to import");
  Identifier alias = accept(TokenKind::As) ? expectIdentifier("a name after `as`") : Identifier();
  return arena.make<Alias>(name, alias, since(begin));
}

Stmt *FileParser::parseImportFrom() {
  uint32_t begin = token.begin;
  advance();
  int level = 0;
  for (; at(TokenKind::Dot) || at(TokenKind::Ellipsis); advance())
    level += at(TokenKind::Dot) ? 1 : 3;
  Identifier module;
  if (level == 0 || !at(TokenKind::Import))
    module = parseDottedName();
  expect(TokenKind::Import, "after the name of the module");
  ListBuilder<Alias> names(*this);
  uint32_t opening = token.begin;
  if (at(TokenKind::Star)) {
    names.push(arena.make<Alias>(text(token), Identifier(), SourceRange{token.begin, token.end}));
    advance();
  } else if (accept(TokenKind::LeftParen)) {
    do
      names.push(parseImportedName());
    while (accept(TokenKind::Comma) && !at(TokenKind::RightParen));
    expectClosing(TokenKind::RightParen, opening, "`,` or ");
  } else {
    do {
      if (names.size() != 0 && (at(TokenKind::Newline) || at(TokenKind::Semicolon)))
        fail({previousEnd - 1, previousEnd}, "a trailing comma needs parentheses around the imported names");
      names.push(parseImportedName());
    } while (accept(TokenKind::Comma));
  }
  return make<ImportFrom>(since(begin), module, names.finish(), level);
}

} // namespace nereid::syntax
