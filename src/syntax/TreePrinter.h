// TreePrinter.h: prints a tree as CPython's ast.dump does. DumpExpression.cpp and DumpStatement.cpp hold the nodes.
#pragma once

#include "syntax/Ast.h"

#include <string>

namespace nereid::syntax {

class TreePrinter {
public:
  // With a source, nodes also print their positions in it.
  explicit TreePrinter(std::string &out, const Source *source = nullptr) : out(out), source(source) {}

  void print(const Stmt *statement);
  void print(const Expr *expression); // null prints None
  void print(const Pattern *pattern);
  void print(const Keyword *keyword);
  void print(const Comprehension *generator);
  void print(const Arg *parameter);
  void print(const Arguments *parameters);
  void print(const Alias *alias);
  void print(const WithItem *item);
  void print(const ExceptHandler *handler);
  void print(const MatchCase *branch);
  void print(const TypeParam *parameter);

  // One node: `Name(`, then fields, then `)`.
  class Node {
  public:
    Node(TreePrinter &printer, const char *name) : printer(printer) { printer.out.append(name).append("("); }
    Node(TreePrinter &printer, const char *name, SourceRange range) : Node(printer, name) { place = range; }
    ~Node() {
      if (place.end != 0 && printer.source) // no node with a place ends at the beginning of the file
        positions();
      printer.out += ')';
    }
    Node(const Node &) = delete;

    template <class T> Node &field(const char *name, const T *child) {
      begin(name);
      printer.print(child);
      return *this;
    }
    template <class T> Node &optional(const char *name, const T *child) { return child ? field(name, child) : *this; }
    template <class T> Node &list(const char *name, List<T> children) {
      begin(name);
      printer.out += '[';
      bool first = true;
      for (const T *child : children) {
        if (!first)
          printer.out += ", ";
        first = false;
        printer.print(child);
      }
      printer.out += ']';
      return *this;
    }
    Node &names(const char *name, Identifiers values);
    Node &string(const char *name, std::string_view value);
    Node &optionalString(const char *name, std::string_view value) {
      return value.empty() ? *this : string(name, value);
    }
    Node &number(const char *name, int value);
    Node &symbol(const char *name, const char *value); // Load(), Add()
    Node &context(ExprContext value);
    Node &constant(const char *name, const Constant &value);
    Node &symbols(const char *name, std::span<const CompareOperator> values);

  private:
    void begin(const char *name) {
      if (!isFirst)
        printer.out += ", ";
      isFirst = false;
      printer.out.append(name).append("=");
    }
    void positions();

    TreePrinter &printer;
    SourceRange place;
    bool isFirst = true;
  };

private:
  void printDefinition(const Stmt *statement);
  void printBlockStatement(const Stmt *statement);
  void printSimpleStatement(const Stmt *statement);
  void printDisplay(const Expr *expression);
  void printOperator(const Expr *expression);
  void printJoined(const JoinedStr &node);

  std::string &out;
  const Source *source;
};

const char *name(BinaryOperator op);

} // namespace nereid::syntax
