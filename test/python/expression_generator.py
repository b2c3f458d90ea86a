"""Random expressions of compile-time Python, for python_expression_oracle.py: mostly of types that fit, sometimes of any."""
import random

INTEGERS = ["0", "1", "2", "3", "5", "7", "8", "10", "16", "31", "32", "64", "100", "127", "128", "255", "256", "1000", "1024", "4096",
            "12345", "65536", "1_000_000", "2**31", "2**32", "2**53", "2**53 + 1", "2**63", "2**64 - 1", "2**100", "0x1F", "0b101", "0o17"]
FLOATS = ["0.0", "0.1", "0.5", "1.0", "1.5", "2.0", "2.5", "2.675", "3.14159", "7.0", "10.0", "100.0", "123.456", "1234567.891", "1e-5",
          "1e-4", "0.00012345", "1e10", "1e15", "1e16", "1e17", "1e22", "1e100", "1e300", "5e-324", "1.7976931348623157e308",
          "math.pi", "math.inf", "float('nan')", "9007199254740993.0", "0.1 + 0.2"]
WORDS = ["", "a", "b", "ab", "abc", "abcabc", "aXbXc", "Hello World", "hello", "ABC", "a,b,,c", " a b  c ", "a\\tb\\nc", "x=1", "-12", "+7",
         "0042", "3.14", "1e5", "0x1f", "1_000", "é", "aéb", "日本", "naïve café", "\\n", "\\\\", "'", "\\\"", "it's", "{}", "%d", "a\\r\\nb\\rc\\n",
         "\\x00", "\\x7f", "\\u00a0", "\\u2003x", "😀", "inf", "nan", "True", "[1]", "fooBar_9", "__init__", "title Case Here", "a b a b a"]
COMPARE = ["==", "!=", "<", "<=", ">", ">="]
ARITHMETIC = ["+", "-", "*", "/", "//", "%", "**"]
BITS = ["&", "|", "^", "<<", ">>"]
CLASSES = ["int", "float", "str", "bool", "list", "tuple", "dict", "set", "frozenset", "range", "type(None)"]


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.bound = []  # names of comprehensions around the expression, with their kinds
        self.printing = 0  # inside of what becomes text: no sets, whose order is their own
        self.kinds = {"int": self.integer, "float": self.float, "bool": self.bool, "str": self.text, "list": self.list, "tuple": self.tuple,
                      "dict": self.dict, "set": self.set, "range": self.range, "none": lambda depth: "None"}

    def pick(self, *choices):
        return self.random.choice(choices)

    def chance(self, share):
        return self.random.random() < share

    def expression(self):
        while True:
            text = self.any(self.pick(2, 3, 3, 4))
            if len(text) < 600:
                return text

    def any(self, depth, *kinds):
        kinds = kinds or ("int", "int", "float", "float", "bool", "str", "str", "str", "list", "tuple", "dict", "set", "range", "none")
        return self.of(self.pick(*kinds), depth)

    def of(self, kind, depth):
        if self.chance(0.03):  # of any kind: most of these are errors
            kind = self.pick(*self.kinds)
        if kind == "set" and self.printing:
            kind = "tuple"
        names = [name for name, its in self.bound if its == kind]
        if names and self.chance(0.4):
            return self.random.choice(names)
        return self.kinds[kind](depth - 1)

    def shown(self, depth, *kinds):
        """A value that becomes text, or whose order shows: no set."""
        self.printing += 1
        text = self.any(depth, *kinds)
        self.printing -= 1
        return text

    def number(self, depth):
        return self.any(depth, "int", "int", "float", "float", "bool")

    def small(self, depth):
        """An integer that suits as a count, an index or a width."""
        if depth > 1 and self.chance(0.1):
            return self.of("int", 1)
        return str(self.pick(-5, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 20))

    def many(self, kind, depth, least=0, most=4):
        return [self.of(kind, depth) for _ in range(self.random.randint(least, most))]

    def integer(self, depth):
        if depth <= 0 or self.chance(0.15):
            text = self.random.choice(INTEGERS)
            return f"(-{text})" if self.chance(0.25) and "**" not in text else f"({text})" if "**" in text else text
        a = lambda: self.of("int", depth)
        return self.random.choice([
            lambda: f"({a()} {self.pick(*ARITHMETIC[:3], '//', '%')} {a()})",
            lambda: f"({a()} {self.pick('&', '|', '^')} {a()})",
            lambda: f"({a()} {self.pick('<<', '>>')} {self.small(depth)})",
            lambda: f"({a()} ** {self.small(0)})",
            lambda: f"{self.pick('-', '~', '+')}{a()}",
            lambda: f"len({self.any(depth, 'str', 'list', 'tuple', 'dict', 'set', 'range')})",
            lambda: f"int({self.number(depth)})",
            lambda: f"int({self.of('str', depth)})",
            lambda: f"int({self.of('str', depth)}, {self.pick(0, 2, 8, 10, 16, 36)})",
            lambda: f"int({self.pick(*INTEGERS)!r}, {self.pick(0, 2, 8, 10, 16, 36)})",
            lambda: f"round({self.number(depth)})",
            lambda: f"round({a()}, {self.small(depth)})",
            lambda: f"abs({a()})",
            lambda: f"pow({a()}, {self.small(depth)}, {a()})",
            lambda: f"divmod({a()}, {a()})[{self.pick(0, 1)}]",
            lambda: f"({a()}).bit_length()",
            lambda: f"({a()}).bit_count()",
            lambda: f"ord({self.of('str', depth)})",
            lambda: f"{self.of('str', depth)}.{self.pick('find', 'rfind', 'index', 'rindex', 'count')}({self.arguments(depth)})",
            lambda: f"{self.any(depth, 'list', 'tuple', 'range')}.{self.pick('index', 'count')}({a()})",
            lambda: f"math.{self.pick('floor', 'ceil', 'trunc')}({self.number(depth)})",
            lambda: f"math.{self.pick('gcd', 'lcm')}({', '.join(self.many('int', depth, 1, 3))})",
            lambda: f"math.isqrt({a()})",
            lambda: f"math.factorial({self.small(depth)})",
            lambda: f"sum({self.iterable('int', depth)})",
            lambda: f"{self.pick('min', 'max')}({self.iterable('int', depth)})",
            lambda: f"{self.pick('min', 'max')}({a()}, {a()})",
            lambda: f"math.prod({self.iterable('int', depth)})",
            lambda: f"functools.reduce(lambda p, q: p {self.pick('+', '-', '*', '^')} q, {self.iterable('int', depth)}, {a()})",
            lambda: f"{self.sequence('int', depth)}[{self.small(depth)}]",
            lambda: f"({a()} if {self.of('bool', depth)} else {a()})",
            lambda: f"({a()} {self.pick('and', 'or')} {a()})",
            lambda: f"operator.{self.pick('add', 'sub', 'mul', 'floordiv', 'mod', 'and_', 'or_', 'xor')}({a()}, {a()})",
            lambda: f"next(iter({self.iterable('int', depth)}), {a()})",
        ])()

    def arguments(self, depth):
        text = self.of("str", depth)
        if self.chance(0.3):
            text += f", {self.small(depth)}"
            if self.chance(0.5):
                text += f", {self.pick(self.small(depth), 'None')}"
        return text

    def float(self, depth):
        if depth <= 0 or self.chance(0.15):
            text = self.random.choice(FLOATS)
            return f"(-{text})" if self.chance(0.3) else f"({text})" if " " in text else text
        a = lambda: self.of("float", depth)
        n = lambda: self.number(depth)
        return self.random.choice([
            lambda: f"({a()} {self.pick(*ARITHMETIC)} {n()})",
            lambda: f"({n()} {self.pick(*ARITHMETIC[:-1])} {a()})",
            lambda: f"({self.of('int', depth)} / {self.of('int', depth)})",
            lambda: f"({self.of('int', depth)} ** -{self.pick(1, 2, 3)})",
            lambda: f"{self.pick('-', '+')}{a()}",
            lambda: f"float({n()})",
            lambda: f"float({self.of('str', depth)})",
            lambda: f"float({self.pick('1e400', '-1e400', '1e-400', ' 1.5 ', '1_0.5', '1__0', '_1', '.5', '5.', '.', 'e5', '1e', '+inf', '-nan', 'Infinity', '0x10', '1e5', '1_000e-1_0')!r})",
            lambda: f"round({n()}, {self.small(depth)})",
            lambda: f"abs({a()})",
            lambda: f"divmod({a()}, {n()})[{self.pick(0, 1)}]",
            lambda: f"math.{self.pick('sqrt', 'exp', 'log', 'log2', 'log10', 'log1p', 'expm1', 'sin', 'cos', 'tan', 'atan', 'tanh', 'sinh', 'cosh', 'asin', 'acos', 'erf', 'erfc', 'fabs', 'exp2')}({n()})",
            lambda: f"math.{self.pick('pow', 'fmod', 'copysign', 'atan2', 'log')}({n()}, {n()})",
            lambda: f"sum({self.iterable('float', depth)})",
            lambda: f"{self.pick('min', 'max')}({self.iterable('float', depth)})",
            lambda: f"{self.sequence('float', depth)}[{self.small(depth)}]",
            lambda: f"({a()} if {self.of('bool', depth)} else {a()})",
            lambda: f"pow({a()}, {n()})",
        ])()

    def bool(self, depth):
        if depth <= 0:
            return self.pick("True", "False")
        n = lambda: self.number(depth)
        s = lambda: self.of("str", depth)
        return self.random.choice([
            lambda: f"({n()} {self.pick(*COMPARE)} {n()})",
            lambda: f"({n()} {self.pick(*COMPARE)} {n()} {self.pick(*COMPARE)} {n()})",
            lambda: f"({s()} {self.pick(*COMPARE)} {s()})",
            lambda: f"({self.any(depth)} {self.pick('==', '!=')} {self.any(depth)})",
            lambda: self.same(depth),
            lambda: f"({s()} {self.pick('in', 'not in')} {s()})",
            lambda: f"({n()} {self.pick('in', 'not in')} {self.iterable('int', depth)})",
            lambda: f"({s()} in {self.any(depth, 'dict', 'list', 'set')})",
            lambda: f"(not {self.any(depth)})",
            lambda: f"bool({self.any(depth)})",
            lambda: f"({self.of('bool', depth)} {self.pick('and', 'or', '&', '|', '^')} {self.of('bool', depth)})",
            lambda: f"{self.pick('any', 'all')}({self.iterable('bool', depth)})",
            lambda: f"isinstance({self.any(depth)}, {self.pick(*CLASSES)})",
            lambda: f"isinstance({self.any(depth)}, ({self.pick(*CLASSES)}, {self.pick(*CLASSES)}))",
            lambda: f"(type({self.any(depth)}) == {self.pick(*CLASSES)})",
            lambda: f"({self.any(depth)} is None)",
            lambda: f"{s()}.{self.pick('isdigit', 'isalpha', 'isalnum', 'isspace', 'isupper', 'islower', 'istitle', 'isidentifier', 'isnumeric', 'isdecimal', 'isascii', 'isprintable')}()",
            lambda: f"{s()}.{self.pick('startswith', 'endswith')}({self.arguments(depth)})",
            lambda: f"{s()}.{self.pick('startswith', 'endswith')}(({s()}, {s()}))",
            lambda: f"math.{self.pick('isnan', 'isinf', 'isfinite')}({n()})",
            lambda: f"({self.of('float', depth)}).is_integer()",
            lambda: f"({self.of('set', depth)} {self.pick(*COMPARE)} {self.of('set', depth)})",
            lambda: f"{self.of('set', depth)}.{self.pick('issubset', 'issuperset', 'isdisjoint')}({self.any(depth, 'set', 'list')})",
            lambda: f"({self.of('dict', depth)}.keys() {self.pick('==', '<=', '>')} {self.any(depth, 'set')})",
            lambda: f"({self.any(depth, 'list')} {self.pick(*COMPARE)} {self.any(depth, 'list')})",
            lambda: f"({self.any(depth, 'tuple')} {self.pick(*COMPARE)} {self.any(depth, 'tuple')})",
            lambda: f"callable({self.pick('len', 'int', '5', 'math.sin', 'str.upper')})",
            lambda: f"operator.{self.pick('eq', 'ne', 'lt', 'le', 'gt', 'ge')}({n()}, {n()})",
        ])()

    def same(self, depth):
        text = self.any(depth, "list", "tuple", "dict", "set", "range")
        return f"(lambda v: v {self.pick('==', '!=')} v)({text})"

    def quoted(self):
        return '"' + self.random.choice(WORDS) + '"'

    def text(self, depth):
        if depth <= 0 or self.chance(0.15):
            return self.quoted()
        s = lambda: self.of("str", depth)
        return self.random.choice([
            lambda: f"({s()} + {s()})",
            lambda: f"({s()} * {self.small(depth)})",
            lambda: f"{s()}[{self.small(depth)}]",
            lambda: f"{s()}[{self.slice(depth)}]",
            lambda: f"str({self.shown(depth, 'int', 'float', 'bool', 'str', 'list', 'tuple', 'dict', 'range', 'none')})",
            lambda: f"repr({self.shown(depth, 'int', 'float', 'bool', 'str', 'list', 'tuple', 'dict', 'range', 'none')})",
            lambda: f"ascii({self.shown(depth, 'str', 'list', 'float')})",
            lambda: f"{s()}.{self.pick('upper', 'lower', 'title', 'capitalize', 'swapcase', 'casefold', 'strip', 'lstrip', 'rstrip', 'expandtabs')}()",
            lambda: f"{s()}.{self.pick('strip', 'lstrip', 'rstrip')}({s()})",
            lambda: f"{s()}.{self.pick('ljust', 'rjust', 'center')}({self.small(depth)}{self.pick('', ', ' + self.quoted())})",
            lambda: f"{s()}.zfill({self.small(depth)})",
            lambda: f"{s()}.expandtabs({self.small(depth)})",
            lambda: f"{s()}.replace({s()}, {s()}{self.pick('', ', ' + self.small(depth))})",
            lambda: f"{s()}.{self.pick('removeprefix', 'removesuffix')}({s()})",
            lambda: f"{s()}.join({self.iterable('str', depth)})",
            lambda: f"{s()}.{self.pick('partition', 'rpartition')}({s()})[{self.pick(0, 1, 2)}]",
            lambda: f"{s()}.split()[{self.small(depth)}]",
            lambda: f"chr({self.pick(self.small(depth), '65', '97', '233', '0x65e5', '128512', '10', '0')})",
            lambda: f"{self.pick('hex', 'bin', 'oct')}({self.of('int', depth)})",
            lambda: f"{self.pick('min', 'max')}({self.iterable('str', depth)})",
            lambda: f"({s()} if {self.of('bool', depth)} else {s()})",
            lambda: f"type({self.any(depth)}).__name__",
            lambda: self.formatted(depth),
            lambda: self.formatted(depth),
            lambda: self.formatted(depth),
            lambda: self.percent(depth),
            lambda: self.percent(depth),
            lambda: self.method_format(depth),
        ])()

    def specification(self, kind):
        text = self.pick("", "", "", "<", ">", "^", "=", "*<", "0>", "é^", "#=", "+>")
        text += self.pick("", "", "", "+", "-", " ") + self.pick("", "", "", "", "z") + self.pick("", "", "#") + self.pick("", "", "0")
        text += self.pick("", "", "1", "5", "8", "12", "20", "30") + self.pick("", "", "", ",", "_")
        text += self.pick("", "", ".0", ".1", ".2", ".3", ".6", ".10", ".17", ".30")
        types = {"int": "bcdoxXneEfFgG%", "float": "eEfFgGn%%fg", "str": "s", "bool": "dbxe"}.get(kind, "sdfx")
        if self.chance(0.6):
            text += self.random.choice(types)
        if self.chance(0.02):
            text += self.pick("q", "s", "d", "5", ".")
        return text

    def formatted(self, depth):
        kind = self.pick("int", "int", "float", "float", "float", "str", "bool", "list", "none")
        value = self.shown(min(depth, 2), kind)
        spec = self.specification(kind)
        if self.chance(0.4):
            return f"format({value}, {spec!r})"
        conversion = self.pick("", "", "", "", "!r", "!s", "!a")
        if any(mark in value for mark in "\"'\\{}:!#=") or "lambda" in value:
            return f"format({value}, {spec!r})" if not conversion else f"'{{{conversion}:{spec}}}'.format({value})"
        return f"f'a{{{value}{conversion}:{spec}}}{{{{b'" if spec else f"f'{{{value}{conversion}}}'"

    def percent(self, depth):
        parts, values = [], []
        for _ in range(self.pick(1, 1, 1, 2)):
            kind, types = self.pick(("int", "diouxXc"), ("float", "eEfFgGd"), ("str", "srac"), ("bool", "ds"), ("int", "feg"), ("list", "sr"))
            flags = "".join(self.random.sample("-+ #0", self.pick(0, 0, 1, 1, 2)))
            width = self.pick("", "", "1", "5", "10", "*")
            precision = self.pick("", "", ".0", ".2", ".5", ".12", ".*")
            if "*" in width:
                values.append(self.small(0))
            if "*" in precision:
                values.append(self.small(0))
            parts.append(f"%{flags}{width}{precision}{self.random.choice(types)}")
            values.append(self.shown(min(depth, 2), kind))
        pattern = self.pick("", "x", "100%% ") + "|".join(parts)
        if self.chance(0.1):
            return f"({pattern!r} % {self.shown(depth)})"
        if self.chance(0.1):
            return f"('%(k)s %(n)5d' % {{'k': {self.shown(1)}, 'n': {self.of('int', 1)}}})"
        return f"({pattern!r} % ({', '.join(values)},))"

    def method_format(self, depth):
        pattern = self.pick("{}", "{} {}", "{0} {1} {0}", "{:>8} {:<5}", "{a} {b!r}", "{0[0]}", "{{}} {}", "{!r:10}|{}", "{:{}}", "{0:{1}}", "{", "}", "{0} {}",
                            "{0.real}", "{x}", "{:.3}", "{a[k]}")
        return f"{pattern!r}.format({self.shown(depth)}, {self.small(0)}, a={{'k': {self.shown(1)}}}, b={self.shown(1)})"

    def slice(self, depth):
        part = lambda: self.pick("", self.small(depth))
        return f"{part()}:{part()}" + self.pick("", "", f":{part()}")

    def sequence(self, kind, depth):
        return self.pick("[{}]", "[{}]", "({},)").format(", ".join(self.many(kind, depth, 1, 4)))

    def iterable(self, kind, depth):
        """Something to loop over whose items are of one kind."""
        plain = lambda: self.sequence(kind, depth)
        if kind == "int" and self.chance(0.3):
            return self.shown(depth, "range")
        return self.random.choice([
            plain, plain, plain,
            lambda: self.comprehension(kind, depth),
            lambda: f"reversed({plain()})",
            lambda: f"sorted({plain()}{self.pick('', ', reverse=True', ', key=str', ', key=lambda e: repr(e)')})",
            lambda: f"map(lambda e: e, {plain()})",
            lambda: f"filter(None, {plain()})",
            lambda: f"({plain()} + {plain()})",
            lambda: f"{plain()}[{self.slice(depth)}]",
            lambda: f"itertools.chain({plain()}, {plain()})",
            lambda: f"itertools.islice({plain()}, {self.pick('2', '1, 3', '0, None, 2', '1')})",
            lambda: f"itertools.accumulate({plain()})",
            lambda: f"{{e: e for e in {plain()}}}.{self.pick('keys', 'values')}()",
        ])()

    def comprehension(self, kind, depth, brackets="[]"):
        name = self.pick("i", "j", "k")
        source, its = self.pick((self.shown(depth, "range"), "int"), (self.sequence("str", depth), "str"), (self.sequence("float", depth), "float"),
                                (self.shown(depth, "str"), "str"))
        self.bound.append((name, its))
        item = self.of(kind, depth)
        condition = f" if {self.of('bool', depth)}" if self.chance(0.3) else ""
        self.bound.pop()
        return f"{brackets[0]}{item} for {name} in {source}{condition}{brackets[1]}"

    def list(self, depth):
        if depth <= 0:
            return self.pick("[]", "[0]", "[1, 2, 3]", "['a', 'b']", "[1.5, 2]", "[[1], [2, 3]]", "[None]", "[(1, 'x')]")
        kind = self.pick("int", "float", "str", "tuple", "bool", "list")
        return self.random.choice([
            lambda: f"[{', '.join(self.many(kind, depth))}]",
            lambda: f"[{', '.join(self.any(depth) for _ in range(self.pick(1, 2, 3)))}]",
            lambda: self.comprehension(kind, depth),
            lambda: f"list({self.shown(depth, 'str', 'tuple', 'range', 'dict', 'list')})",
            lambda: f"list({self.iterable(kind, depth)})",
            lambda: f"sorted({self.iterable(self.pick('int', 'float', 'str'), depth)})",
            lambda: f"({self.of('list', depth)} + {self.of('list', depth)})",
            lambda: f"({self.of('list', depth)} * {self.pick(-1, 0, 1, 2, 3)})",
            lambda: f"{self.of('list', depth)}[{self.slice(depth)}]",
            lambda: f"{self.of('str', depth)}.split({self.pick('', self.of('str', depth), self.of('str', depth) + ', ' + self.small(depth), 'None, ' + self.small(depth))})",
            lambda: f"{self.of('str', depth)}.rsplit({self.pick('', self.of('str', depth), self.of('str', depth) + ', ' + self.small(depth), 'None, ' + self.small(depth))})",
            lambda: f"{self.of('str', depth)}.splitlines({self.pick('', 'True')})",
            lambda: f"list(zip({self.iterable('int', depth)}, {self.iterable('str', depth)}))",
            lambda: f"list(enumerate({self.iterable('str', depth)}{self.pick('', ', 1', ', -2')}))",
            lambda: f"list(map(lambda p, q: ({self.pick('p, q', 'q, p, p')}), {self.iterable('int', depth)}, {self.iterable('str', depth)}))",
            lambda: f"list(itertools.product({self.iterable('int', 1)}, {self.iterable('str', 1)}))",
            lambda: f"list(itertools.{self.pick('combinations', 'permutations', 'combinations_with_replacement')}({self.sequence('int', 1)}, {self.pick(0, 1, 2, 3)}))",
            lambda: f"list(itertools.pairwise({self.sequence('int', depth)}))",
            lambda: f"list({self.of('dict', depth)}.{self.pick('keys', 'values', 'items')}())",
            lambda: f"(lambda v: [v.{self.pick('append(1)', 'pop()', 'reverse()', 'sort()', 'insert(1, 0)', 'extend([2, 3])', 'clear()', 'remove(1)', 'copy()', 'pop(0)')}, v])({self.of('list', depth)})",
            lambda: f"copy.{self.pick('copy', 'deepcopy')}({self.of('list', depth)})",
            lambda: f"[*{self.shown(depth, 'list', 'tuple', 'range', 'str')}, *{self.shown(depth, 'list', 'tuple', 'dict')}]",
        ])()

    def tuple(self, depth):
        if depth <= 0:
            return self.pick("()", "(1,)", "(1, 2)", "('a', 1, None)", "((1, 2), 3)")
        return self.random.choice([
            lambda: f"({', '.join(self.any(depth) for _ in range(self.pick(1, 2, 3)))},)",
            lambda: f"tuple({self.shown(depth, 'str', 'list', 'range')})",
            lambda: f"tuple({self.comprehension('int', depth, '  ').strip()})",
            lambda: f"({self.of('tuple', depth)} + {self.of('tuple', depth)})",
            lambda: f"({self.of('tuple', depth)} * {self.pick(0, 1, 2)})",
            lambda: f"{self.of('tuple', depth)}[{self.slice(depth)}]",
            lambda: f"divmod({self.number(depth)}, {self.number(depth)})",
            lambda: f"{self.of('str', depth)}.{self.pick('partition', 'rpartition')}({self.of('str', depth)})",
        ])()

    def key(self, depth):
        return self.any(depth, "int", "str", "str", "bool", "float", "none", "tuple")

    def dict(self, depth):
        if depth <= 0:
            return self.pick("{}", "{'a': 1}", "{1: 'x', 2: 'y'}", "{'k': [1, 2], 'n': None}", "{(1, 2): 3}")
        d = lambda: self.of("dict", depth)
        return self.random.choice([
            lambda: "{" + ", ".join(f"{self.key(1)}: {self.any(depth)}" for _ in range(self.pick(0, 1, 2, 3))) + "}",
            lambda: self.comprehension("int", depth, "{}").replace("{", "{repr(0): ", 1),
            lambda: f"dict(zip({self.sequence('str', depth)}, {self.iterable('int', depth)}))",
            lambda: f"dict(a={self.any(depth)}, b={self.any(depth)})",
            lambda: f"dict({d()}, c={self.any(depth)})",
            lambda: f"({d()} | {d()})",
            lambda: f"{{**{d()}, 'z': {self.any(depth)}}}",
            lambda: f"(lambda v: [v.{self.pick('get(1)', 'pop(1, 9)', 'setdefault(1, 5)', 'update(x=2)', 'popitem()', 'copy()', 'clear()', 'pop(1)')}, v][1])({d()})",
            lambda: f"dict(sorted({d()}.items()))",
            lambda: f"{{key: item for key, item in {d()}.items()}}",
        ])()

    def set(self, depth):
        if depth <= 0:
            return self.pick("set()", "{1, 2}", "{'a'}", "frozenset({1})", "{1.0, 2}")
        s = lambda: self.of("set", depth)
        return self.random.choice([
            lambda: "{" + ", ".join(self.key(1) for _ in range(self.pick(1, 2, 3))) + "}",
            lambda: f"{self.pick('set', 'frozenset')}({self.iterable(self.pick('int', 'str'), depth)})",
            lambda: self.comprehension("int", depth, "{}"),
            lambda: f"({s()} {self.pick('|', '&', '-', '^')} {s()})",
            lambda: f"{s()}.{self.pick('union', 'intersection', 'difference', 'symmetric_difference')}({self.any(depth, 'set', 'list')})",
            lambda: f"({self.of('dict', depth)}.keys() {self.pick('|', '&', '-')} {s()})",
            lambda: f"(lambda v: [v.{self.pick('add(7)', 'discard(1)', 'remove(1)', 'update([1, 5])', 'clear()', 'copy()', 'pop()')}, v][1])({s()})",
        ])()

    def range(self, depth):
        if depth <= 0 or self.chance(0.5):
            return self.pick("range(3)", "range(5)", "range(1, 4)", "range(10, 0, -3)", "range(0)", "range(-3, 9, 4)")
        return self.random.choice([
            lambda: f"range({self.small(depth)})",
            lambda: f"range({self.small(depth)}, {self.small(depth)})",
            lambda: f"range({self.small(depth)}, {self.small(depth)}, {self.pick(-3, -1, 1, 2, 5, 0)})",
            lambda: f"{self.of('range', depth)}[{self.slice(depth)}]",
        ])()
