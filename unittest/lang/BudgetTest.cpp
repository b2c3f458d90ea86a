// BudgetTest.cpp: compile-time Python ends soon whatever a source does in one step: each program below would take hours,
// or all memory, if a step were a statement. The message has the place of the construct.
#include "lang/Loader.h"

#include <gtest/gtest.h>

using namespace nereid;
using namespace nereid::lang;

namespace {

// Lists of lists of lists: 10**15 items in a few thousand bytes.
constexpr const char *kNested = "def nest(x):\n    for i in range(5):\n        x = [x] * 1000\n    return x\n"
                                "def tuples(x):\n    for i in range(5):\n        x = (x,) * 1000\n    return x\n"
                                "a, b, t = nest(0), nest(0), tuples(0)\nlong = 'a' * 2000000\n"
                                "class Thing:\n    pass\n";

std::string messages(const std::string &program) {
  Diagnostics diagnostics;
  Session session(diagnostics);
  Loader loader(session);
  auto module = loader.loadText("case.py", "import copy, itertools, math\n" + std::string(kNested) + program);
  std::string text = diagnostics.render();
  if (Value *result = module ? module->globals->find("result") : nullptr)
    text += repr(*result);
  return text;
}

void expectSpent(const std::string &program) {
  std::string text = messages(program);
  bool isSpent = text.find("takes more than 5000000 steps") != std::string::npos ||
                 text.find("take more than 512 MiB") != std::string::npos;
  EXPECT_TRUE(isSpent && text.starts_with("case.py:")) << program << text;
}

// The same over and over, as the value of a call: module-level calls whose results are dropped are not made.
std::string repeated(const std::string &statements) {
  return "def run():\n    x = [0] * 900000\n    thing = Thing()\n    for i in range(10**9):\n        " + statements +
         "\nresult = run()\n";
}

} // namespace

TEST(Budget, NestedValues) {
  for (const char *operation :
       {"a == b", "a != b", "a < b", "a in [b]", "[b].index(a)", "[b].count(a)", "repr(a)", "str(a)", "f'{a}'",
        "'%s' % (a,)", "'{}'.format(a)", "{t: 1}", "{t}", "{1: 2}.get(t)", "t in {1}", "sorted([a, b])", "max(a, b)",
        "'x'.join(map(str, [a]))", "copy.deepcopy(nest([]))"})
    expectSpent(std::string("result = ") + operation + "\n");
}

// An audit asks that outside of all evaluation.
TEST(Budget, WhetherValuesAreConstant) {
  Diagnostics diagnostics;
  Session session(diagnostics);
  Loader loader(session);
  auto module = loader.loadText(
      "case.py", std::string(kNested) + "def narrow(x):\n    for i in range(150):\n        x = {1: [x, x], 2: x}\n"
                                        "    return x\nc = narrow(0)\nd = Thing()\nd.x = d.y = d.z = d\n"
                                        "e = []\ne.append(e)\ne.append(e)\n");
  ASSERT_TRUE(module) << diagnostics.render();
  for (const char *name : {"a", "t", "c", "d", "e"})
    EXPECT_TRUE(module->globals->find(name)->isConstant()) << name;
}

// What fails over and over is left out of a module, or caught: an exception costs more than what was evaluated before it. A loop of the
// module has a share of the budget.
TEST(Budget, Exceptions) {
  for (const char *statements : {"    @nothing.jit\n    def f(): pass\n", "    y = nothing.x\n",
                                 "    try:\n        [][1]\n    except IndexError:\n        pass\n"}) {
    for (const char *loop : {"for i in range(1000):\n", "for i in range(10**9):\n", "while True:\n"})
      EXPECT_EQ(messages(loop + std::string(statements) + "result = 1\n"), "1") << loop << statements;
  }
}

TEST(Budget, LongTexts) {
  for (const char *statement : {"(long[1:] + 'b') in long",
                                "long.find('b')",
                                "long.rfind('b' + long[:1000000])",
                                "long.count('a')",
                                "long.replace('a', 'bb')",
                                "long.split('a')",
                                "long.rsplit('b' * 100)",
                                "long.upper()",
                                "long == long[1:] + 'b'",
                                "long < long[1:] + 'b'",
                                "long is long[1:] + 'b'",
                                "long[::2]",
                                "len(long)",
                                "long.strip('a')",
                                "f'{i:9000000}'",
                                "f'{1.5:.9000000f}'",
                                "'%9000000d' % i",
                                "long.zfill(9000000)",
                                "float('1' * 4000)",
                                "int('0' * 2000000)",
                                "long.splitlines()",
                                "long + long",
                                "long * 4",
                                "hash(long)",
                                "repr(long)",
                                "','.join([long, long])",
                                "setattr(thing, long + str(i), 1)",
                                "getattr(thing, long + str(i), 1)",
                                "hasattr(thing, long)"})
    expectSpent(repeated(std::string("y = ") + statement));
}

TEST(Budget, LongLists) {
  for (const char *statement : {"x.append(x.pop(0))",
                                "del x[0]; x.append(0)",
                                "x.insert(0, 1); x.pop()",
                                "x.remove(0); x.append(0)",
                                "y = x[::2]",
                                "y = x[1:] + [1]",
                                "y = sum([x, [1]], [])",
                                "y = list(x)",
                                "y = [*x]",
                                "y, *z = x",
                                "y = tuple(x)",
                                "y = set(range(9999))",
                                "y = dict(enumerate(range(9999)))",
                                "x.reverse()",
                                "y = sorted(x)",
                                "y = x.copy()",
                                "y = 1 in x",
                                "y = list(zip(x, x))",
                                "y = (lambda *z: 0)(*x)",
                                "x[1:3] = x[5:7]",
                                "y = pow(3, 2**126 - 1, 2**126 + 1)"})
    expectSpent(repeated(statement));
}

TEST(Budget, Searches) {
  for (const char *program :
       {"result = list(itertools.combinations(range(60), 30))\n",
        "result = list(itertools.product(range(9), repeat=9))\n",
        "result = list(itertools.permutations(range(60), 59))\n", "result = {(i,) * 100: i for i in range(10**7)}\n",
        "def f(n):\n    return f(n - 1) + f(n - 2) if n > 1 else 1\nresult = f(100)\n"})
    expectSpent(program);
  // A body that is never reached costs nothing at each call.
  std::string dead = "def f():\n    return 1\n";
  for (int i = 0; i < 20000; ++i)
    dead += "    x = " + std::to_string(i) + "\n";
  expectSpent(dead + "def run():\n    while True:\n        f()\nresult = run()\n");
}

TEST(Budget, IsNotCaught) {
  expectSpent("def f():\n    try:\n        return a == b\n    except Exception:\n        return 1\nresult = f()\n");
  expectSpent("try:\n    result = a == b\nexcept:\n    result = 1\n");
}

TEST(Budget, LeavesRoomForTables) {
  EXPECT_EQ(
      messages("d = {(i, str(i)): i for i in range(50000)}\nresult = sum(d[(i, str(i))] for i in range(50000))\n"),
      "1249975000");
  EXPECT_EQ(messages("result = [a == a, a in [a], len(set(range(200000))), 10**15 in range(10**18)]\n"),
            "[True, True, 200000, True]");
}
