#include "syntax/PythonRepr.h"
#include "syntax/TreePrinter.h"

#include <utility>

namespace nereid::syntax {

using Node = TreePrinter::Node;

Node &Node::names(const char *name, Identifiers values) {
  begin(name);
  printer.out += '[';
  for (size_t i = 0; i < values.size(); ++i) {
    printer.out += i == 0 ? "" : ", ";
    appendStringRepr(printer.out, values[i]);
  }
  printer.out += ']';
  return *this;
}

Node &Node::string(const char *name, std::string_view value) {
  begin(name);
  appendStringRepr(printer.out, value);
  return *this;
}

Node &Node::number(const char *name, int value) {
  begin(name);
  printer.out += std::to_string(value);
  return *this;
}

Node &Node::symbol(const char *name, const char *value) {
  begin(name);
  printer.out.append(value).append("()");
  return *this;
}

Node &Node::context(ExprContext value) {
  return symbol("ctx", value == ExprContext::Load ? "Load" : value == ExprContext::Store ? "Store" : "Del");
}

Node &Node::constant(const char *name, const Constant &value) {
  begin(name);
  appendConstantRepr(printer.out, value);
  return *this;
}

Node &Node::symbols(const char *name, std::span<const CompareOperator> values) {
  static constexpr const char *kNames[] = {"Eq", "NotEq", "Lt", "LtE", "Gt", "GtE", "Is", "IsNot", "In", "NotIn"};
  begin(name);
  printer.out += '[';
  for (size_t i = 0; i < values.size(); ++i)
    printer.out.append(i == 0 ? "" : ", ").append(kNames[static_cast<size_t>(values[i])]).append("()");
  printer.out += ']';
  return *this;
}

void Node::positions() {
  LineColumn begin = printer.source->position(place.begin), end = printer.source->position(place.end);
  number("lineno", static_cast<int>(begin.line)).number("col_offset", static_cast<int>(begin.column) - 1);
  number("end_lineno", static_cast<int>(end.line)).number("end_col_offset", static_cast<int>(end.column) - 1);
}

const char *name(BinaryOperator op) {
  static constexpr const char *kNames[] = {"Add",    "Sub",    "Mult",  "MatMult", "Div",    "Mod",     "Pow",
                                           "LShift", "RShift", "BitOr", "BitXor",  "BitAnd", "FloorDiv"};
  return kNames[static_cast<size_t>(op)];
}

static const char *name(UnaryOperator op) {
  static constexpr const char *kNames[] = {"Invert", "Not", "UAdd", "USub"};
  return kNames[static_cast<size_t>(op)];
}

void TreePrinter::print(const Expr *e) {
  if (!e) {
    out += "None";
    return;
  }
  switch (e->kind) {
  case ExprKind::Name: {
    const auto &node = cast<Name>(e);
    Node(*this, "Name", e->range).string("id", node.id).context(node.ctx);
    return;
  }
  case ExprKind::Constant: {
    const auto &node = cast<Constant>(e);
    Node(*this, "Constant", e->range).constant("value", node).optionalString("kind", node.unicodePrefix ? "u" : "");
    return;
  }
  case ExprKind::Attribute: {
    const auto &node = cast<Attribute>(e);
    Node(*this, "Attribute", e->range).field("value", node.value).string("attr", node.attr).context(node.ctx);
    return;
  }
  case ExprKind::Subscript: {
    const auto &node = cast<Subscript>(e);
    Node(*this, "Subscript", e->range).field("value", node.value).field("slice", node.slice).context(node.ctx);
    return;
  }
  case ExprKind::Call: {
    const auto &node = cast<Call>(e);
    Node(*this, "Call", e->range).field("func", node.func).list("args", node.args).list("keywords", node.keywords);
    return;
  }
  case ExprKind::Starred:
  case ExprKind::Slice:
  case ExprKind::BoolOp:
  case ExprKind::NamedExpr:
  case ExprKind::BinOp:
  case ExprKind::UnaryOp:
  case ExprKind::Lambda:
  case ExprKind::IfExp:
  case ExprKind::Await:
  case ExprKind::Yield:
  case ExprKind::YieldFrom:
  case ExprKind::Compare: return printOperator(e);
  default: return printDisplay(e);
  }
}

void TreePrinter::printOperator(const Expr *e) {
  switch (e->kind) {
  case ExprKind::BoolOp: {
    const auto &node = cast<BoolOp>(e);
    Node(*this, "BoolOp", e->range)
        .symbol("op", node.op == BoolOperator::And ? "And" : "Or")
        .list("values", node.values);
    return;
  }
  case ExprKind::NamedExpr: {
    const auto &node = cast<NamedExpr>(e);
    Node(*this, "NamedExpr", e->range).field("target", node.target).field("value", node.value);
    return;
  }
  case ExprKind::BinOp: {
    const auto &node = cast<BinOp>(e);
    Node(*this, "BinOp", e->range).field("left", node.left).symbol("op", name(node.op)).field("right", node.right);
    return;
  }
  case ExprKind::UnaryOp: {
    const auto &node = cast<UnaryOp>(e);
    Node(*this, "UnaryOp", e->range).symbol("op", name(node.op)).field("operand", node.operand);
    return;
  }
  case ExprKind::Lambda: {
    const auto &node = cast<Lambda>(e);
    Node(*this, "Lambda", e->range).field("args", node.args).field("body", node.body);
    return;
  }
  case ExprKind::IfExp: {
    const auto &node = cast<IfExp>(e);
    Node(*this, "IfExp", e->range).field("test", node.test).field("body", node.body).field("orelse", node.orelse);
    return;
  }
  case ExprKind::Starred: {
    const auto &node = cast<Starred>(e);
    Node(*this, "Starred", e->range).field("value", node.value).context(node.ctx);
    return;
  }
  case ExprKind::Slice: {
    const auto &node = cast<Slice>(e);
    Node(*this, "Slice", e->range)
        .optional("lower", node.lower)
        .optional("upper", node.upper)
        .optional("step", node.step);
    return;
  }
  case ExprKind::Await: Node(*this, "Await", e->range).field("value", cast<Await>(e).value); return;
  case ExprKind::Yield: Node(*this, "Yield", e->range).optional("value", cast<Yield>(e).value); return;
  case ExprKind::YieldFrom: Node(*this, "YieldFrom", e->range).field("value", cast<YieldFrom>(e).value); return;
  default: {
    const auto &node = cast<Compare>(e);
    Node(*this, "Compare", e->range)
        .field("left", node.left)
        .symbols("ops", node.ops)
        .list("comparators", node.comparators);
    return;
  }
  }
}

void TreePrinter::printDisplay(const Expr *e) {
  switch (e->kind) {
  case ExprKind::Dict: {
    const auto &node = cast<Dict>(e);
    Node(*this, "Dict", e->range).list("keys", node.keys).list("values", node.values);
    return;
  }
  case ExprKind::Set: Node(*this, "Set", e->range).list("elts", cast<Set>(e).elts); return;
  case ExprKind::List:
    Node(*this, "List", e->range).list("elts", cast<ListExpr>(e).elts).context(cast<ListExpr>(e).ctx);
    return;
  case ExprKind::Tuple:
    Node(*this, "Tuple", e->range).list("elts", cast<TupleExpr>(e).elts).context(cast<TupleExpr>(e).ctx);
    return;
  case ExprKind::ListComp: {
    const auto &node = cast<ListComp>(e);
    Node(*this, "ListComp", e->range).field("elt", node.elt).list("generators", node.generators);
    return;
  }
  case ExprKind::SetComp: {
    const auto &node = cast<SetComp>(e);
    Node(*this, "SetComp", e->range).field("elt", node.elt).list("generators", node.generators);
    return;
  }
  case ExprKind::DictComp: {
    const auto &node = cast<DictComp>(e);
    Node(*this, "DictComp", e->range)
        .field("key", node.key)
        .field("value", node.value)
        .list("generators", node.generators);
    return;
  }
  case ExprKind::GeneratorExp: {
    const auto &node = cast<GeneratorExp>(e);
    Node(*this, "GeneratorExp", e->range).field("elt", node.elt).list("generators", node.generators);
    return;
  }
  case ExprKind::JoinedStr: return printJoined(cast<JoinedStr>(e));
  default: {
    const auto &node = cast<FormattedValue>(e);
    Node(*this, "FormattedValue", e->range)
        .field("value", node.value)
        .number("conversion", node.conversion)
        .optional("format_spec", node.formatSpec);
    return;
  }
  }
}

void TreePrinter::printJoined(const JoinedStr &node) {
  Node outer(*this, "JoinedStr", node.range);
  const Source *whole = std::exchange(source, nullptr);
  outer.list("values", node.values);
  source = whole;
}

void TreePrinter::print(const Keyword *keyword) {
  Node(*this, "keyword", keyword->range).optionalString("arg", keyword->arg).field("value", keyword->value);
}

void TreePrinter::print(const Comprehension *generator) {
  Node(*this, "comprehension")
      .field("target", generator->target)
      .field("iter", generator->iter)
      .list("ifs", generator->ifs)
      .number("is_async", generator->isAsync);
}

void TreePrinter::print(const Arg *parameter) {
  Node(*this, "arg", parameter->range).string("arg", parameter->arg).optional("annotation", parameter->annotation);
}

void TreePrinter::print(const Arguments *parameters) {
  Node(*this, "arguments")
      .list("posonlyargs", parameters->posonlyargs)
      .list("args", parameters->args)
      .optional("vararg", parameters->vararg)
      .list("kwonlyargs", parameters->kwonlyargs)
      .list("kw_defaults", parameters->kwDefaults)
      .optional("kwarg", parameters->kwarg)
      .list("defaults", parameters->defaults);
}

} // namespace nereid::syntax
