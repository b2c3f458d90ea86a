# RUN: not nereid-parse %s 2>&1 | grep "^%s:" | FileCheck %s --implicit-check-not=error:
# Expressions, brackets and foreign operators.
x if y  # CHECK: :[[@LINE]]:7: error: expected `else` after the condition of `a if b else c`, found the end of the line
x if y else  # CHECK: :[[@LINE]]:12: error: expected an expression, found the end of the line
(*a)  # CHECK: :[[@LINE]]:2: error: `*` needs a tuple, a list or a call around it; write `(*a,)` for a tuple
[*a for a in b]  # CHECK: :[[@LINE]]:2: error: `*` cannot be used in a comprehension
{**a for a in b}  # CHECK: :[[@LINE]]:1: error: `**` cannot be used in a comprehension
{a: *b}  # CHECK: :[[@LINE]]:5: error: `*` cannot be used in the value of a dictionary
{a: b, c}  # CHECK: :[[@LINE]]:9: error: expected `:` between a key and its value, found `}`
{a: }  # CHECK: :[[@LINE]]:5: error: expected an expression, found `}`
{a := 1: 2}  # CHECK: :[[@LINE]]:2: error: `:=` as a key needs parentheses around it
x[]  # CHECK: :[[@LINE]]:3: error: expected an expression, found `]`
x[a b]  # CHECK: :[[@LINE]]:5: error: expected `,` or `]`, found `b`
a not b  # CHECK: :[[@LINE]]:7: error: expected `in` after `not`, found `b`
a ? b  # CHECK: :[[@LINE]]:3: error: unexpected character `?`
a && b  # CHECK: :[[@LINE]]:3: error: `&&` is not an operator; write `and`
!a  # CHECK: :[[@LINE]]:1: error: unexpected character `!`; write `not` for the opposite
a <> b  # CHECK: :[[@LINE]]:3: error: `<>` is not an operator; write `!=`
(a, b  # CHECK: :[[@LINE]]:1: error: `(` is never closed
c)  # CHECK: :[[@LINE]]:2: error: `)` closes no open bracket
[1 2]  # CHECK: :[[@LINE]]:4: error: expected `,` or `]`, found `2`
(a; b)  # CHECK: :[[@LINE]]:3: error: expected `,` or `)`, found `;`
[1, 2)  # CHECK: :[[@LINE]]:6: error: expected `]`, found `)`
)  # CHECK: :[[@LINE]]:1: error: `)` closes no open bracket
x = ]  # CHECK: :[[@LINE]]:5: error: `]` closes no open bracket
[x for x in]  # CHECK: :[[@LINE]]:12: error: expected an expression, found `]`
[x for x y]  # CHECK: :[[@LINE]]:10: error: expected `in` after the target of `for`, found `y`
[x async y]  # CHECK: :[[@LINE]]:10: error: expected `for` after `async` in a comprehension, found `y`
yield = 1  # CHECK: :[[@LINE]]:1: error: cannot assign to a `yield` expression; did you mean `==`?
x $ y  # CHECK: :[[@LINE]]:3: error: unexpected character `$`
x = “quoted”  # CHECK: :[[@LINE]]:5: error: unexpected character `“` (U+201C); write a plain quote
f(a) g(b)  # CHECK: :[[@LINE]]:6: error: expected the end of the line or an operator, found `g`
