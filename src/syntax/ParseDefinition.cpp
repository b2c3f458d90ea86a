// ParseDefinition.cpp: functions, classes, decorators and type parameters.
#include "syntax/FileParser.h"

namespace nereid::syntax {

Stmt *FileParser::parseAsync() {
  uint32_t begin = token.begin;
  advance();
  switch (token.kind) {
  case TokenKind::Def: return parseFunction(begin, {}, true);
  case TokenKind::For: return parseFor(begin, true);
  case TokenKind::With: return parseWith(begin, true);
  default: failAtToken("`def`, `for` or `with` after `async`"); return placeholderStatement();
  }
}

Stmt *FileParser::parseDecorated() {
  ListBuilder<Expr> list(*this);
  while (accept(TokenKind::At)) {
    list.push(parseNamed());
    if (!accept(TokenKind::Newline))
      failAtToken("the end of the line after a decorator");
  }
  ExprList decorators = list.finish();
  uint32_t begin = token.begin;
  if (at(TokenKind::Class))
    return parseClass(decorators);
  bool isAsync = accept(TokenKind::Async);
  if (at(TokenKind::Def))
    return parseFunction(begin, decorators, isAsync);
  failAtToken("a function or a class after a decorator");
  return placeholderStatement();
}

Stmt *FileParser::parseFunction(uint32_t begin, ExprList decorators, bool isAsync) {
  advance();
  SourceRange nameRange{token.begin, token.end};
  Identifier name = expectIdentifier("the name of the function after `def`");
  List<TypeParam> typeParameters = parseTypeParams();
  uint32_t opening = token.begin;
  expect(TokenKind::LeftParen, "after the name of the function");
  Arguments *arguments = parseParameters(TokenKind::RightParen);
  expectClosing(TokenKind::RightParen, opening, "`,` or ");
  Expr *returns = accept(TokenKind::Arrow) ? parseExpression() : nullptr;
  Body body = parseBlock("the header of the function", begin);
  return makeKind<FunctionDef>(isAsync ? StmtKind::AsyncFunctionDef : StmtKind::FunctionDef, since(begin), name,
                               arguments, body, decorators, returns, typeParameters, nameRange);
}

Stmt *FileParser::parseClass(ExprList decorators) {
  uint32_t begin = token.begin;
  advance();
  Identifier name = expectIdentifier("the name of the class after `class`");
  List<TypeParam> typeParameters = parseTypeParams();
  ExprList bases;
  List<Keyword> keywords;
  uint32_t opening = token.begin;
  if (accept(TokenKind::LeftParen))
    parseArguments(bases, keywords, opening, false);
  Body body = parseBlock("the header of the class", begin);
  return makeKind<ClassDef>(StmtKind::ClassDef, since(begin), name, bases, keywords, body, decorators, typeParameters);
}

// [T, U: bound, *Ts, **P], or nothing.
List<TypeParam> FileParser::parseTypeParams() {
  uint32_t opening = token.begin;
  if (!accept(TokenKind::LeftBracket))
    return {};
  ListBuilder<TypeParam> parameters(*this);
  do
    parameters.push(parseTypeParam());
  while (accept(TokenKind::Comma) && !at(TokenKind::RightBracket));
  expectClosing(TokenKind::RightBracket, opening, "`,` or ");
  return parameters.finish();
}

TypeParam *FileParser::parseTypeParam() {
  uint32_t begin = token.begin;
  TypeParamKind kind = accept(TokenKind::Star)         ? TypeParamKind::TypeVarTuple
                       : accept(TokenKind::DoubleStar) ? TypeParamKind::ParamSpec
                                                       : TypeParamKind::TypeVar;
  Identifier name = expectIdentifier("the name of a type parameter");
  Expr *bound = kind == TypeParamKind::TypeVar && accept(TokenKind::Colon) ? parseExpression() : nullptr;
  return arena.make<TypeParam>(kind, name, bound, since(begin));
}

} // namespace nereid::syntax
