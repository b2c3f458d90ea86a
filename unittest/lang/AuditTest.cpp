// AuditTest.cpp: what the audit says of a kernel: nothing, or the first thing that cannot be compiled, with its line.
#include "lang/Audit.h"
#include "lang/Loader.h"

#include <gtest/gtest.h>

using namespace nereid;
using namespace nereid::lang;

namespace {

// "" when the last jit function of the text is supported, else "line: reason".
std::string audited(const std::string &text) {
  Diagnostics diagnostics;
  Session session(diagnostics);
  Loader loader(session);
  auto module = loader.loadText("kernel.py", "import triton\nimport triton.language as tl\n" + text);
  if (!module)
    return diagnostics.render();
  auto entries = loader.jitFunctions(*module);
  if (entries.empty())
    return "no jit function";
  auto problems = auditFunction(session, *entries.back().function);
  if (problems.empty())
    return "";
  return std::to_string(module->source->position(problems[0].range.begin).line) + ": " + problems[0].reason;
}

std::string body(const std::string &line) {
  return audited("@triton.jit\ndef k(x, n, B: tl.constexpr):\n    " + line + "\n");
}

} // namespace

TEST(Audit, SupportsWhatCompiles) {
  EXPECT_EQ(body("tl.store(x + tl.arange(0, B), tl.load(x, mask=n > 0, other=0.0).to(tl.float32).sum())"), "");
  EXPECT_EQ(body("y = x.dtype.element_ty\n    for i in tl.range(0, n, num_stages=3):\n        tl.atomic_add(x, 1, "
                 "sem='relaxed')"),
            "");
}

TEST(Audit, NamesTheFirstProblem) {
  EXPECT_EQ(body("y = tl.no_such(x)"), "5: `tl.no_such` is not known");
  EXPECT_EQ(body("y = tl.load(x, no_such=1)"), "5: `load` has no parameter `no_such`");
  EXPECT_EQ(body("y = tl.arange(0)"), "5: `arange` needs the argument `end`");
  EXPECT_EQ(body("y = undefined + 1"), "5: `undefined` is not defined");
  EXPECT_EQ(body("y = tl.load(x).no_such()"), "5: no value of a kernel has a method `no_such`");
  EXPECT_EQ(body("y = [a for a in x for b in x]"), "5: nested comprehensions are not supported in a kernel");
  EXPECT_EQ(body("try:\n        pass\n    except Exception:\n        pass"), "5: `try` is not supported in a kernel");
}

TEST(Audit, KnowsTilesAndPointers) {
  EXPECT_EQ(body("y = []\n    y.append(tl.load(x))"), "6: no value of a kernel has a method `append`");
  EXPECT_EQ(body("y = tl.load(x) + x[n]"), "5: a pointer is no array: write `tl.load(pointer + offsets)`");
  EXPECT_EQ(body("y = tl.load(x + n)\n    tl.store(x, y[0])"), "6: a tile is indexed by `:` and `None` alone");
  EXPECT_EQ(body("y = tl.arange(0, B) * 2\n    tl.store(x + y[:, None] + y[None, None:], n)"), "");
  EXPECT_EQ(body("y = (x, n)\n    tl.store(y[0], x[1] + n[0])"), "");
  EXPECT_EQ(body("y = tl.zeros([B], tl.float32)\n    y[0] = 1"),
            "6: assignment to an element is not supported in a kernel");
  EXPECT_EQ(audited("import math\n@triton.jit\ndef k(x):\n    y = tl.load(x)\n    y = y + 1\n    tl.store(x, "
                    "math.exp(y))\n"),
            "8: `math.exp` works on values that are known at compile time");
  EXPECT_EQ(audited("import math\n@triton.jit\ndef k(x, B: tl.constexpr):\n    tl.store(x, math.exp(B))\n"), "");
}

TEST(Audit, LooksAtCalls) {
  const char *helper = "@triton.jit\ndef h(a, b, c=1): return a\ndef plain(a): return a\n";
  auto with = [&](const std::string &line) { return audited(helper + ("@triton.jit\ndef k(x):\n    " + line + "\n")); };
  EXPECT_EQ(with("h(x, x, c=2)"), "");
  EXPECT_EQ(with("h(x)"), "8: `h` needs a value for `b`");
  EXPECT_EQ(with("h(x, x, d=2)"), "8: `h` has no parameter `d`");
  EXPECT_EQ(with("h(x, x, x, x)"), "8: `h` takes 3 arguments, not 4");
  EXPECT_EQ(with("plain(x)"), "8: `plain` is a plain Python function, which a kernel cannot call");
}

TEST(Audit, LeavesDeadCodeAlone) {
  EXPECT_EQ(audited("HIP = tl.constexpr(False)\n@triton.jit\ndef k(x):\n    if HIP:\n        tl.no_such(x)\n"), "");
  EXPECT_EQ(body("if B == 1:\n        raise ValueError('one')\n    else:\n        tl.store(x, 1)"), "");
  EXPECT_EQ(body("if B == 1:\n        tl.no_such(x)\n        tl.static_assert(False, 'never')"), "");
  EXPECT_EQ(body("if B == 1:\n        tl.no_such(x)"), "6: `tl.no_such` is not known");
}

TEST(Audit, SaysWhereUnknownValuesComeFrom) {
  EXPECT_NE(audited("import torch\nN = torch.cuda.device_count()\n@triton.jit\ndef k(x):\n    tl.store(x, N)\n")
                .find("torch.cuda.device_count()"),
            std::string::npos);
  EXPECT_EQ(audited("def host(N):\n    @triton.jit\n    def k(x):\n        tl.store(x, N)\n    return k\n"), "");
}
