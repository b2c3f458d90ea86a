// LoaderTest.cpp: imports between files, jit functions wherever they stand, configs, heuristics and closures.
#include "lang/Loader.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

using namespace nereid;
using namespace nereid::lang;
namespace fs = std::filesystem;

namespace {

// Files in a folder of their own, removed at the end.
class LoaderTest : public testing::Test {
protected:
  void SetUp() override {
    root = fs::temp_directory_path() / ("nereid-loader-" + std::to_string(getpid()) + "-" +
                                        testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(root);
  }
  void TearDown() override {
    loader.reset();
    fs::remove_all(root);
  }

  void write(const std::string &path, const std::string &text) {
    fs::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text;
  }
  std::shared_ptr<Module> load(const std::string &path) { return loader->loadFile((root / path).string()); }
  std::string shown(const std::shared_ptr<Module> &module, const std::string &name) {
    if (!module)
      return "not loaded: " + diagnostics.render();
    auto found = module->globals->names.find(name);
    return found == module->globals->names.end() ? "unbound" : repr(found->second);
  }
  std::string kernels(const Module &module) {
    std::string names;
    for (auto &entry : loader->jitFunctions(module))
      names += (names.empty() ? "" : " ") + entry.name;
    return names;
  }
  std::shared_ptr<Module> text(const std::string &source) {
    return loader->loadText("kernel.py", "import triton\nimport triton.language as tl\n" + source);
  }
  std::shared_ptr<Function> kernel(const Module &module, const std::string &name) {
    for (auto &entry : loader->jitFunctions(module))
      if (entry.name == name)
        return entry.function;
    return nullptr;
  }

  fs::path root;
  Diagnostics diagnostics;
  Session session{diagnostics};
  std::unique_ptr<Loader> loader = std::make_unique<Loader>(session);
};

} // namespace

TEST_F(LoaderTest, FollowsImports) {
  write("pkg/__init__.py", "from .a import A\nVERSION = 3\n");
  write("pkg/a.py", "from .sub.b import B as Bee\nfrom . import consts\nA = Bee + consts.C\n");
  write("pkg/consts.py", "C = 100\n_hidden = 1\n");
  write("pkg/sub/__init__.py", "");
  write("pkg/sub/b.py", "from ..consts import *\nfrom pkg.consts import C as D\nB = C + D\n");
  write("pkg/main.py", "import pkg\nfrom pkg import VERSION\nimport pkg.sub.b as deep\nfrom .a import A\nr = (pkg.A, "
                       "VERSION, deep.B, A, pkg.sub.b.B)\n"
                       "def f():\n    from .consts import C\n    return C\ninside = f()\n");
  auto module = load("pkg/main.py");
  EXPECT_EQ(shown(module, "r"), "(300, 3, 200, 300, 200)");
  EXPECT_EQ(shown(module, "inside"), "100");
}

TEST_F(LoaderTest, ImportsByName) {
  write("pkg/__init__.py", "");
  write("pkg/a.py", "X = 7\n");
  write("pkg/main.py", "import importlib\nname = 'a'\nr = (importlib.import_module('pkg.' + name).X, "
                       "importlib.import_module('.a', __package__).X)\n"
                       "import torch\ncuda_only = hasattr(torch, 'npu')\n");
  auto module = load("pkg/main.py");
  EXPECT_EQ(shown(module, "r") + shown(module, "cuda_only"), "(7, 7)False");
}

TEST_F(LoaderTest, ASyntaxErrorBehindAnImportIsStillReportedForTheFile) {
  write("bad.py", "x = = 1\n");
  write("main.py", "from bad import x\n");
  EXPECT_NE(load("main.py"), nullptr);
  EXPECT_FALSE(diagnostics.hasErrors());
  EXPECT_EQ(load("bad.py"), nullptr);
  EXPECT_TRUE(diagnostics.hasErrors());
}

TEST_F(LoaderTest, ATlConstexprFunctionRunsAtCompileTime) {
  auto module =
      text("@tl.constexpr\ndef f(x): return x + 1\n@triton.constexpr_function\ndef g(x): return f(x) * 2\nr = g(3)\n");
  EXPECT_EQ(shown(module, "r"), "8");
  EXPECT_TRUE(module->globals->find("f")->object<Function>()->kind == Function::Kind::Constexpr);
}

TEST_F(LoaderTest, StarImportHonoursAll) {
  write("m.py", "__all__ = ['x', '_y']\nx = 1\n_y = 2\nz = 3\n");
  write("main.py", "from m import *\n");
  auto module = load("main.py");
  EXPECT_EQ(shown(module, "x") + shown(module, "_y") + shown(module, "z"), "12unbound");
}

TEST_F(LoaderTest, CyclesAreAsInPython) {
  write("a.py", "X = 1\nfrom b import Y\nZ = Y + 1\n");
  write("b.py", "from a import X\nY = X + 10\nfrom a import Z\n");
  auto module = load("a.py");
  EXPECT_EQ(shown(module, "Z"), "12");
  auto b = loader->import("b", 0, *module);
  EXPECT_NE(shown(b, "Z").find("only partly loaded"), std::string::npos);
}

TEST_F(LoaderTest, TriesFallBack) {
  write("main.py", "try:\n    from triton.language.extra.nothing import tanh\nexcept ImportError:\n    from "
                   "triton.language.extra.libdevice import tanh\n"
                   "try:\n    from triton.language import no_such\nexcept ImportError:\n    no_such = 5\n");
  auto module = load("main.py");
  EXPECT_EQ(shown(module, "tanh"), "<function tanh>");
  EXPECT_EQ(shown(module, "no_such"), "5");
}

TEST_F(LoaderTest, NeverLeavesTheRoot) {
  write("outside/secret.py", "S = 1\n");
  write("root/main.py", "import secret\nfrom link import S\nfrom ..outside import secret as t\n");
  fs::create_symlink(root / "outside/secret.py", root / "root/link.py");
  auto module = load("root/main.py");
  EXPECT_EQ(shown(module, "S").substr(0, 1), "<");
  EXPECT_EQ(shown(module, "t").substr(0, 1), "<");
}

// A checkout with an `__init__.py` at its top is a package of the folder around it; its modules name each other from its top.
TEST_F(LoaderTest, AProjectMayBeAPackage) {
  write("checkout/__init__.py", "");
  write("checkout/pyproject.toml", "");
  write("checkout/lib/__init__.py", "");
  write("checkout/lib/a.py", "X = 7\n");
  write("checkout/lib/sub/b.py", "from lib.a import X\nfrom ...top import Y\nfrom checkout.top import Y as Z\n");
  write("checkout/top.py", "Y = 8\n");
  auto module = load("checkout/lib/sub/b.py");
  EXPECT_EQ(shown(module, "X") + shown(module, "Y") + shown(module, "Z"), "788");
}

TEST_F(LoaderTest, ACopyOfAPackageNamesItself) {
  write("app/__init__.py", "");
  write("app/vendor/__init__.py", "");
  write("app/vendor/fla/__init__.py", "");
  write("app/vendor/fla/ops/__init__.py", "");
  write("app/vendor/fla/ops/a.py", "from fla.ops.b import X\n");
  write("app/vendor/fla/ops/b.py", "X = 7\n");
  EXPECT_EQ(shown(load("app/vendor/fla/ops/a.py"), "X"), "7");
}

// What only a running program ends: such a loop has a share of the steps, and the rest of the file is there.
TEST_F(LoaderTest, EndlessLoopsOfTheHostAreLeft) {
  auto module = text("import json\n"
                     "def count(n):\n    while n != 3:\n        n = n + 0\n    return n\n"
                     "while True:\n    word = input()\n    if word == 'q':\n        break\n"
                     "for i in range(3):\n    size = count(i)\n"
                     "def test(path):\n    @triton.jit\n    def first(p):\n        pass\n"
                     "    queue = [json.load(path)]\n    while len(queue) > 0:\n        each = queue.pop(0)\n"
                     "        for child in each['children']:\n            queue.append(child)\n"
                     "    @triton.jit\n    def second(p):\n        pass\n"
                     "@triton.jit\ndef third(p):\n    pass\n");
  ASSERT_TRUE(module) << diagnostics.render();
  EXPECT_EQ(kernels(*module), "first second third");
  EXPECT_NE(shown(module, "size").find("takes more than"), std::string::npos) << shown(module, "size");
}

TEST_F(LoaderTest, AFailingStatementDoesNotEndTheLoad) {
  auto module =
      text("x = undefined + 1\ny = 2\nassert False\nraise ValueError('no')\n@triton.jit\ndef k():\n    pass\n");
  EXPECT_NE(shown(module, "x").find("`undefined` is not defined"), std::string::npos);
  EXPECT_EQ(shown(module, "y"), "2");
  EXPECT_EQ(kernels(*module), "k");
}

TEST_F(LoaderTest, SyntaxErrorsEndIt) {
  EXPECT_EQ(text("x = = 1\n"), nullptr);
  EXPECT_TRUE(diagnostics.hasErrors());
}

TEST_F(LoaderTest, FindsJitFunctionsEverywhere) {
  auto module = text(R"(
@triton.jit
def top(): pass

if triton.__version__ >= "3.0.0":
    @triton.jit
    def under_if(): pass
else:
    @triton.jit
    def under_else(): pass

try:
    import something
    @triton.jit(do_not_specialize=["n"])
    def in_try(n, m): pass
except ImportError:
    pass

class Holder:
    @staticmethod
    @triton.jit
    def method(): pass

def host(x):
    BLOCK = tl.constexpr(64)
    @triton.jit
    def inner(p): return p + BLOCK
    return inner[(1,)](x)

def late(): pass
late = triton.jit(late)

import mylib
@mylib.entry()
@triton.autotune(configs=[], key=[])
@mylib.other
@triton.jit
def wrapped(): pass

@mylib.jit
def not_ours(): pass

def plain(): pass
)");
  EXPECT_EQ(kernels(*module), "top under_if under_else in_try Holder.method inner late wrapped");
  EXPECT_TRUE(kernel(*module, "in_try")->parameters[0].doNotSpecialize);
  EXPECT_FALSE(kernel(*module, "in_try")->parameters[1].doNotSpecialize);
  auto inner = kernel(*module, "inner");
  ASSERT_TRUE(inner && inner->closure);
  EXPECT_EQ(repr(*inner->closure->find("BLOCK")), "64");
  EXPECT_TRUE(inner->closure->find("BLOCK")->isConstexpr);
}

TEST_F(LoaderTest, FactoriesMakeClosures) {
  auto module = text(R"(
def make(n):
    size = tl.constexpr(n * 2)
    @triton.jit
    def k(p): return p + size
    return k
f = make(4)
g = make(8)
)");
  auto sizeOf = [&](const char *name) {
    return repr(*module->globals->find(name)->object<Function>()->closure->find("size"));
  };
  EXPECT_EQ(sizeOf("f") + " " + sizeOf("g"), "8 16");
}

TEST_F(LoaderTest, ReadsParameters) {
  auto module = text(R"(
from triton.language import constexpr as C
@triton.jit
def k(a, b: tl.constexpr, c: "tl.constexpr", d: C, e: tl.int64, f: "fp16", g: tl.const, h=3, *rest, i: tl.constexpr = 4): pass
)");
  auto function = kernel(*module, "k");
  std::string text;
  for (const Parameter &p : function->parameters)
    text += p.name + (p.isConstexpr ? ":constexpr" : "") + (p.type ? ":" + p.type->name() : "") +
            (p.isConst ? ":const" : "") + (p.defaultValue ? "=" + repr(p.defaultValue) : "") + " ";
  EXPECT_EQ(text, "a b:constexpr c:constexpr d:constexpr e:int64 f:fp16 g:const h=3 rest i:constexpr=4 ");
}

TEST_F(LoaderTest, EvaluatesConfigs) {
  auto module = text(R"(
import itertools, os
def configs(stages):
    return [triton.Config({"M": m, "N": n}, num_warps=w, num_stages=stages) for m in (64, 128) for n in [32] for w in (4, 8) if m * n * w > 9000]
base = [triton.Config({"M": 16}, num_ctas=2, maxnreg=128)]
def keep(c):
    return c.kwargs["M"] > 64
CONFIGS = list(filter(keep, configs(3) + base)) if os.environ.get("ALL") is None else []

@triton.autotune(configs=CONFIGS + base, key=["n"], reset_to_zero=["p"], prune_configs_by={"top_k": 3})
@triton.heuristics({"EVEN": lambda args: args["n"] % args["M"] == 0, "P2": lambda a: triton.next_power_of_2(a["n"])})
@triton.jit
def k(p, n, M: tl.constexpr, N: tl.constexpr, EVEN: tl.constexpr, P2: tl.constexpr): pass

import unknown
@triton.autotune(configs=unknown.configs(), key=[])
@triton.jit
def other(p): pass
)");
  auto function = kernel(*module, "k");
  ASSERT_TRUE(function && function->autotune);
  std::string text;
  for (const Config &config : function->autotune->configs) {
    for (auto &[name, value] : config.values)
      text += name + "=" + repr(value) + " ";
    text += "w" + std::to_string(config.shape.numWarps) + " s" + std::to_string(config.shape.numStages) + " c" +
            std::to_string(config.shape.numCtas) + "; ";
  }
  EXPECT_EQ(text, "M=128 N=32 w4 s3 c1; M=128 N=32 w8 s3 c1; M=16 w4 s3 c2; ");
  EXPECT_EQ(function->autotune->configs[2].maxRegisters, 128);
  EXPECT_EQ(function->autotune->key, std::vector<std::string>{"n"});
  ASSERT_EQ(function->heuristics.size(), 2u);
  auto arguments = std::make_shared<DictObject>();
  arguments->items = {{"n", 1000}, {"M", 128}};
  ConstEval eval(session);
  EXPECT_EQ(repr(eval.call(function->heuristics[0].function, Values{Value(arguments)})), "False");
  EXPECT_EQ(repr(eval.call(function->heuristics[1].function, Values{Value(arguments)})), "1024");
  EXPECT_NE(kernel(*module, "other")->autotune->problem.find("unknown.configs()"), std::string::npos);
}

TEST_F(LoaderTest, TheLanguageUnderAllItsPaths) {
  auto module = text(R"(
from triton.language.extra import libdevice
from triton.language.extra.cuda import libdevice as cuda_libdevice
from triton.language.extra.cuda.libdevice import tanh
import triton.language.core as core
from triton.language import math as tm, float32 as F32
from triton.language.standard import _log2
from somewhere import tl as tl2, triton as t2
r = [libdevice.tanh is cuda_libdevice.tanh, tanh is tl.extra.libdevice.tanh, tl.math.tanh is tanh, tl.libdevice.tanh is tanh,
     core.load is tl.load, F32 is tl.float32, _log2(1024), tl2.load is tl.load, t2.cdiv(7, 2), tl.extra.cuda.gdc_wait is not None,
     tm.exp2 is tl.math.exp2, tl.pointer_type(tl.float16).element_ty is tl.float16, tl.float16.primitive_bitwidth, tl.int32.is_int()]
)");
  EXPECT_EQ(shown(module, "r"), "[True, True, True, True, True, True, 10, True, 4, True, True, True, 16, True]");
}

// `triton.runtime.jit` is the module, not the function of that name in it.
TEST_F(LoaderTest, TheRuntimeUnderItsPaths) {
  auto module = text("import triton.runtime.jit\nfrom triton.runtime import autotune, JITFunction\n"
                     "@triton.runtime.jit.constexpr_function\ndef f(x): return x + 1\n"
                     "@triton.runtime.jit.jit\ndef k(p): pass\nr = (f(2), autotune is triton.autotune)\n");
  EXPECT_EQ(shown(module, "r"), "(3, True)");
  EXPECT_EQ(kernels(*module), "k");
}
