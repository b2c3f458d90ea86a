// ConstEvalTest.cpp: compile-time Python against CPython (consteval.txt, written by consteval_cases.py), and its bounds.
#include "lang/Loader.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

using namespace nereid;
using namespace nereid::lang;

namespace {

struct Case {
  std::string program, expected;
};

std::vector<Case> readCases() {
  std::ifstream file(NEREID_TEST_DIR "/consteval.txt");
  std::vector<Case> cases(1);
  for (std::string line; std::getline(file, line);) {
    if (line == "---")
      cases.emplace_back();
    else if (line.starts_with("=> "))
      cases.back().expected = line.substr(3);
    else
      cases.back().program += line + "\n";
  }
  return cases;
}

std::string evaluated(const std::string &program) {
  Diagnostics diagnostics;
  Session session(diagnostics);
  Loader loader(session);
  auto module = loader.loadText("case.py", program);
  if (!module)
    return diagnostics.render();
  Value *result = module->globals->find("result");
  return result ? ConstEval(session).reprOf(*result) : "no result";
}

std::string failure(const std::string &program) {
  Diagnostics diagnostics;
  Session session(diagnostics);
  Loader loader(session);
  auto module = loader.loadText("case.py", program);
  Value *result = module ? module->globals->find("result") : nullptr;
  return result ? repr(*result) : diagnostics.render();
}

} // namespace

TEST(ConstEval, AgreesWithCPython) {
  std::vector<Case> cases = readCases();
  ASSERT_GT(cases.size(), 30u);
  for (const Case &each : cases)
    EXPECT_EQ(evaluated(each.program), each.expected) << each.program;
}

TEST(ConstEval, EndlessLoopsEnd) {
  for (const char *program : {"x = [0]\nfor i in x:\n    pass\ndef f():\n    while True:\n        pass\nresult = f()\n",
                              "def f(n):\n    return sum(f(n + 1) for i in range(9))\nresult = f(0)\n",
                              "def f(x):\n    while True:\n        x = x + x\nresult = f('ab')\n"})
    EXPECT_FALSE(failure(program).empty()) << program;
  EXPECT_NE(failure("def f():\n    while True:\n        pass\nresult = f()\n").find("steps"), std::string::npos);
  // Those of the module are left.
  for (const char *loop : {"while True:\n    pass\n", "x = 'ab'\nwhile True:\n    x = x + x\n"})
    EXPECT_EQ(evaluated(loop + std::string("result = 3\n")), "3") << loop;
}

TEST(ConstEval, SizesAreBounded) {
  EXPECT_NE(failure("result = [0] * 10**12\n").find("too large"), std::string::npos);
  EXPECT_NE(failure("result = 'x' * 10**12\n").find("too large"), std::string::npos);
  EXPECT_NE(failure("result = list(range(10**15))\n").find("too large"), std::string::npos);
  EXPECT_NE(failure("result = 1 << 500\n").find("127 bits"), std::string::npos);
  EXPECT_NE(failure("result = 10 ** 1000\n").find("127 bits"), std::string::npos);
  EXPECT_NE(failure("def f(n):\n    return f(n + 1)\nresult = f(0)\n").find("deep"), std::string::npos);
}

TEST(ConstEval, ErrorsAreCPythons) {
  EXPECT_NE(failure("result = '' * 2**64\n").find("more than 64 bits"), std::string::npos);
  EXPECT_NE(failure("result = [] in {}.keys()\n").find("has no hash"), std::string::npos);
  EXPECT_NE(failure("result = ([], 1) in {}.items()\n").find("has no hash"), std::string::npos);
  EXPECT_NE(failure("result = {1, 2}.pop()\n").find("for sets of one item"),
            std::string::npos); // ours: the order is unknown
}

TEST(ConstEval, DeepNestingIsHarmless) {
  const char *nest = "x = []\nfor i in range(60000):\n    x = [x]\ny = {}\nfor i in range(60000):\n    y = {1: y}\nz = "
                     "[]\nz.append(z)\n";
  EXPECT_EQ(evaluated(std::string(nest) + "result = [len(x), len(y), len(z), repr(z), x == 3]\n"),
            "[1, 1, 1, '[[...]]', False]");
  const char *deep = "x = []\nfor i in range(1000):\n    x = [x]\ny = []\nfor i in range(1000):\n    y = [y]\n"
                     "t = ()\nfor i in range(1000):\n    t = (t,)\n";
  for (const char *operation : {"repr(x)", "f'{x}'", "x == y", "x < y", "{t: 1}", "x in [y]"})
    EXPECT_NE(failure(std::string(deep) + "result = " + operation + "\n").find("nested too deeply"), std::string::npos)
        << operation;
  for (const char *chain :
       {"x = None\nfor i in range(60000):\n    x = (lambda y: lambda: y)(x)\nx = 0\n",
        "x = 0\nfor i in range(60000):\n    x = slice(x)\n",
        "import functools\nx = abs\nfor i in range(60000):\n    x = functools.partial(x)\ny = x(-1)\n",
        "class A: pass\nfor i in range(60000):\n    class A(A): pass\ny = A().missing\n",
        "x = ValueError()\nfor i in range(60000):\n    x = ValueError(x)\ny = str(x)\n",
        "x = ()\nfor i in range(60000):\n    x = (x,)\ny = isinstance(1, x)\n"})
    EXPECT_EQ(evaluated(std::string(chain) + "result = 1\n"), "1") << chain;
}

TEST(ConstEval, MisusedObjectsAreErrorsOnly) {
  for (const char *program :
       {"triton.Config.all_kwargs(3)", "triton.autotune(configs=[], key=[]).__func__(1, 2)",
        "functools.partial(abs).__func__(1)", "version.parse('1.0').__lt__(3)",
        "version.Version.__lt__(triton.Config({}), version.parse('1'))", "str.upper(3)", "list.append(1, 2)",
        "dict.get([], 1)", "range(-2**126, 2**126)[0]", "math.gcd(-2**126 * 2, 3)",
        "list(enumerate([1, 2], 2**126 * 2 - 1 + 2**126))", "'{0abc}'.format(1)", "'%*d' % (1, 2)",
        "f'{1:>99999999999}'", "namedtuple('T', 5)", "triton.next_power_of_2(-2**126)"})
    EXPECT_EQ(evaluated(std::string("import triton, functools, math\nfrom packaging import version\nfrom collections "
                                    "import namedtuple\nx = ") +
                        program + "\nresult = 1\n"),
              "1")
        << program;
}

TEST(ConstEval, UnknownValuesSpread) {
  const char *program = "import torch, numpy as np\nn = torch.cuda.device_count() * 2 + np.zeros(3)[0]\nresult = n\n";
  EXPECT_NE(evaluated(program).find("torch.cuda.device_count()"), std::string::npos);
  EXPECT_EQ(evaluated("import foo\nif foo.bar():\n    result = 1\nelse:\n    result = foo.x\n"), "1");
  EXPECT_EQ(evaluated("import foo\nresult = [foo.x and False, False and foo.x, foo.y or 3]\n").substr(0, 7), "[False,");
}

// What such a class makes of its objects is not asked: nothing is said of them.
TEST(ConstEval, ClassesThatChangeWhatStatementsDoAreUnknown) {
  for (const char *member : {"def __setattr__(self, n, v): pass", "def __delattr__(self, n): pass",
                             "def __getattribute__(self, n): return 8", "def __init_subclass__(cls): pass",
                             "def __get__(self, o, c): return 31", "def __new__(cls): return 17",
                             "def __instancecheck__(cls, i): return True"})
    EXPECT_NE(
        evaluated(std::string("class A:\n    v = 1\n    ") + member + "\nresult = A().v\n").find("little is known"),
        std::string::npos)
        << member;
  EXPECT_NE(evaluated("class M(type):\n    pass\nclass A(metaclass=M):\n    v = 1\nresult = A.v\n").find("metaclass"),
            std::string::npos);
  EXPECT_EQ(evaluated("import abc\nclass A(metaclass=abc.ABCMeta):\n    v = 1\nresult = A.v\n"), "1");
  // Whether objects with an `__eq__` are equal is asked where they stand by themselves only.
  const char *things =
      "class A:\n    def __init__(self, v): self.v = v\n    def __eq__(self, o): return self.v == o.v\n"
      "    def __hash__(self): return 1\na = A(1)\n";
  for (const char *expression : {"[A(1)] == [A(1)]", "{A(1): 1}.get(A(1))", "A(1) in {A(1)}", "len({A(1), A(1)})"})
    EXPECT_NE(failure(std::string(things) + "def f():\n    return " + expression + "\nresult = f()\n").find("`__eq__`"),
              std::string::npos)
        << expression;
  EXPECT_EQ(evaluated(std::string(things) + "result = [[a] == [a], {a: 1}[a], a in {a}]\n"), "[True, 1, True]");
}

TEST(ConstEval, TheTargetIsKnown) {
  EXPECT_EQ(evaluated("import torch\nresult = (torch.version.hip, torch.cuda.is_available(), "
                      "torch.cuda.get_device_capability())\n"),
            "(None, True, (9, 0))");
  EXPECT_EQ(evaluated("import triton\nfrom packaging import version\nresult = [version.parse(triton.__version__) >= "
                      "version.parse('3.0.0'), triton.__version__]\n"),
            "[True, '3.6.0']");
  EXPECT_EQ(evaluated("import os\nresult = [os.environ.get('X', '1'), os.getenv('Y'), 'Z' in os.environ]\n"),
            "['1', None, False]");
  EXPECT_EQ(
      evaluated("import triton\nt = triton.runtime.driver.active.get_current_target()\nresult = (t.backend, t.arch)\n"),
      "('cuda', 90)");
  EXPECT_EQ(evaluated("import triton.language as tl\nresult = [hasattr(tl, 'load'), hasattr(tl, 'no_such_name'), "
                      "hasattr(tl, 'make_tensor_descriptor')]\n"),
            "[True, False, True]");
  EXPECT_EQ(evaluated("import torch\nresult = [torch.finfo(torch.float16).max, torch.iinfo(torch.int32).min, "
                      "torch.float16 == torch.float16, "
                      "{torch.float16: 1}[torch.float16]]\n"),
            "[65504.0, -2147483648, True, 1]");
}
