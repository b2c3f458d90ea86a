# RUN: nereid compile %s -n kernel -s "*fp32, *fp32, 64" --emit tile | FileCheck %s
# The scopes of a profiler enclose what stands in them, also where the same load before and after could be one.
import triton
import triton.language as tl
import triton.profiler.language as pl


@triton.jit
def kernel(x, y, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    # CHECK: tile.scope "all"
    # CHECK-NEXT: tile.scope "load 64"
    # CHECK: tile.load
    # CHECK-NEXT: tile.scope "load 64" {exit}
    pl.enter_scope("all")
    with pl.scope(f"load {BLOCK}"):
        value = tl.load(x + offsets)
    # CHECK: scf.for
    for i in range(4):
        # CHECK-NEXT: tile.scope "outer"
        # CHECK-NEXT: tile.scope "inner"
        # CHECK-NEXT: tile.store
        # CHECK-NEXT: tile.scope "inner" {exit}
        # CHECK-NEXT: tile.scope "outer" {exit}
        with pl.scope("outer"), pl.scope("inner"):
            tl.store(y + offsets, value)
    # CHECK: tile.scope "all" {exit}
    # CHECK-NEXT: return
    pl.exit_scope("all")
