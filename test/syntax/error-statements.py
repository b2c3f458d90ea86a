# RUN: not nereid-parse %s 2>&1 | grep "^%s:" | FileCheck %s --implicit-check-not=error:
# Statements that are incomplete or out of place.
if x:
    y
else if z:  # CHECK: :[[@LINE]]:1: error: expected `:` after `else`, found `if`; write `elif`
    w
if x  # CHECK: :[[@LINE]]:5: error: expected `:` after the condition of `if`
    y
if x = 1:  # CHECK: :[[@LINE]]:6: error: expected `:` after the condition of `if`, found `=`; did you mean `==` or `:=`?
    y
while x y:  # CHECK: :[[@LINE]]:9: error: expected `:` after the condition of `while`, found `y`
    z
for x y:  # CHECK: :[[@LINE]]:7: error: expected `in` after the target of `for`, found `y`
    z
for x in:  # CHECK: :[[@LINE]]:9: error: expected an expression, found `:`
    z
else:  # CHECK: :[[@LINE]]:1: error: `else` does not follow the block of an `if`, a loop or a `try`
    y
elif x:  # CHECK: :[[@LINE]]:1: error: `elif` does not follow the block of an `if`
    y
except:  # CHECK: :[[@LINE]]:1: error: `except` does not follow the block of a `try`
    y
finally:  # CHECK: :[[@LINE]]:1: error: `finally` does not follow the block of a `try`
    y
try:
    x
y = 1  # CHECK: :[[@LINE]]:1: error: expected `except` or `finally` after the block of `try`, found `y`
try:
    x
except a, b:  # CHECK: :[[@LINE]]:8: error: several exception types need parentheses around them
    y
try:
    x
except* a:
    y
except b:  # CHECK: :[[@LINE]]:1: error: one `try` cannot have both `except` and `except*`
    y
try:
    x
except*:  # CHECK: :[[@LINE]]:8: error: expected one or more exception types after `except*`, found `:`
    y
import  # CHECK: :[[@LINE]]:7: error: expected the name of a module, found the end of the line
import a.  # CHECK: :[[@LINE]]:10: error: expected a name after `.`, found the end of the line
import a as  # CHECK: :[[@LINE]]:12: error: expected a name after `as`, found the end of the line
import (a)  # CHECK: :[[@LINE]]:8: error: expected the name of a module, found `(`
from x import  # CHECK: :[[@LINE]]:14: error: expected a name to import, found the end of the line
from x import a,  # CHECK: :[[@LINE]]:16: error: a trailing comma needs parentheses around the imported names
from x import ()  # CHECK: :[[@LINE]]:16: error: expected a name to import, found `)`
from import x  # CHECK: :[[@LINE]]:6: error: expected the name of a module, but `import` is a keyword
global  # CHECK: :[[@LINE]]:7: error: expected a name, found the end of the line
global x.y  # CHECK: :[[@LINE]]:9: error: expected the end of the line or an operator, found `.`
return = 1  # CHECK: :[[@LINE]]:8: error: expected an expression, found `=`
raise x,  # CHECK: :[[@LINE]]:8: error: expected the end of the line or an operator, found `,`
assert  # CHECK: :[[@LINE]]:7: error: expected an expression, found the end of the line
x = 5 5  # CHECK: :[[@LINE]]:7: error: expected the end of the line or an operator, found `5`
x =  # CHECK: :[[@LINE]]:4: error: expected an expression, found the end of the line
x = 1 +  # CHECK: :[[@LINE]]:8: error: expected an expression, found the end of the line
class = 3  # CHECK: :[[@LINE]]:7: error: expected the name of the class after `class`, found `=`
x = if  # CHECK: :[[@LINE]]:5: error: expected an expression, but `if` is a keyword
if x: if y: pass  # CHECK: :[[@LINE]]:7: error: expected an expression, but `if` is a keyword
with a as b c: pass  # CHECK: :[[@LINE]]:13: error: expected `:` after the items of `with`, found `c`
pass 1  # CHECK: :[[@LINE]]:6: error: expected the end of the line or an operator, found `1`
a.1  # CHECK: :[[@LINE]]:2: error: expected the end of the line or an operator, found `.1`
a.if  # CHECK: :[[@LINE]]:3: error: expected an attribute name after `.`, but `if` is a keyword
