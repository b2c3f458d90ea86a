#include "Reference.h"

#include "syntax/Parser.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace nereid::tool {

namespace {

using Array = ReferenceArray;
using Value = Result<Array>;
using Parts = std::vector<Array>;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double reciprocalRoot(double x) { return 1 / std::sqrt(x); }
double larger(double x, double y) { return std::isnan(x) || std::isnan(y) ? NAN : std::max(x, y); }
double smaller(double x, double y) { return std::isnan(x) || std::isnan(y) ? NAN : std::min(x, y); }
double sum(double x, double y) { return x + y; }

struct Elementwise {
  std::string_view name;
  double (*op)(double);
};
constexpr Elementwise kElementwise[] = {
    {"exp", std::exp},     {"exp2", std::exp2},   {"log", std::log},        {"log2", std::log2},
    {"log1p", std::log1p}, {"expm1", std::expm1}, {"sqrt", std::sqrt},      {"rsqrt", reciprocalRoot},
    {"sin", std::sin},     {"cos", std::cos},     {"tan", std::tan},        {"tanh", std::tanh},
    {"erf", std::erf},     {"abs", std::fabs},    {"sigmoid", sigmoid},     {"floor", std::floor},
    {"ceil", std::ceil},   {"trunc", std::trunc}, {"round", std::nearbyint}};

struct Reduction {
  std::string_view name;
  double start;
  double (*op)(double, double);
};
constexpr Reduction kReductions[] = {
    {"sum", 0, sum}, {"mean", 0, sum}, {"max", -INFINITY, larger}, {"min", INFINITY, smaller}};

constexpr std::string_view kKnown =
    "there are + - * / // % **, comparisons, @, .T, subscripts, exp, exp2, log, log2, log1p, expm1, sqrt, rsqrt, sin, "
    "cos, tan, "
    "tanh, erf, abs, sigmoid, floor, ceil, trunc, round, maximum, minimum, where, sum, mean, max, min and softmax";

class Evaluator {
public:
  Evaluator(SourceRef source, const ReferenceLookup &lookup) : source(std::move(source)), lookup(lookup) {}

  Value evaluate(const syntax::Expr *expr) {
    switch (expr->kind) {
    case syntax::ExprKind::Constant: return constant(syntax::cast<syntax::Constant>(expr));
    case syntax::ExprKind::Name: return name(syntax::cast<syntax::Name>(expr));
    case syntax::ExprKind::BinOp: return binary(syntax::cast<syntax::BinOp>(expr));
    case syntax::ExprKind::UnaryOp: return unary(syntax::cast<syntax::UnaryOp>(expr));
    case syntax::ExprKind::Compare: return compare(syntax::cast<syntax::Compare>(expr));
    case syntax::ExprKind::Call: return call(syntax::cast<syntax::Call>(expr));
    case syntax::ExprKind::Subscript: return index(syntax::cast<syntax::Subscript>(expr));
    case syntax::ExprKind::Attribute: return attribute(syntax::cast<syntax::Attribute>(expr));
    default: return refuse(expr);
    }
  }

  Error at(const syntax::Expr *expr, std::string message, std::string note = "") const {
    Diagnostic diagnostic{Severity::Error, source, expr->range, std::move(message), {}};
    if (!note.empty())
      diagnostic.notes.push_back({Severity::Note, nullptr, {}, std::move(note), {}});
    return {Status::BadInput, render(diagnostic)};
  }

private:
  Error refuse(const syntax::Expr *expr) const {
    return at(expr, "`" + textOf(expr) + "` is not known to `--expect`", std::string(kKnown));
  }

  std::string textOf(const syntax::Expr *expr) const {
    return std::string(source->text().substr(expr->range.begin, expr->range.end - expr->range.begin)).substr(0, 80);
  }

  // What the operation says, at its place.
  Value placed(const syntax::Expr *expr, Value value) const {
    return value ? std::move(value) : Value(at(expr, value.error().message));
  }

  Value constant(const syntax::Constant &expr) const {
    using Kind = syntax::ConstantKind;
    if (expr.constantKind == Kind::True || expr.constantKind == Kind::False)
      return Array::scalar(expr.constantKind == Kind::True);
    if (expr.constantKind == Kind::Float)
      return Array::scalar(expr.number);
    double number = 0;
    auto [end, problem] = std::from_chars(expr.text.data(), expr.text.data() + expr.text.size(), number);
    if (expr.constantKind != Kind::Int || problem != std::errc() || end != expr.text.data() + expr.text.size())
      return refuse(&expr);
    return Array::scalar(number);
  }

  Value name(const syntax::Name &expr) const {
    std::optional<Value> found = lookup(expr.id);
    if (found)
      return placed(&expr, std::move(*found));
    return at(&expr, "there is no tensor and no number `" + textOf(&expr) + "` among the arguments");
  }

  Value binary(const syntax::BinOp &expr) {
    Value left = evaluate(expr.left), right = left ? evaluate(expr.right) : left;
    if (!right)
      return right;
    using Operator = syntax::BinaryOperator;
    switch (expr.op) {
    case Operator::Add: return placed(&expr, combine(*left, *right, sum));
    case Operator::Sub: return placed(&expr, combine(*left, *right, std::minus<double>()));
    case Operator::Mult: return placed(&expr, combine(*left, *right, std::multiplies<double>()));
    case Operator::Div: return placed(&expr, combine(*left, *right, std::divides<double>()));
    case Operator::FloorDiv:
      return placed(&expr, combine(*left, *right, [](double x, double y) { return std::floor(x / y); }));
    case Operator::Mod:
      return placed(&expr, combine(*left, *right, [](double x, double y) { return x - y * std::floor(x / y); }));
    case Operator::Pow: return placed(&expr, combine(*left, *right, [](double x, double y) { return std::pow(x, y); }));
    case Operator::MatMult: return placed(&expr, multiplyMatrices(*left, *right));
    default: return refuse(&expr);
    }
  }

  Value unary(const syntax::UnaryOp &expr) {
    if (expr.op != syntax::UnaryOperator::USub && expr.op != syntax::UnaryOperator::UAdd)
      return refuse(&expr);
    Value value = evaluate(expr.operand);
    if (!value || expr.op == syntax::UnaryOperator::UAdd)
      return value;
    return apply(std::move(*value), [](double x) { return -x; });
  }

  Value compare(const syntax::Compare &expr) {
    using Operator = syntax::CompareOperator;
    Value left = evaluate(expr.left), right = left ? evaluate(expr.comparators[0]) : left;
    if (!right)
      return right;
    auto with = [&](auto op) { // true is 1
      return placed(&expr, combine(*left, *right, [op](double x, double y) { return op(x, y) ? 1.0 : 0.0; }));
    };
    if (expr.ops.size() > 1)
      return refuse(&expr);
    switch (expr.ops[0]) {
    case Operator::Eq: return with(std::equal_to<double>());
    case Operator::NotEq: return with(std::not_equal_to<double>());
    case Operator::Lt: return with(std::less<double>());
    case Operator::LtE: return with(std::less_equal<double>());
    case Operator::Gt: return with(std::greater<double>());
    case Operator::GtE: return with(std::greater_equal<double>());
    default: return refuse(&expr);
    }
  }

  Value attribute(const syntax::Attribute &expr) {
    if (expr.attr != "T")
      return refuse(&expr);
    Value value = evaluate(expr.value);
    return value ? Value(transposed(*value)) : value;
  }

  // A whole number that is known without tensors.
  Result<int64_t> integer(const syntax::Expr *expr) {
    Value value = evaluate(expr);
    if (!value)
      return value.error();
    if (value->rank() != 0 || value->values[0] != std::floor(value->values[0]) || std::fabs(value->values[0]) > 0x1p53)
      return at(expr, "`" + textOf(expr) + "` is not a whole number");
    return static_cast<int64_t>(value->values[0]);
  }

  Value index(const syntax::Subscript &expr) {
    Value value = evaluate(expr.value);
    if (!value)
      return value;
    std::vector<const syntax::Expr *> list{expr.slice};
    if (const auto *tuple = syntax::dynCast<syntax::TupleExpr>(expr.slice))
      list.assign(tuple->elts.begin(), tuple->elts.end());
    std::vector<ReferenceIndex> items;
    for (const syntax::Expr *item : list) {
      ReferenceIndex &added = items.emplace_back();
      const auto *none = syntax::dynCast<syntax::Constant>(item);
      if (none && none->constantKind == syntax::ConstantKind::None) {
        added.kind = ReferenceIndex::Kind::NewAxis;
        continue;
      }
      const auto *part = syntax::dynCast<syntax::Slice>(item);
      if (part && part->step)
        return refuse(&expr);
      if (!part)
        added.kind = ReferenceIndex::Kind::Index;
      for (auto [from, to] :
           {std::pair{part ? part->lower : item, &added.begin}, {part ? part->upper : nullptr, &added.end}})
        if (from) {
          Result<int64_t> number = integer(from);
          if (!number)
            return number.error();
          *to = *number;
        }
    }
    return placed(&expr, subscript(*value, items));
  }

  // exp(x), x.sum(axis=1), where(x > 0, x, 0)
  Value call(const syntax::Call &expr) {
    Parts arguments;
    std::string_view function;
    if (const auto *method = syntax::dynCast<syntax::Attribute>(expr.func)) {
      Value self = evaluate(method->value);
      if (!self)
        return self;
      function = method->attr;
      arguments.push_back(std::move(*self));
    } else if (const auto *plain = syntax::dynCast<syntax::Name>(expr.func)) {
      function = plain->id;
    } else {
      return refuse(&expr);
    }
    for (const syntax::Expr *argument : expr.args) {
      Value value = evaluate(argument);
      if (!value)
        return value;
      arguments.push_back(std::move(*value));
    }
    for (const Elementwise &row : kElementwise)
      if (row.name == function && arguments.size() == 1 && expr.keywords.empty())
        return apply(std::move(arguments[0]), row.op);
    if ((function == "maximum" || function == "minimum") && arguments.size() == 2 && expr.keywords.empty())
      return placed(&expr, combine(arguments[0], arguments[1], function == "maximum" ? larger : smaller));
    if (function == "where" && arguments.size() == 3 && expr.keywords.empty())
      return placed(&expr, choose(arguments));
    return across(expr, function, arguments);
  }

  static Value choose(const Parts &arguments) {
    Value yes = combine(arguments[0], arguments[1], [](double condition, double x) { return condition ? x : 0; });
    Value no = combine(arguments[0], arguments[2], [](double condition, double x) { return condition ? 0 : x; });
    if (!yes || !no)
      return yes ? no : yes;
    return combine(*yes, *no, sum);
  }

  // Functions along an axis: sum(x, axis=1, keepdims=True), softmax(x, axis=-1).
  Value across(const syntax::Call &expr, std::string_view function, Parts &arguments) {
    std::optional<int64_t> axis;
    bool keepsAxis = false;
    for (const syntax::Keyword *keyword : expr.keywords) {
      bool isKeep = keyword->arg == "keepdims" || keyword->arg == "keep_dims";
      if (keyword->arg != "axis" && !isKeep)
        return refuse(&expr);
      Result<int64_t> number = integer(keyword->value);
      if (!number)
        return number.error();
      isKeep ? void(keepsAxis = *number != 0) : void(axis = *number);
    }
    if (arguments.size() == 2 && arguments[1].rank() == 0 && !axis) {
      axis = static_cast<int64_t>(arguments[1].values[0]);
      arguments.pop_back();
    }
    if (arguments.size() != 1)
      return refuse(&expr);
    const Array &array = arguments[0];
    for (const Reduction &row : kReductions)
      if (row.name == function) {
        Value value = placed(&expr, reduce(array, axis, keepsAxis, row.start, row.op));
        if (value && function == "mean")
          for (double &element : value->values)
            element /= reducedCount(array, axis);
        return value;
      }
    if (function == "softmax")
      return placed(&expr, softmax(array, axis.value_or(-1)));
    return refuse(&expr);
  }

  static Value softmax(const Array &array, int64_t axis) {
    Value highest = reduce(array, axis, true, -INFINITY, larger);
    if (!highest)
      return highest;
    Value powers = combine(array, *highest, [](double x, double high) { return std::exp(x - high); });
    Value total = powers ? reduce(*powers, axis, true, 0, sum) : powers;
    return total ? combine(*powers, *total, std::divides<double>()) : total;
  }

  SourceRef source;
  const ReferenceLookup &lookup;
};

} // namespace

Result<ReferenceArray> evaluateReference(const std::string &what, const std::string &text,
                                         const ReferenceLookup &lookup) {
  Diagnostics diagnostics;
  SourceRef source = syntax::makeSource(what, text, diagnostics);
  if (!source)
    return Error{Status::BadInput, diagnostics.render()};
  syntax::ParsedFile file = syntax::parseFile(source, diagnostics);
  const auto *statement = file.body.size() == 1 ? syntax::dynCast<syntax::ExprStmt>(file.body.front()) : nullptr;
  if (!statement && !diagnostics.hasErrors())
    diagnostics.error(source, {0, static_cast<uint32_t>(text.size())}, "expected one Python expression");
  if (diagnostics.hasErrors())
    return Error{Status::BadInput, diagnostics.render()};
  return Evaluator(source, lookup).evaluate(statement->value);
}

} // namespace nereid::tool
