// ParseParameter.cpp: the parameters of functions and lambdas.
#include "syntax/FileParser.h"

namespace nereid::syntax {

// Reads one parameter list. Its parts come in a fixed order: positional ones, `/`, more positional ones, `*` alone or
// with a name, keyword-only ones, `**`.
class ParameterParser {
public:
  ParameterParser(FileParser &parser, TokenKind closing)
      : parser(parser), closing(closing), names(parser), defaults(parser, parser.secondStack),
        result(parser.arena.make<Arguments>()) {}

  Arguments *parse() {
    while (!parser.at(closing) && !parser.failed) {
      parseOne();
      if (parser.at(TokenKind::Equal))
        parser.fail({parser.token.begin, parser.token.end}, "this parameter cannot have a default");
      if (!parser.accept(TokenKind::Comma))
        break;
    }
    if (stage == Stage::AfterBareStar)
      parser.fail({parser.token.begin, parser.token.end}, "a named parameter must follow the bare `*`");
    if (isPositional()) {
      finishPositional();
    } else {
      result->kwonlyargs = names.finish();
      result->kwDefaults = defaults.finish();
    }
    return result;
  }

private:
  enum class Stage { Positional, AfterSlash, AfterBareStar, KeywordOnly, AfterDoubleStar };

  bool isPositional() const { return stage <= Stage::AfterSlash; }

  void finishPositional() {
    result->args = names.finish();
    result->defaults = defaults.finish();
  }

  void parseOne() {
    SourceRange here{parser.token.begin, parser.token.end};
    if (stage == Stage::AfterDoubleStar)
      parser.fail(here, "no parameter can follow the `**` one");
    else if (parser.accept(TokenKind::Slash))
      parseSlash(here);
    else if (parser.accept(TokenKind::Star))
      parseStar(here);
    else if (parser.accept(TokenKind::DoubleStar))
      parseDoubleStar(here);
    else
      parseNamed();
  }

  void parseSlash(SourceRange here) {
    if (stage != Stage::Positional)
      parser.fail(here, isPositional() ? "`/` can appear only once" : "`/` must come before `*`");
    if (names.size() == 0)
      parser.fail(here, "a parameter must come before `/`");
    result->posonlyargs = names.finish();
    stage = Stage::AfterSlash;
  }

  void parseStar(SourceRange here) {
    if (!isPositional())
      parser.fail(here, "`*` can appear only once");
    finishPositional();
    stage = Stage::AfterBareStar;
    if (parser.at(TokenKind::Comma) || parser.at(closing))
      return;
    result->vararg = parseName(true);
    stage = Stage::KeywordOnly;
  }

  void parseDoubleStar(SourceRange here) {
    if (stage == Stage::AfterBareStar)
      parser.fail(here, "a named parameter must follow the bare `*`");
    if (isPositional())
      finishPositional();
    result->kwarg = parseName(false);
    stage = Stage::AfterDoubleStar;
  }

  void parseNamed() {
    Arg *name = parseName(false);
    names.push(name);
    Expr *value = parser.accept(TokenKind::Equal) ? parser.parseExpression() : nullptr;
    if (isPositional() && !value && defaults.size() != 0)
      parser.fail(name->range, "a parameter without a default cannot follow one with a default");
    if (value || !isPositional())
      defaults.push(value); // a keyword-only parameter without a default holds its place with null
    if (!isPositional())
      stage = Stage::KeywordOnly;
  }

  // name, or name: annotation where annotations can stand. `*args: *Ts` has a starred one.
  Arg *parseName(bool starAnnotation) {
    uint32_t begin = parser.token.begin;
    Identifier name = parser.expectIdentifier("the name of a parameter");
    Expr *annotation = nullptr;
    if (closing == TokenKind::RightParen && parser.accept(TokenKind::Colon))
      annotation = starAnnotation ? parser.parseStarExpression() : parser.parseExpression();
    return parser.arena.make<Arg>(name, annotation, parser.since(begin));
  }

  FileParser &parser;
  TokenKind closing;
  Stage stage = Stage::Positional;
  ListBuilder<Arg> names;
  ListBuilder<Expr> defaults; // of the positional, later of the keyword-only parameters
  Arguments *result;
};

Arguments *FileParser::parseParameters(TokenKind closing) {
  DepthScope scope(*this);
  return ParameterParser(*this, closing).parse();
}

} // namespace nereid::syntax
