// FileParser.h: the recursive-descent parser of one file. Each Parse*.cpp holds the rules of one noun.
//
// Errors need no unwinding: `fail` reports and turns the current token into an Error that no rule accepts and `advance`
// does not move, so every rule runs out by itself and returns a placeholder. The statement loop then recovers. Hence
// rules never return null, and every loop ends at a token that it does not know.
#pragma once

#include "syntax/Arena.h"
#include "syntax/Lexer.h"
#include "syntax/Parser.h"

#include <string>
#include <vector>

namespace nereid::syntax {

template <class T> class ListBuilder;

class FileParser {
public:
  FileParser(SourceRef source, Arena &arena, Diagnostics &diagnostics);

  Body parseModule();

private:
  friend class DepthScope;
  friend class ParameterParser;
  friend class StringParser;
  friend class ChainHeight;
  template <class T> friend class ListBuilder;

  // Tokens and errors (FileParser.cpp).
  bool at(TokenKind kind) const { return token.kind == kind; }
  bool accept(TokenKind kind);
  bool expect(TokenKind kind, const char *after);
  bool expectClosing(TokenKind kind, uint32_t opening, const char *what);
  void advance();
  Diagnostic *fail(SourceRange range, std::string message); // null when an error is pending already
  void failAtToken(std::string_view expected);
  Diagnostic *complain(SourceRange range, std::string message); // reports and goes on
  void note(Diagnostic *diagnostic, SourceRange range, std::string message);
  void failUnclosed(uint32_t opening, TokenKind closing, std::string_view expected);
  std::string found() const;
  void recover();
  std::string_view text(const Token &t) const { return sourceText.substr(t.begin, t.end - t.begin); }
  bool atName(std::string_view name) const { return at(TokenKind::Name) && text(token) == name; }
  Identifier identifier(const Token &t);
  Identifier expectIdentifier(const char *what);
  SourceRange since(uint32_t begin) const { return {begin, previousEnd > begin ? previousEnd : begin}; }

  template <class T, class... Fields> T *make(SourceRange range, Fields... fields) {
    return arena.make<T>(typename BaseOf<T>::type{T::kKind, range}, fields...);
  }
  template <class T, class Kind, class... Fields> T *makeKind(Kind kind, SourceRange range, Fields... fields) {
    return arena.make<T>(typename BaseOf<T>::type{kind, range}, fields...);
  }
  template <class T> struct BaseOf {
    using type = std::conditional_t<std::is_base_of_v<Expr, T>, Expr,
                                    std::conditional_t<std::is_base_of_v<Stmt, T>, Stmt, Pattern>>;
  };
  Expr *placeholder();
  Stmt *placeholderStatement();

  // Statements (ParseStatement.cpp, ParseSimple.cpp, ParseCompound.cpp, ParseDefinition.cpp).
  void parseStatement(ListBuilder<Stmt> &out);
  void parseSimpleLine(ListBuilder<Stmt> &out);
  void failAfterStatement(const Stmt *last);
  void parseUnexpectedBlock(ListBuilder<Stmt> &out);
  Stmt *parseCompound(); // null: not at a compound statement
  Stmt *parseSimple();
  Body parseBlock(const char *after, uint32_t headerBegin);
  bool expectBlockColon(const char *after);
  Stmt *failWithoutOwner(const char *owner);
  Stmt *parseExpressionStatement();
  Stmt *parseAssign(Expr *first, uint32_t begin);
  Stmt *parseAugAssign(Expr *target, uint32_t begin, BinaryOperator op);
  Stmt *parseAnnAssign(Expr *target, uint32_t begin, bool parenthesized);
  Stmt *parseReturn();
  Stmt *parseRaise();
  Stmt *parseDelete();
  Stmt *parseAssert();
  Stmt *parseImport();
  Stmt *parseImportFrom();
  Identifier parseDottedName();
  Alias *parseImportedName();
  Stmt *parseScope(StmtKind kind);
  Stmt *parseTypeAlias();
  Stmt *parseIf();
  Stmt *parseWhile();
  Stmt *parseFor(uint32_t begin, bool isAsync);
  Stmt *parseTry();
  ExceptHandler *parseHandler(bool &isStar, bool isFirst);
  Stmt *parseWith(uint32_t begin, bool isAsync);
  WithItem *parseWithItem();
  bool withItemsAreParenthesized();
  bool parseParenthesizedItems(List<WithItem> &items);
  Stmt *parseAsync();
  Stmt *parseDecorated();
  Stmt *parseFunction(uint32_t begin, ExprList decorators, bool isAsync);
  Stmt *parseClass(ExprList decorators);
  List<TypeParam> parseTypeParams();
  TypeParam *parseTypeParam();
  Body parseElse(const char *after);

  // Parameters (ParseParameter.cpp).
  Arguments *parseParameters(TokenKind closing);

  // Patterns (ParsePattern.cpp).
  bool atMatchStatement();
  Stmt *parseMatch();
  MatchCase *parseCase();
  Pattern *parsePatterns();
  Pattern *parseStarOrAsPattern();
  Pattern *parseAsPattern();
  Pattern *parseOrPattern();
  Pattern *parseClosedPattern();
  Pattern *parseNamePattern();
  Pattern *parseClassPattern(Expr *cls, uint32_t begin);
  Pattern *parseGroupPattern();
  Pattern *parseListPattern();
  Pattern *parseMappingPattern();
  Expr *parseMappingKey();
  Expr *parseSignedNumber();
  Expr *parseComplexLiteral();
  Expr *parseDottedValue(Expr *value, uint32_t begin);
  Pattern *placeholderPattern();

  // Expressions (ParseExpression.cpp, ParseOperator.cpp).
  Expr *parseStarExpressions(); // a, *b, c
  Expr *parseStarExpression();  // *a or an expression
  Expr *parseStarNamed();       // *a, a := b or an expression
  Expr *parseNamed();           // a := b or an expression
  Expr *parseExpression();      // conditional, lambda
  Expr *parseYield();
  Expr *parseYieldOrStar();
  Expr *parseLambda();
  Expr *parseDisjunction();
  Expr *parseConjunction();
  Expr *parseInversion();
  Expr *parseComparison();
  bool acceptComparison(CompareOperator &op);
  Expr *parseBinary(int precedence);
  Expr *parseUnary();
  Expr *parsePower();
  bool startsExpression() const;

  // Primaries and atoms (ParsePrimary.cpp, ParseDisplay.cpp).
  Expr *parsePrimary();
  Expr *parseTrailers();
  Expr *parseSlices();
  Expr *parseSlice();
  Expr *parseAtom();
  Expr *parseName();
  Expr *parseNumber();
  Expr *parseConstant(ConstantKind kind);
  Expr *parseParenthesized();
  Expr *parseTupleTail(Expr *first, uint32_t begin);
  Expr *parseListDisplay();
  Expr *parseBraceDisplay();
  Expr *parseDictRest(Expr *key, uint32_t begin);
  Expr *parseSetRest(Expr *first, uint32_t begin);
  List<Comprehension> parseComprehension();
  bool atComprehension() const { return at(TokenKind::For) || at(TokenKind::Async); }

  // Calls (ParseCall.cpp).
  void parseArguments(ExprList &arguments, List<Keyword> &keywords, uint32_t opening, bool isCall);
  Expr *parsePositional(bool isFirst, bool isCall, uint32_t opening);
  Keyword *parseKeyword(const Token &name);

  // Strings (ParseString.cpp).
  Expr *parseStrings();
  void leaveFString(const Token &start, size_t bracketCount);

  // Targets (ParseTarget.cpp).
  Expr *parseTargets(TokenKind end);
  Expr *parseTarget();
  void setContext(Expr *target, ExprContext context);
  void rejectTarget(const Expr *target, ExprContext context);

  static constexpr unsigned kMaxErrors = 50;

  SourceRef source;
  std::string_view sourceText;
  Arena &arena;
  Diagnostics &diagnostics;
  Lexer lexer;
  Token token;
  Token failedToken; // what the parser saw when it failed
  uint32_t previousEnd = 0;
  unsigned depth = 0; // of the node being parsed
  unsigned peak = 0;  // the deepest node below the current one
  unsigned errors = 0;
  bool failed = false;
  // Elements of the lists under construction, innermost last. A rule that builds two lists at a time uses both stacks.
  std::vector<void *> listStack;
  std::vector<void *> secondStack;

  std::vector<CompareOperator> operatorStack;
};

// Counts nesting while a rule runs. Deeper than kMaxSyntaxDepth is an error, so that no reader of the tree can overflow
// its stack.
class DepthScope {
public:
  explicit DepthScope(FileParser &parser) : parser(parser) {
    if (++parser.depth > parser.peak)
      parser.peak = parser.depth;
    if (parser.depth > kMaxSyntaxDepth)
      reportTooDeep(parser);
  }
  ~DepthScope() { --parser.depth; }
  DepthScope(const DepthScope &) = delete;

private:
  friend class ChainHeight;
  static void reportTooDeep(FileParser &parser);
  FileParser &parser;
};

// Left-associative chains (`a + b + c`, `a.b.c`) grow the tree downwards without recursion in the parser: every step
// pushes all that came before one level down. This tracks how deep that makes the tree.
class ChainHeight {
public:
  explicit ChainHeight(FileParser &parser) : parser(parser), outer(parser.peak) { parser.peak = parser.depth; }
  // Call after a link and its operand have been parsed: the whole chain so far is now one level deeper.
  void grow() {
    if (++parser.peak > kMaxSyntaxDepth)
      DepthScope::reportTooDeep(parser);
  }
  ~ChainHeight() {
    if (parser.peak < outer)
      parser.peak = outer;
  }
  ChainHeight(const ChainHeight &) = delete;

private:
  FileParser &parser;
  unsigned outer;
};

// Collects the elements of a list on one of the parser's stacks; `finish` moves them into the arena.
template <class T> class ListBuilder {
public:
  explicit ListBuilder(FileParser &parser) : ListBuilder(parser, parser.listStack) {}
  ListBuilder(FileParser &parser, std::vector<void *> &stack) : arena(parser.arena), stack(stack), base(stack.size()) {}
  ~ListBuilder() { stack.resize(base); }
  ListBuilder(const ListBuilder &) = delete;

  void push(T *element) { stack.push_back(element); }
  size_t size() const { return stack.size() - base; }
  void shrink(size_t count) { stack.resize(base + count); }
  T *operator[](size_t i) const { return static_cast<T *>(stack[base + i]); }

  List<T> finish() {
    size_t count = size();
    if (count == 0)
      return {};
    T **result = static_cast<T **>(arena.allocate(count * sizeof(T *)));
    for (size_t i = 0; i < count; ++i)
      result[i] = static_cast<T *>(stack[base + i]);
    stack.resize(base);
    return {result, count};
  }

private:
  Arena &arena;
  std::vector<void *> &stack;
  size_t base;
};

} // namespace nereid::syntax
