# RUN: not nereid-parse %s 2>&1 | grep "^%s:" | FileCheck %s --implicit-check-not=error:
# What cannot be assigned to, annotated or deleted.
1 = x  # CHECK: :[[@LINE]]:1: error: cannot assign to a literal; did you mean `==`?
f() = 3  # CHECK: :[[@LINE]]:1: error: cannot assign to a call; did you mean `==`?
a + b = 1  # CHECK: :[[@LINE]]:1: error: cannot assign to an operation; did you mean `==`?
a < b = 1  # CHECK: :[[@LINE]]:1: error: cannot assign to a comparison; did you mean `==`?
"s" = 1  # CHECK: :[[@LINE]]:1: error: cannot assign to a literal; did you mean `==`?
f"{x}" = 1  # CHECK: :[[@LINE]]:1: error: cannot assign to an f-string; did you mean `==`?
None = 1  # CHECK: :[[@LINE]]:1: error: cannot assign to `None`; did you mean `==`?
... = 1  # CHECK: :[[@LINE]]:1: error: cannot assign to `...`; did you mean `==`?
a, 1 = x  # CHECK: :[[@LINE]]:4: error: cannot assign to a literal; did you mean `==`?
(a := b) = 1  # CHECK: :[[@LINE]]:2: error: cannot assign to a `:=` expression; did you mean `==`?
[x for x in y] = 1  # CHECK: :[[@LINE]]:1: error: cannot assign to a comprehension; did you mean `==`?
lambda: a = 1  # CHECK: :[[@LINE]]:1: error: cannot assign to a lambda; did you mean `==`?
a if b else c = 1  # CHECK: :[[@LINE]]:1: error: cannot assign to a conditional expression; did you mean `==`?
x = yield = 1  # CHECK: :[[@LINE]]:5: error: cannot assign to a `yield` expression; did you mean `==`?
await a = 1  # CHECK: :[[@LINE]]:1: error: cannot assign to an `await` expression; did you mean `==`?
{} = 1  # CHECK: :[[@LINE]]:1: error: cannot assign to a dictionary; did you mean `==`?
{a} = 1  # CHECK: :[[@LINE]]:1: error: cannot assign to a set; did you mean `==`?
a, b += 1  # CHECK: :[[@LINE]]:1: error: expected a name, an attribute or a subscript before `+=`
f() += 1  # CHECK: :[[@LINE]]:1: error: expected a name, an attribute or a subscript before `+=`
a, b: int  # CHECK: :[[@LINE]]:1: error: only one name, attribute or subscript can have a type annotation
[a]: int  # CHECK: :[[@LINE]]:1: error: only one name, attribute or subscript can have a type annotation
f(): int  # CHECK: :[[@LINE]]:4: error: expected the end of the line or an operator, found `:`
del f()  # CHECK: :[[@LINE]]:5: error: cannot delete a call
del *a  # CHECK: :[[@LINE]]:5: error: cannot delete a starred expression
del a + b  # CHECK: :[[@LINE]]:5: error: cannot delete an operation
del 1  # CHECK: :[[@LINE]]:5: error: cannot delete a literal
for 1 in x: pass  # CHECK: :[[@LINE]]:5: error: cannot assign to a literal
for f() in x: pass  # CHECK: :[[@LINE]]:5: error: cannot assign to a call
with a as f(): pass  # CHECK: :[[@LINE]]:11: error: cannot assign to a call
(a.b := 1)  # CHECK: :[[@LINE]]:2: error: `:=` can only assign to a name
((a) := 1)  # CHECK: :[[@LINE]]:2: error: `:=` can only assign to a name
a := 1  # CHECK: :[[@LINE]]:3: error: `:=` as a statement; write `=`, or put parentheses around it
