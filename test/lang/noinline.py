# RUN: nereid compile %s -n kernel -s "*i32, i32" --emit tile | FileCheck %s
# A function that is not inlined becomes one function of the module, wherever it is called from.
import triton
import triton.language as tl


@triton.jit(noinline=True)
def up(x):
    return x + 1


# CHECK-LABEL: func.func @kernel
@triton.jit
def kernel(z, n):
    x = tl.program_id(0)
    # CHECK: scf.if
    # CHECK-NEXT: func.call @up.0
    if n > 3:
        x = up(x)
    # CHECK: scf.for
    # CHECK-NEXT: func.call @up.0
    for i in range(n):
        x += up(i)
    tl.store(z, x)
# CHECK: func.func private @up.0(%{{.*}}: i32) -> i32
# CHECK-NOT: func.func
