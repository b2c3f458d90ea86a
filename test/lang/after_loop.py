# RUN: nereid run %s:counted "o=zeros:i32[16]" n=7 --grid 1 --device interp --save o=%t.npy && %python -c "import numpy; print(numpy.load('%t.npy').tolist())" | FileCheck %s
# RUN: nereid run %s:counted "o=zeros:i32[16]" n=7 --grid 1 --device cpu --save o=%t.npy && %python -c "import numpy; print(numpy.load('%t.npy').tolist())" | FileCheck %s
# RUN: nereid compile %s -n unread -s "*i32, i32" --emit tile | FileCheck %s --check-prefix=UNREAD
# The variable of a loop after it: the value of the last iteration; without any iteration what it was before, else where it would start.
import triton
import triton.language as tl


# CHECK: [6, 5, 1, 3, 42, 8, 0, 6, 5, 5, 0, 0, 0, 0, 0, 0]
@triton.jit
def counted(o, n):
    for i in range(n):
        pass
    tl.store(o, i)
    for i in range(-1, n, 3):
        pass
    tl.store(o + 1, i)
    for i in range(n, 0, -3):
        pass
    tl.store(o + 2, i)
    for i in range(n - 1, 2, -1):
        pass
    tl.store(o + 3, i)
    i = 42
    for i in range(n, 0):
        pass
    tl.store(o + 4, i)
    for first in range(n + 1, n):
        pass
    tl.store(o + 5, first)
    # In a branch, and in a loop around it.
    k = -1
    if n > 0:
        for k in range(1):
            pass
    tl.store(o + 6, k)
    for j in range(2):
        for k in range(n):
            pass
    tl.store(o + 7, k)
    for j in tl.range(6):
        j += 10
    tl.store(o + 8, j)
    low = tl.program_id(0).to(tl.int64)
    for wide in range(low, n - 1):
        pass
    tl.store(o + 9, wide.to(tl.int32))


# Nothing is left of it where nobody reads it.
# UNREAD-LABEL: func.func @unread
# UNREAD-NOT: select
# UNREAD: scf.for
# UNREAD-NOT: iter_args
# UNREAD: return
@triton.jit
def unread(o, n):
    for i in range(n):
        tl.store(o + i, i)
    for j in range(n):
        for i in range(n):
            tl.store(o + i, j)
