# RUN: not nereid-parse %s 2>&1 | grep "^%s:" | FileCheck %s --implicit-check-not=error:
# Functions, parameters, classes, decorators, type parameters.
def f(a=1, b): pass  # CHECK: :[[@LINE]]:12: error: a parameter without a default cannot follow one with a default
def f(*): pass  # CHECK: :[[@LINE]]:8: error: a named parameter must follow the bare `*`
def f(*, **k): pass  # CHECK: :[[@LINE]]:10: error: a named parameter must follow the bare `*`
def f(*a, *b): pass  # CHECK: :[[@LINE]]:11: error: `*` can appear only once
def f(**k, a): pass  # CHECK: :[[@LINE]]:12: error: no parameter can follow the `**` one
def f(/): pass  # CHECK: :[[@LINE]]:7: error: a parameter must come before `/`
def f(a, /, b, /): pass  # CHECK: :[[@LINE]]:16: error: `/` can appear only once
def f(*, a, /): pass  # CHECK: :[[@LINE]]:13: error: `/` must come before `*`
def f(*a=1): pass  # CHECK: :[[@LINE]]:9: error: this parameter cannot have a default
def f((a, b)): pass  # CHECK: :[[@LINE]]:7: error: expected the name of a parameter, found `(`
def f(None): pass  # CHECK: :[[@LINE]]:7: error: expected the name of a parameter, but `None` is a keyword
def f: pass  # CHECK: :[[@LINE]]:6: error: expected `(` after the name of the function, found `:`
def (): pass  # CHECK: :[[@LINE]]:5: error: expected the name of the function after `def`, found `(`
def f() pass  # CHECK: :[[@LINE]]:9: error: expected `:` after the header of the function, found `pass`
class: pass  # CHECK: :[[@LINE]]:6: error: expected the name of the class after `class`, found `:`
class None: pass  # CHECK: :[[@LINE]]:7: error: expected the name of the class after `class`, but `None` is a keyword
class C(x for x in y): pass  # CHECK: :[[@LINE]]:9: error: a generator cannot be a base class
lambda *: 1  # CHECK: :[[@LINE]]:9: error: a named parameter must follow the bare `*`
lambda x y: 1  # CHECK: :[[@LINE]]:10: error: expected `:` after the parameters of a lambda, found `y`
@a
x = 1  # CHECK: :[[@LINE]]:1: error: expected a function or a class after a decorator, found `x`
@a b  # CHECK: :[[@LINE]]:4: error: expected the end of the line after a decorator, found `b`
def f(): pass
async x  # CHECK: :[[@LINE]]:7: error: expected `def`, `for` or `with` after `async`, found `x`
async def f: pass  # CHECK: :[[@LINE]]:12: error: expected `(` after the name of the function, found `:`
def f[1](): pass  # CHECK: :[[@LINE]]:7: error: expected the name of a type parameter, found `1`
type X int  # CHECK: :[[@LINE]]:8: error: expected `=` in a type alias, found `int`
def f(a, b
    c = 1  # CHECK: :[[@LINE]]:5: error: expected `,` or `)`, found `c`
