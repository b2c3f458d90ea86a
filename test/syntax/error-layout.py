# RUN: not nereid-parse %s 2>&1 | grep "^%s:" | FileCheck %s --implicit-check-not=error:
# Indentation and line continuations.
def f():
return 1  # CHECK: :[[@LINE]]:1: error: expected an indented block after the header of the function
if x:
    a
      b  # CHECK: :[[@LINE]]:7: error: this line is indented, but no block begins before it
    c
   d  # CHECK: :[[@LINE]]:1: error: this indentation matches no enclosing block
e = 1
    f  # CHECK: :[[@LINE]]:5: error: this line is indented, but no block begins before it
if x:
	a
        b  # CHECK: :[[@LINE]]:1: error: inconsistent use of tabs and spaces in indentation
x = 1 \ 2
# CHECK: :[[@LINE-1]]:7: error: unexpected character after the line continuation `\`
def g():
    if y:
z = 3  # CHECK: :[[@LINE]]:1: error: expected an indented block after the condition of `if`
class C:
    def h(self):
        return 1
     def k(self):  # CHECK: :[[@LINE]]:1: error: this indentation matches no enclosing block
        return 2
x = 1 +  # CHECK: :[[@LINE]]:8: error: expected an expression, found the end of the line
