# RUN: nereid compile %s -n largest -s "*fp32:16, *fp32:16, 256" --target sm_90a --emit ptx | FileCheck %s
# A reduction and a scan may combine by the user's assembly: element by element, also between lanes and warps.
import triton
import triton.language as tl


@triton.jit
def larger(a, b):
    return tl.inline_asm_elementwise("max.NaN.xorsign.abs.f32 $0, $1, $2;", "=r,r,r", [a, b], dtype=tl.float32, is_pure=True, pack=1)


# CHECK-LABEL: .entry largest
# CHECK-COUNT-8: max.NaN.xorsign.abs.f32
@triton.jit
def largest(x, out, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    value = tl.load(x + offsets)
    tl.store(out + offsets, tl.associative_scan(value, 0, larger))
    tl.store(out + BLOCK, tl.reduce(value, 0, larger))
