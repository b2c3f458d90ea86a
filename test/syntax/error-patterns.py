# RUN: not nereid-parse %s 2>&1 | grep "^%s:" | FileCheck %s --implicit-check-not=error:
# Patterns of `match`.
match x:
    case 1 + 2:  # CHECK: :[[@LINE]]:14: error: expected an imaginary number in a complex literal, found `2`
        pass
    case 1j + 2:  # CHECK: :[[@LINE]]:10: error: expected a real number before the sign in a complex literal
        pass
    case *a:  # CHECK: :[[@LINE]]:10: error: a starred pattern needs a sequence around it; write a comma after it
        pass
    case (*a):  # CHECK: :[[@LINE]]:11: error: a starred pattern needs a sequence around it; write a comma after it
        pass
    case a as _:  # CHECK: :[[@LINE]]:15: error: `_` cannot be the name after `as` in a pattern
        pass
    case a as b.c:  # CHECK: :[[@LINE]]:15: error: the target after `as` in a pattern must be a name
        pass
    case {**r, 1: 2}:  # CHECK: :[[@LINE]]:16: error: no entry can follow the `**` one in a mapping pattern
        pass
    case {**_}:  # CHECK: :[[@LINE]]:11: error: `**_` is not a pattern: further entries are ignored anyway
        pass
    case {a: 1}:  # CHECK: :[[@LINE]]:11: error: a key of a mapping pattern must be a literal or a dotted name
        pass
    case f(a=1, 2):  # CHECK: :[[@LINE]]:17: error: a positional pattern cannot follow a keyword pattern
        pass
    case -a:  # CHECK: :[[@LINE]]:11: error: expected a number, found `a`
        pass
    case a + b:  # CHECK: :[[@LINE]]:12: error: expected `:` after the pattern of `case`, found `+`
        pass
    case not a:  # CHECK: :[[@LINE]]:10: error: expected a pattern, found `not`
        pass
    case [a  # CHECK: :[[@LINE]]:10: error: `[` is never closed
match *x:  # CHECK: :[[@LINE]]:7: error: `*` cannot stand alone as the subject of `match`
    case _: pass
match x:
    pass  # CHECK: :[[@LINE]]:5: error: expected `case`, found `pass`
match x:
    case 1  # CHECK: :[[@LINE]]:11: error: expected `:` after the pattern of `case`
        pass
match x:
case 1: pass  # CHECK: :[[@LINE]]:1: error: expected an indented `case` after `match`, found `case`
