#include "KernelGrammar.h"

#include "lang/Builtin.h"

namespace nereid::fuzz {

static const char *const kSizes[] = {"1", "2", "4", "8", "16", "32", "64", "128", "256", "1024"};
static const char *const kConstants[] = {"0",
                                         "1",
                                         "2",
                                         "3",
                                         "-1",
                                         "7",
                                         "16",
                                         "31",
                                         "32",
                                         "64",
                                         "100",
                                         "255",
                                         "256",
                                         "65536",
                                         "2**31",
                                         "-2**31",
                                         "2**31 - 1",
                                         "2**63",
                                         "2**64 - 1",
                                         "2**100",
                                         "0.0",
                                         "1.0",
                                         "-0.5",
                                         "1e30",
                                         "1e400",
                                         "3.14",
                                         "True",
                                         "False",
                                         "None",
                                         "'a'",
                                         "\"relu\"",
                                         "()",
                                         "[]",
                                         "{}",
                                         "float('inf')",
                                         "float('nan')",
                                         "tl.float32",
                                         "tl.int32",
                                         "tl.float16",
                                         "tl.int1",
                                         "tl.pointer_type(tl.float32)"};
static const char *const kTypes[] = {"tl.int1",    "tl.int8",    "tl.int16",      "tl.int32",   "tl.int64",
                                     "tl.uint8",   "tl.uint32",  "tl.uint64",     "tl.float16", "tl.bfloat16",
                                     "tl.float32", "tl.float64", "tl.float8e4nv", "tl.float8e5"};
static const char *const kOperators[] = {
    "+",  "-",  "*",  "/", "//", "%",   "**", "<<", ">>", "&",  "|",      "^",     "<",
    "<=", "==", "!=", ">", ">=", "and", "or", "@",  "is", "in", "is not", "not in"};

std::string KernelGrammar::newName() {
  if (!names.empty() && choose(3) == 0)
    return name();
  return "v" + std::to_string(made++);
}

std::string KernelGrammar::shape() {
  std::string text = "[";
  for (size_t i = 0, rank = choose(4); i < rank; ++i)
    text += one(kSizes) + ", ";
  return text + "]";
}

std::string KernelGrammar::constant() { return choose(3) ? one(kSizes) : one(kConstants); }

// Python that runs while the kernel is compiled.
std::string KernelGrammar::compileTime(int depth) {
  static const char *const kFunctions[] = {"len",
                                           "str",
                                           "int",
                                           "float",
                                           "sum",
                                           "min",
                                           "max",
                                           "abs",
                                           "sorted",
                                           "range",
                                           "list",
                                           "tuple",
                                           "set",
                                           "dict",
                                           "repr",
                                           "hash",
                                           "bool",
                                           "round",
                                           "reversed",
                                           "enumerate",
                                           "zip",
                                           "tl.cdiv",
                                           "triton.next_power_of_2",
                                           "tl.constexpr",
                                           "isinstance",
                                           "divmod",
                                           "pow",
                                           "bin",
                                           "ord",
                                           "chr"};
  switch (choose(9)) {
  case 0: return "[" + expression(depth) + " for i in range(" + constant() + ")]";
  case 1: return "(" + expression(depth) + ", " + expression(depth) + ")";
  case 2: return "f\"{" + name() + ":" + one({"d", "5", ">10", ".3f", "x", "#g", ""}) + "}\"";
  case 3: return one(kFunctions) + "(" + expression(depth) + (choose(2) ? ", " + expression(depth) : "") + ")";
  case 4: return "(lambda a: " + expression(depth) + ")(" + expression(depth) + ")";
  case 5: return "{" + constant() + ": " + expression(depth) + "}[" + constant() + "]";
  case 6:
    return "(" + expression(depth) + ")." +
           one({"dtype", "shape", "value", "T", "numel", "type", "real", "upper()", "index(1)", "append(1)", "pop()",
                "items()", "element_ty", "primitive_bitwidth"});
  case 7: return "[" + expression(depth) + "] * " + constant();
  default: return "(" + expression(depth) + " if " + expression(depth) + " else " + expression(depth) + ")";
  }
}

std::string KernelGrammar::tile() {
  switch (choose(6)) {
  case 0: return "tl.arange(0, " + one(kSizes) + ")";
  case 1: return "tl.zeros(" + shape() + ", " + one(kTypes) + ")";
  case 2: return "tl.full(" + shape() + ", " + constant() + ", " + one(kTypes) + ")";
  case 3: return "tl.load(p + " + name() + ")";
  case 4: return "tl.program_id(" + constant() + ")";
  default: return name();
  }
}

// A call by its signature: each parameter gets something, some by name, some nothing.
std::string KernelGrammar::builtin(int depth) {
  std::span<const lang::BuiltinTable> tables = lang::builtinTables();
  const lang::BuiltinTable &table = tables[choose(tables.size())];
  if (table.rows.empty())
    return name();
  const lang::Builtin &row = table.rows[choose(table.rows.size())];
  bool isMember = row.isMember && choose(2);
  bool isSpace = table.space.starts_with("tl");
  std::string call = (isMember || !isSpace ? tile() : std::string(table.space)) + "." + std::string(row.name()) + "(";
  const std::vector<lang::Signature::Parameter> &parameters = lang::signatureOf(row).parameters;
  bool byName = false;
  for (size_t i = isMember; i < parameters.size(); ++i) {
    bool hasDefault = static_cast<bool>(parameters[i].defaultValue);
    if (hasDefault && choose(3)) {
      byName = true;
      continue;
    }
    std::string value = choose(4) ? expression(depth) : choose(2) ? one(kTypes) : shape();
    if (!functions.empty() && parameters[i].name == "combine_fn")
      value = functions[choose(functions.size())];
    call += (byName && !parameters[i].isRest ? parameters[i].name + "=" : "") + value + ", ";
  }
  return call + ")";
}

// A tile of sixteen numbers, or a number: what fits nearly everywhere, so that what stands behind it is reached.
std::string KernelGrammar::sound(int depth) {
  static const char *const kLeaves[] = {"i", "x", "y", "n", "m", "s", "B", "1", "2.5", "tl.program_id(0)"};
  static const char *const kSound[] = {"+", "-", "*", "<", "==", ">=", "!="};
  static const char *const kCalls[] = {"tl.exp",  "tl.abs",  "tl.sqrt",    "tl.sum",   "tl.max", "tl.cumsum",
                                       "tl.flip", "tl.sort", "tl.sigmoid", "tl.floor", "tl.sum", "tl.min"};
  static const char *const kShaped[] = {".to(tl.float32)", ".to(tl.int32)", ".to(tl.float16)",
                                        ".to(tl.int64)",   ".to(tl.int1)",  ".to(tl.bfloat16)"};
  if (depth <= 0 || isSpent())
    return isInKernel && choose(3) ? one(kLeaves) : name();
  switch (choose(9)) {
  case 0: return isInKernel ? one(kLeaves) : name();
  case 1: return one(kCalls) + "(" + sound(depth - 1) + (choose(3) ? ")" : ", 0)");
  case 2: return "(" + sound(depth - 1) + ")" + one(kShaped);
  case 3: return "tl.where(" + sound(depth - 1) + ", " + sound(depth - 1) + ", " + sound(depth - 1) + ")";
  case 4:
    if (isInKernel)
      return "tl.load(p + " + sound(depth - 1) + ", mask=i < n, other=0.0)";
    [[fallthrough]];
  case 5:
    return "tl.sum(tl.dot(tl.zeros([16, 16], tl.float16), tl.full([16, 16], 1, tl.float16)), " + one({"0", "1"}) + ")";
  default: return "(" + sound(depth - 1) + " " + one(kSound) + " " + sound(depth - 1) + ")";
  }
}

std::string KernelGrammar::expression(int depth) {
  if (isCareful && choose(24))
    return sound(depth);
  if (depth <= 0 || isSpent())
    return choose(2) ? name() : constant();
  switch (choose(12)) {
  case 0: return constant();
  case 1:
  case 2: return "(" + expression(depth - 1) + " " + one(kOperators) + " " + expression(depth - 1) + ")";
  case 3: return tile();
  case 4:
  case 5:
  case 6: return builtin(depth - 1);
  case 7: return compileTime(depth - 1);
  case 8:
    return expression(depth - 1) + "[" + one({":, None", "None, :", "0", "-1", "...", "None", ":", "1:2", "::2"}) + "]";
  case 9: return "(" + one({"-", "~", "not ", "+"}) + expression(depth - 1) + ")";
  case 10:
    if (!functions.empty())
      return functions[choose(functions.size())] + "(" + expression(depth - 1) + ", " + expression(depth - 1) + ")";
    [[fallthrough]];
  default: return name();
  }
}

// What an `if` or a `while` asks.
std::string KernelGrammar::condition() {
  static const char *const kSound[] = {"n > 3",   "tl.sum(x) > 0", "B == 16", "n < m",
                                       "s > 0.5", "B > 100",       "not n",   "n == 1 and B == 16"};
  return isCareful && isInKernel && choose(16) ? one(kSound) : expression(2);
}

void KernelGrammar::loop(int depth) {
  std::string variable = newName();
  if (choose(5) == 0) {
    line(depth, "while " + condition() + ":");
  } else {
    std::string ranges = one({"range", "tl.range", "tl.static_range", "range"});
    std::string options = ranges == "tl.range" && choose(2) ? ", loop_unroll_factor=" + constant() : "";
    std::string count = choose(4) ? one({"1", "2", "3", "4", "n"}) : expression(1);
    line(depth,
         "for " + variable + " in " + ranges + "(" + (choose(3) ? "" : constant() + ", ") + count + options + "):");
  }
  names.push_back(variable);
  body(depth + 1);
  if (choose(8) == 0)
    line(depth + 1, one({"break", "continue", "return"}));
}

void KernelGrammar::branch(int depth) {
  line(depth, "if " + condition() + ":");
  body(depth + 1);
  if (choose(2)) {
    line(depth, "else:");
    body(depth + 1);
  }
}

void KernelGrammar::statement(int depth) {
  ++statements;
  std::string target;
  if (isCareful && choose(2))
    return line(depth,
                isInKernel && choose(2) ? "tl.store(p + i, " + expression(2) + ")" : name() + " = " + expression(2));
  switch (depth < 4 ? choose(13) : choose(9)) {
  case 0:
    return line(depth, "tl.store(p + " + expression(2) + ", " + expression(2) +
                           (choose(2) ? "" : ", mask=" + expression(2)) + ")");
  case 1:
    return line(depth,
                name() + " " + one({"+=", "-=", "*=", "/=", "//=", "%=", "|=", "@=", "**="}) + " " + expression(2));
  case 2: return line(depth, builtin(2));
  case 3: target = newName() + ", " + newName(); break;
  case 4:
    return line(depth, one({"assert ", "tl.static_assert(1), ", "tl.device_assert(1), ", "print, ", "del "}) + name());
  case 5: target = newName() + ": tl.constexpr"; break;
  case 9: return loop(depth);
  case 10: return branch(depth);
  case 11:
    if (choose(4) == 0) {
      line(depth, "with tl.async_task([" + constant() + "]):");
      return body(depth + 1);
    }
    return loop(depth);
  case 12: return branch(depth);
  default: target = newName(); break;
  }
  line(depth, target + " = " + expression(3));
  if (target.find(',') == std::string::npos)
    names.push_back(target.substr(0, target.find(':')));
}

void KernelGrammar::body(int depth) {
  size_t known = names.size();
  for (size_t i = 0, count = 1 + choose(4); i < count && !isSpent(); ++i)
    statement(depth);
  line(depth, "pass");
  if (choose(3))
    names.resize(known); // what was made in a branch may not be there after it; now and then it is used all the same
}

void KernelGrammar::function(const std::string &name, bool isKernel) {
  isInKernel = isKernel;
  text += "@triton.jit\n";
  if (isKernel) {
    line(0, "def " + name + "(p, q, n, m, B: tl.constexpr, s: tl.float32 = 1.0):");
    names = {"p", "q", "n", "m", "B", "s"};
  } else {
    line(0, "def " + name + "(a, b):");
    names = {"a", "b"};
  }
  if (isKernel) {
    line(1, "i = tl.arange(0, 16)");
    line(1, "x = tl.load(p + i)");
    line(1, "y = x * 2");
    names.insert(names.end(), {"i", "x", "y"});
  }
  body(1);
  if (!isKernel)
    line(1, "return " + expression(2) + (choose(4) ? "" : ", " + expression(1)));
  text += "\n";
}

std::string KernelGrammar::file() {
  text = "import triton\nimport triton.language as tl\n\n";
  isCareful = choose(4) != 0;
  for (size_t i = 0, count = choose(3); i < count; ++i) {
    std::string name = "f" + std::to_string(i);
    function(name, false);
    functions.push_back(name);
  }
  function("kernel", true);
  return text;
}

} // namespace nereid::fuzz
