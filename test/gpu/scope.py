# RUN: nereid compile %s -n kernel -s "*fp32:16, *fp32:16, 128" --emit ptx --target sm_90a | FileCheck %s
# RUN: nereid compile %s -n plain -s "*fp32:16, *fp32:16, 128" --emit ptx --target sm_90a | FileCheck %s --check-prefix=PLAIN
# Where the launch is profiled, the first thread of each warp notes nanoseconds and cycles at the begin and the end of a scope. A kernel without scopes reads no clock.
import triton
import triton.language as tl
import triton.profiler.language as pl


@triton.jit
def kernel(x, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    # CHECK: .entry kernel(
    # CHECK-NOT: atom
    # CHECK: mov.u64 {{.*}}, %globaltimer;
    # CHECK: mov.u64 {{.*}}, %clock64;
    # CHECK-NOT: atom
    # CHECK: ld.global
    # CHECK: mov.u64 {{.*}}, %globaltimer;
    # CHECK: mov.u64 {{.*}}, %clock64;
    # CHECK: st.global.b32 {{.*}}, %r
    with pl.scope("load"):
        value = tl.load(x + i)
    tl.store(y + i, value)


@triton.jit
def plain(x, y, BLOCK: tl.constexpr):
    # PLAIN: .entry plain(
    # PLAIN-NOT: clock
    # PLAIN-NOT: globaltimer
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i))
