# syntax.py: files that are not Python.
import triton
import triton.language as tl

# --- a missing colon
@triton.jit
def kernel(p)
    tl.store(p, 1)

# --- a bracket that is not closed
@triton.jit
def kernel(p):
    tl.store(p, (1

# --- a bracket of another kind
@triton.jit
def kernel(p):
    tl.store(p, 1]

# --- an indentation that fits no block
@triton.jit
def kernel(p):
        x = 1
    y = 2

# --- a body that is missing
@triton.jit
def kernel(p):
x = 1

# --- a string that does not end
@triton.jit
def kernel(p):
    x = "abc

# --- an assignment to a call
@triton.jit
def kernel(p):
    tl.load(p) = 1

# --- an assignment to a number
@triton.jit
def kernel(p):
    1 = p

# --- an operator without an operand
@triton.jit
def kernel(p):
    x = p +

# --- a character that Python does not have
@triton.jit
def kernel(p):
    x = p ? 1 : 2

# --- a number with letters
@triton.jit
def kernel(p):
    x = 12abc

# --- a return outside of a function
return 1

# --- a keyword as a name
@triton.jit
def kernel(class):
    pass

# --- a parameter without a default after one with a default
@triton.jit
def kernel(a=1, b):
    pass

# --- a positional argument after a keyword
@triton.jit
def kernel(p):
    tl.load(pointer=p, None)

# --- an increment
@triton.jit
def kernel(p):
    p++

# --- `else if`
@triton.jit
def kernel(p):
    if p:
        pass
    else if p:
        pass

# --- a comparison in place of an assignment
@triton.jit
def kernel(p):
    if p = 1:
        pass

# --- a print statement
@triton.jit
def kernel(p):
    print "p", p

# --- a leading zero
@triton.jit
def kernel(p):
    x = 0123
