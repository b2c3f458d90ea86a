# syntax.py: files that are not Python.
import triton
import triton.language as tl

# --- a missing colon
@triton.jit
def kernel(p)
#            ^ error: expected `:` after the header of the function
    tl.store(p, 1)

# --- a bracket that is not closed
@triton.jit
def kernel(p):
    tl.store(p, (1
#               ^ error: `(` is never closed

# --- a bracket of another kind
@triton.jit
def kernel(p):
    tl.store(p, 1]
#                ^ error: expected `)`, found `]`
#           ^ note: `(` was opened here

# --- an indentation that fits no block
@triton.jit
def kernel(p):
        x = 1
    y = 2
#~~~ error: this indentation matches no enclosing block

# --- a body that is missing
@triton.jit
def kernel(p):
# note: it belongs to this line
x = 1
# error: expected an indented block after the header of the function

# --- a string that does not end
@triton.jit
def kernel(p):
    x = "abc
#       ^~~~ error: this string is not closed before the end of the line

# --- an assignment to a call
@triton.jit
def kernel(p):
    tl.load(p) = 1
#   ^~~~~~~~~~ error: cannot assign to a call; did you mean `==`?

# --- an assignment to a number
@triton.jit
def kernel(p):
    1 = p
#   ^ error: cannot assign to a literal; did you mean `==`?

# --- an operator without an operand
@triton.jit
def kernel(p):
    x = p +
#          ^ error: expected an expression, found the end of the line

# --- a character that Python does not have
@triton.jit
def kernel(p):
    x = p ? 1 : 2
#         ^ error: unexpected character `?`

# --- a number with letters
@triton.jit
def kernel(p):
    x = 12abc
#       ^~~~~ error: a decimal number cannot be followed by a name

# --- a keyword as a name
@triton.jit
def kernel(class):
#          ^~~~~ error: expected the name of a parameter, but `class` is a keyword
    pass

# --- a parameter without a default after one with a default
@triton.jit
def kernel(a=1, b):
#               ^ error: a parameter without a default cannot follow one with a default
    pass

# --- a positional argument after a keyword
@triton.jit
def kernel(p):
    tl.load(pointer=p, None)
#                      ^~~~ error: a positional argument cannot follow a keyword argument

# --- an increment
@triton.jit
def kernel(p):
    p++
#      ^ error: expected an expression, found the end of the line

# --- `else if`
@triton.jit
def kernel(p):
    if p:
        pass
    else if p:
#   ^~~~~~~ error: expected `:` after `else`, found `if`; write `elif`
        pass

# --- a comparison in place of an assignment
@triton.jit
def kernel(p):
    if p = 1:
#        ^ error: expected `:` after the condition of `if`, found `=`; did you mean `==` or `:=`?
        pass

# --- a print statement
@triton.jit
def kernel(p):
    print "p", p
#   ^~~~~~~~~ error: `print` is a function; write `print(...)`

# --- a leading zero
@triton.jit
def kernel(p):
    x = 0123
#       ^~~~ error: leading zeros are not allowed in a decimal number; write `0o` before an octal one
