// ParseParameter.cpp: the parameters of functions and lambdas.
#include "syntax/FileParser.h"

namespace nereid::syntax {

// name, or name: annotation where annotations can stand. `*args: *Ts` has a starred one.
Arg *FileParser::parseParameter(bool annotated, bool starAnnotation) {
  uint32_t begin = token.begin;
  Identifier name = expectIdentifier("the name of a parameter");
  Expr *annotation = nullptr;
  if (annotated && accept(TokenKind::Colon))
    annotation = starAnnotation ? parseStarExpression() : parseExpression();
  return arena.make<Arg>(name, annotation, since(begin));
}

namespace {
// What has been seen so far, in the order that the parts of a parameter list must have.
enum class ParameterStage { Positional, AfterSlash, AfterBareStar, KeywordOnly, AfterDoubleStar };
} // namespace

Arguments *FileParser::parseParameters(TokenKind closing) {
  Arguments *result = arena.make<Arguments>();
  ListBuilder<Arg> names(*this);
  ListBuilder<Expr> defaults(*this, secondStack);
  ParameterStage stage = ParameterStage::Positional;
  bool annotated = closing == TokenKind::RightParen;
  DepthScope scope(*this);
  auto isPositional = [&] { return stage <= ParameterStage::AfterSlash; };
  auto finishPositional = [&] {
    result->args = names.finish();
    result->defaults = defaults.finish();
  };
  while (!at(closing) && !failed) {
    SourceRange here{token.begin, token.end};
    if (stage == ParameterStage::AfterDoubleStar) {
      fail(here, "no parameter can follow the `**` one");
    } else if (accept(TokenKind::Slash)) {
      if (stage != ParameterStage::Positional)
        fail(here, isPositional() ? "`/` can appear only once" : "`/` must come before `*`");
      if (names.size() == 0)
        fail(here, "a parameter must come before `/`");
      result->posonlyargs = names.finish();
      stage = ParameterStage::AfterSlash;
    } else if (accept(TokenKind::DoubleStar)) {
      if (stage == ParameterStage::AfterBareStar)
        fail(here, "a named parameter must follow the bare `*`");
      if (isPositional())
        finishPositional();
      result->kwarg = parseParameter(annotated, false);
      stage = ParameterStage::AfterDoubleStar;
    } else if (accept(TokenKind::Star)) {
      if (!isPositional())
        fail(here, "`*` can appear only once");
      finishPositional();
      stage = ParameterStage::AfterBareStar;
      if (!at(TokenKind::Comma) && !at(closing)) {
        result->vararg = parseParameter(annotated, true);
        stage = ParameterStage::KeywordOnly;
      }
    } else {
      names.push(parseParameter(annotated, false));
      Expr *value = accept(TokenKind::Equal) ? parseExpression() : nullptr;
      if (isPositional() && !value && defaults.size() != 0)
        fail(names[names.size() - 1]->range, "a parameter without a default cannot follow one with a default");
      if (value || !isPositional())
        defaults.push(value);
      if (!isPositional())
        stage = ParameterStage::KeywordOnly;
    }
    if (at(TokenKind::Equal))
      fail({token.begin, token.end}, "this parameter cannot have a default");
    if (!accept(TokenKind::Comma))
      break;
  }
  if (stage == ParameterStage::AfterBareStar)
    fail({token.begin, token.end}, "a named parameter must follow the bare `*`");
  if (isPositional()) {
    finishPositional();
  } else {
    result->kwonlyargs = names.finish();
    result->kwDefaults = defaults.finish();
  }
  return result;
}

} // namespace nereid::syntax
