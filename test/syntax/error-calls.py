# RUN: not nereid-parse %s 2>&1 | grep "^%s:" | FileCheck %s --implicit-check-not=error:
# Arguments of calls.
f(a=1, 2)  # CHECK: :[[@LINE]]:8: error: a positional argument cannot follow a keyword argument
f(**a, 2)  # CHECK: :[[@LINE]]:8: error: a positional argument cannot follow `**`
f(**a, *b)  # CHECK: :[[@LINE]]:8: error: `*` cannot follow `**` in the arguments
f(x for x in y, 1)  # CHECK: :[[@LINE]]:3: error: a generator needs parentheses of its own when there are other arguments
f(1, x for x in y)  # CHECK: :[[@LINE]]:6: error: a generator needs parentheses of its own when there are other arguments
f(a.b=1)  # CHECK: :[[@LINE]]:3: error: expected a name before `=` in an argument; did you mean `==`?
f(True=1)  # CHECK: :[[@LINE]]:3: error: expected a name before `=` in an argument; did you mean `==`?
f(a=)  # CHECK: :[[@LINE]]:5: error: expected an expression, found `)`
f(a b)  # CHECK: :[[@LINE]]:5: error: expected `,` or `)`, found `b`
f(a=x for x in y)  # CHECK: :[[@LINE]]:3: error: a generator as a keyword argument needs parentheses
f(, a)  # CHECK: :[[@LINE]]:3: error: expected an expression, found `,`
print "hello"  # CHECK: :[[@LINE]]:1: error: `print` is a function; write `print(...)`
exec "code"  # CHECK: :[[@LINE]]:1: error: `exec` is a function; write `exec(...)`
f(a  # CHECK: :[[@LINE]]:2: error: `(` is never closed
