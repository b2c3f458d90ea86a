"""Programs of compile-time Python, each leaving `result`. Run under CPython, this writes consteval.txt: the programs and
what CPython's repr(result) is. ConstEvalTest holds our evaluator against that. Exceptions are caught inside a program."""
import pathlib

CASES = r'''
result = [7 // 2, -7 // 2, 7 // -2, 7 % 3, -7 % 3, 7 % -3, -7 % -3, 2 ** 10, 2 ** -1, 7 / 2, 10 ** 20 + 1]
---
result = [7.5 // 2, -7.5 // 2, 7.5 % 2, -7.5 % 2, 7.5 % -2, 1e300 * 1e10, 0.1 + 0.2, 1 / 3, 2.0 ** 0.5, -0.0, 5 // 0.3]
---
result = [1 << 40, -1 >> 3, ~5, 6 & 3, 6 | 3, 6 ^ 3, True + True, True & False, True | 2, -True, +False, not 0, not "x"]
---
result = [1 < 2 < 3, 1 < 3 < 2, 1 == 1.0, "a" < "b", (1, 2) < (1, 3), [1] == [1], {1: 2} == {1: 2}, 1 in (1, 2), "b" in "abc", 3 not in [1], None is None, {1, 2} <= {1, 2, 3}]
---
result = [0 or 5, 0 and 5, "" or "x", None or 0, 1 and 2 and 3, 1 if [] else 2, not (1 and 0)]
---
result = [x * y for x in range(4) if x % 2 for y in (10, 20)]
---
result = {k: v for k, v in zip("abc", range(3))}, sorted({x % 3 for x in range(10)}), sum(x for x in range(5)), [[j for j in range(i)] for i in range(3)]
---
n = 128
result = [f"{n}", f"{n:>8}|", f"{n:<8}|", f"{n:^8}|", f"{n:08d}", f"{n:x}", f"{n:#b}", f"{3.14159:.2f}", f"{1e10:g}", f"{'s'!r:>5}", f"{n!r}", f"{n=}", f"{1234567:,}", f"{0.25:.1%}", f"{n:{4 + 4}}", f"{{}}", f"{2.5:e}", f"{-5:+}", f"{5:+}"]
---
result = ["%d-%s-%5.2f-%x" % (3, "a", 2.5, 255), "{} {1} {0!r}".replace("{} ", "").format("a", 2), "{:>4}|{name:<3}|".format(1, name="x"), "a,b,,c".split(","), "  a b  c ".split(), "-".join(["x", "y"]), "Abc".upper() + "Abc".lower(), "xxabxx".strip("x"), "abc"[::-1], "abc"[-2:], "abc" * 2, "a.b.c".rsplit(".", 1), "abc".startswith(("x", "a")), "aXbX".replace("X", "--", 1), "x=1".partition("=")]
---
a, (b, *c), d = 1, (2, 3, 4), 5
result = (a, b, c, d)
---
xs = [3, 1, 2]
ys = xs
ys += [5]
xs.append(4)
xs.sort(reverse=True)
ys[0], ys[-1] = 10, 20
xs.insert(1, 99)
result = (xs, ys is xs, xs.index(99), xs.pop(), xs.count(3), list(reversed(xs)), xs[1:3], xs[::2])
---
d = {"a": 1}
d["b"] = 2
d.update({"c": 3}, e=5)
d.setdefault("a", 9)
del d["b"]
result = (d, list(d), list(d.items()), d.get("zz"), d.get("zz", 0), d.pop("c"), len(d), {**d, "f": 6}, d | {"a": 0})
---
def f(a, b=2, *args, c=3, **kw):
    return (a, b, args, c, sorted(kw.items()))
result = [f(1), f(1, 5, 6, 7, c=8, z=9), f(*[1, 2], **{"c": 4, "q": 1}), (lambda x, y=3: x * y)(2)]
---
def make(n):
    count = 0
    def step(by=1):
        nonlocal count
        count += by * n
        return count
    return step
s = make(3)
result = [s(), s(2), make(5)()]
---
total = 0
def bump():
    global total
    total += 1
_ = bump(), bump()
result = total
---
out = []
for i in range(10):
    if i == 2:
        continue
    if i == 5:
        break
    out.append(i)
else:
    out.append("else")
k = 0
while k < 3:
    k += 1
else:
    out.append("done")
result = out
---
def g(x):
    try:
        if x == 0:
            raise ValueError("zero")
        return [1, 2][x]
    except ValueError as e:
        return "V:" + str(e)
    except (IndexError, KeyError):
        return "I"
    finally:
        log.append(x)
log = []
result = [g(0), g(1), g(7), log]
---
class Error(Exception):
    pass
try:
    raise Error("own")
except ValueError:
    result = 1
except Error as e:
    result = ("caught", str(e))
---
class A:
    scale = 2
    def __init__(self, x):
        self.x = x
    def twice(self):
        return self.x * self.scale
    @property
    def half(self):
        return self.x / 2
    @staticmethod
    def s(v):
        return v + 1
    @classmethod
    def make(cls, v):
        return cls(v)
    def __add__(self, other):
        return A(self.x + other.x)
    def __eq__(self, other):
        return self.x == other.x
    def __repr__(self):
        return f"A({self.x})"
class B(A):
    scale = 3
    def __init__(self, x):
        super().__init__(x + 1)
result = [A(4).twice(), A(4).half, A.s(1), A.make(9), A(1) + A(2), A(1) == A(1), B(1).twice(), isinstance(B(1), A), issubclass(B, A), hasattr(A(1), "x"), getattr(A(1), "zz", 7)]
---
from dataclasses import dataclass, field
@dataclass
class P:
    x: int
    y: int = 3
    z: list = field(default_factory=list)
result = [P(1), P(1, 2) == P(1, 2), P(x=5).y, P(1).z]
---
from enum import Enum, IntEnum
class C(Enum):
    RED = 1
    BLUE = "b"
class I(IntEnum):
    A = 3
    B = 4
result = [C.RED.name, C.BLUE.value, C(1) is C.RED, C["BLUE"] == C.BLUE, [c.name for c in C], I.A + 1, I.B > I.A, C.RED == 1]
---
from enum import Enum, IntEnum
class Kind(str, Enum):
    small = "s"
    large = "l"
    @property
    def block(self):
        return {Kind.small: 16, Kind.large: 64}.get(self)
    def times(self, n):
        return n * 2
    @classmethod
    def first(cls):
        return cls.small
class Rank(IntEnum):
    LOW = 1
    HIGH = 4
    @property
    def wide(self):
        return self * 2
result = [Kind.small.block, Kind.large.block, Kind.large.times(3), Kind.small.name, Kind.small.value, Kind.large.first().value, Rank.HIGH.wide, Rank.LOW.name, Rank.HIGH.value, Kind.small == "s", Rank.HIGH > 3]
---
from collections import namedtuple, defaultdict, OrderedDict
from typing import NamedTuple
T = namedtuple("T", "a b")
class N(NamedTuple):
    x: int
    y: int = 4
t = T(1, b=2)
dd = defaultdict(list)
dd["k"].append(1)
result = [t, t.a, t._replace(a=5), N(1), N(1).y, N(1)[1], tuple(t), dict(dd), T._fields, len(N(1))]
---
import math
result = [math.ceil(2.1), math.floor(-2.1), math.log2(8), math.sqrt(16), math.prod([2, 3, 4]), math.gcd(12, 18), math.isqrt(17), math.inf, math.pi, round(2.5), round(3.5), round(2.567, 2), divmod(-7, 2), abs(-3), pow(2, 10), pow(3, 4, 5)]
---
import itertools, functools, operator
result = [list(itertools.product([1, 2], "ab")), list(itertools.chain([1], [2, 3])), list(itertools.combinations([1, 2, 3], 2)), list(itertools.permutations([1, 2, 3], 2))[:3], functools.reduce(operator.mul, [1, 2, 3, 4]), functools.partial(lambda a, b, c=0: (a, b, c), 1, c=5)(2), list(map(lambda a, b: a + b, [1, 2], [3, 4])), list(filter(None, [0, 1, 2])), list(enumerate("ab", 1)), list(itertools.accumulate([1, 2, 3])), list(itertools.chain.from_iterable([[1], [2]])), list(itertools.product(range(2), repeat=2))]
---
@__import__("functools").lru_cache(maxsize=None) if False else (lambda f: f)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
result = fib(15)
---
def gen(n):
    for i in range(n):
        yield i * i
    yield from (100, 200)
result = list(gen(3)), sum(gen(2)), next(iter(gen(4))), [*gen(1), 5], max(gen(3), key=lambda v: -v)
---
if (m := 10) > 5:
    result = [m, (k := 3) + k, [last := i for i in range(3)], last]
---
result = [min(3, 1, 2), max([1, 5, 2]), min("b", "a"), sorted([3, 1, 2], key=lambda v: -v), sorted("hello"), any([0, 1]), all([]), sum([[1], [2]], []), int("12"), int("ff", 16), int(3.9), int(-3.9), float("1e3"), float("-inf"), bool(0.0), str(12), repr("a'b"), repr('a"b'), repr("a\nb"), chr(65), ord("a"), hex(255), bin(5), list(range(10, 0, -3)), tuple("ab"), len(range(3, 20, 4)), range(10)[2], (5).bit_length(), (1, 2) + (3,), [0] * 3, list(zip([1, 2], [3, 4]))]
---
def classify(v):
    match v:
        case 0:
            return "zero"
        case 1 | 2:
            return "small"
        case [a, b]:
            return a + b
        case str():
            return "text"
        case None:
            return "none"
        case x if x > 100:
            return "big"
        case _:
            return "other"
result = [classify(v) for v in (0, 2, [3, 4], "s", None, 500, 50)]
---
caught = []
for f in (lambda: 1 // 0, lambda: [][0], lambda: {}["k"], lambda: int("x"), lambda: None.foo, lambda: 1 + "a", lambda: undefined_name, lambda: (1, 2)[5], lambda: "a" < 1):
    try:
        f()
    except Exception as e:
        caught.append(type(e) is not None)
result = caught
---
caught = []
for f in (lambda: 1 // 0, lambda: [][0], lambda: {}["k"], lambda: int("x"), lambda: None.foo, lambda: 1 + "a", lambda: undefined_name):
    try:
        f()
    except ZeroDivisionError:
        caught.append("Z")
    except IndexError:
        caught.append("I")
    except KeyError:
        caught.append("K")
    except ValueError:
        caught.append("V")
    except AttributeError:
        caught.append("A")
    except TypeError:
        caught.append("T")
    except NameError:
        caught.append("N")
result = caught
---
result = [1e16, 1e15, 123456789.123, 1e-4, 1e-5, 5e-324, 1.7976931348623157e308, 100.0, float("nan"), -1.5e-7, 0xFF, 0b101, 0o17, 1_000, (1,), (), [], {}, set(), {1}, None, ..., True]
---
x = [1, 2, 3, 4, 5]
result = [x[1:], x[:-1], x[::-1], x[-3:-1], x[10:], x[::2], x[4:1:-1], x[slice(1, 3)], "hello"[1:4], (1, 2, 3)[::-1]]
---
a = b = [1]
a.append(2)
c, d = d0, e0 = 1, 2
result = (a, b, c, d, d0, e0)
---
class Meta:
    configs = [{"BLOCK": b, "w": w} for b in (32, 64) for w in (4, 8) if not (b == 64 and w == 8)]
    count = len(configs)
result = (Meta.configs, Meta.count)
---
import copy
a = [[1], {"k": [2]}]
b = copy.deepcopy(a)
c = copy.copy(a)
a[0].append(9)
result = (a, b, c)
---
result = [(lambda *a, **k: (a, k))(1, x=2), [f(2) for f in [lambda v, i=i: v * i for i in range(3)]], (lambda: (yield_ := 4))()]
---
s = {5, frozenset({1})}
result = [{1} in s, {2} in s, s.remove({1}), s.discard({3}), s.pop(), s]
---
it = iter([1, 2, 3])
result = [{1}.intersection(it), list(it), {None}.intersection([None, [1]]), {1}.intersection({1: 1, 2: 2}, [True])]
---
d = {1: 2, "a": [3]}
result = [1 in d.keys(), 2 in d.keys(), [3] in d.values(), (1, 2) in d.items(), ("a", [3]) in d.items(), (1, 3) in d.items(), [1, 2] in d.items(), 5 in d.items()]
---
import math
large = 2**126 + 2**100
result = [math.gcd(-65536, -large), math.gcd(large, large) == large, math.gcd(), math.gcd(0, -4), math.lcm(4, -6, 3), math.lcm(-large, 1) == large, math.lcm(4, 0)]
---
class Same:
    def __init__(self, v): self.v = v
    def __eq__(self, other): return self.v == other.v if isinstance(other, Same) else NotImplemented
def attempt(f):
    try:
        return f()
    except Exception as e:
        return type(e).__name__
result = [Same(1) == Same(1), Same(1) != Same(1), Same(1) == 5, Same(1) != 5, [Same(1), Same(2)].index(Same(2)), Same(3) in [Same(3)], attempt(lambda: {Same(1): 1}), attempt(lambda: {Same(1)})]
---
class Different:
    def __eq__(self, other): return True
    def __ne__(self, other): return True
class Less:
    def __lt__(self, other): return NotImplemented
    def __gt__(self, other): return 7
def attempt(f):
    try:
        return f()
    except Exception as e:
        return type(e).__name__
result = [Different() != 1, 1 != Different(), Different() == 1, Less() > 1, 1 < Less(), attempt(lambda: Less() < 1)]
---
def attempt(f):
    try:
        return f()
    except Exception as e:
        return type(e).__name__
class Short:
    def __len__(self): return -1
class Long:
    def __len__(self): return 10**30
class Odd:
    def __len__(self): return "a"
    def __bool__(self): return 5
class Empty:
    def __len__(self): return 0
result = [attempt(lambda: len(Short())), attempt(lambda: bool(Short())), attempt(lambda: len(Long())), attempt(lambda: len(Odd())), attempt(lambda: 1 if Odd() else 2), bool(Empty()), len(Empty())]
---
class Sum:
    def __init__(self): self.v = 1
    def __iadd__(self, other):
        self.v += other
        return self
    def __imul__(self, other): return 9
def run():
    a = Sum()
    b = a
    a += 5
    seen = [b.v, a is b]
    a *= 2
    return seen + [a, b.v]
result = run()
---
def attempt(f):
    try:
        return f()
    except Exception as e:
        return type(e).__name__
class A:
    b = 5
    def __init__(self): self.n = 0
    @property
    def half(self): return self.n / 2
    @half.setter
    def half(self, value): self.n = 2 * value
    fixed = property(lambda self: 3)
def run():
    a = A()
    a.b = 1
    del a.b
    a.half = 21
    setattr(a, "half", a.half + 1)
    setattr(A, "c", 8)
    def spoil(): a.fixed = 1
    def forget(): del a.gone
    return [a.b, a.n, a.half, a.c, attempt(spoil), attempt(forget), a.fixed]
result = run()
---
import functools
class A:
    count = 0
    @functools.cached_property
    def once(self):
        A.count += 1
        return [5]
def run():
    a = A()
    return [a.once is a.once, A.count, A().once, A.count]
result = run()
---
from dataclasses import dataclass, FrozenInstanceError
@dataclass(frozen=True)
class F:
    x: int = 1
@dataclass
class M:
    x: int = 1
def attempt(f):
    try:
        return f()
    except Exception as e:
        return type(e).__name__
def change():
    f = F()
    f.x = 2
    return f.x
result = [attempt(change), len({F(1): 1, F(1): 2, F(2): 3}), attempt(lambda: {M(1): 1}), F(1) == F(1), M(1) == M(2), [M(1)] == [M(1)]]
---
def run():
    e = 7
    try:
        [][1]
    except IndexError as e:
        pass
    try:
        return e
    except NameError:
        return "gone"
result = run()
---
y, n = 1, 2
class A:
    y, n = 10, 3
    first = [i for i in range(n)]
    body = [y for _ in range(n)]
    inner = [(i, j) for i in range(n) for j in range(n)]
result = [A.first, A.body, A.inner]
---
class P:
    __match_args__ = ("a", "b")
    def __init__(self, a, b): self.a, self.b = a, b
def look(x):
    match x:
        case P(1, b=q): return ("one", q)
        case P(p, 2): return ("two", p)
        case int(v): return v
        case _: return "other"
result = [look(P(1, 5)), look(P(4, 2)), look(P(4, 4)), look(3)]
---
result = [{1: 0}.keys() & {1.0: 0}.keys(), {1.0: 0}.keys() & frozenset([1, 2]), {1.0: 0}.keys() & {1, 2}, {1.0: 0, 3: 0}.keys() & {1}, frozenset([1]) & {1.0: 0}.keys(), {1.0: 0}.keys() & [1, 2], frozenset([1]) - {2: 0}.keys(), frozenset([1]) | {2: 0}.keys(), frozenset([1]) ^ {2: 0}.keys(), frozenset([1]) & {1.0}]
'''


def main():
    lines = []
    for program in CASES.strip().split("\n---\n"):
        scope = {"__name__": "case"}
        exec(program, scope)
        lines.append(program + "\n=> " + repr(scope["result"]))
    pathlib.Path(__file__).with_name("consteval.txt").write_text("\n---\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
