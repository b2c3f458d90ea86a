"""One element after the other."""
import triton
import triton.language as tl


@triton.jit
def gather(table_ptr, index_ptr, out_ptr, n, m, BLOCK: tl.constexpr):
    for i in range(tl.program_id(0), n, tl.num_programs(0)):
        index = tl.load(index_ptr + i)
        value = tl.load(table_ptr) * 0.0
        if index >= 0:
            if index < m:
                value = tl.load(table_ptr + index)
        tl.store(out_ptr + i, value)
