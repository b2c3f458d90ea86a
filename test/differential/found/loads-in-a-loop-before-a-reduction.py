# nereid-differ program 0xc58d0e768bd0: crashed on cpu, against interp
#   signal 11 (Segmentation fault)
# grid 1 1 1
# integer n4 1
# extent B2 256
# tensor x45 f64 count=299 offset=0 fill=integers low=-4 high=4 seed=4685812912100838464 tolerance=0
# integer n49 3
# tensor y69 i32 count=1 offset=0 fill=integers low=-1 high=1 seed=7207969836578235676 tolerance=0
import triton
import triton.language as tl


@triton.jit
def kernel(n4, B2: tl.constexpr, x45, n49, y69):
    pid = tl.program_id(0) + tl.program_id(1) * tl.num_programs(0) + tl.program_id(2) * tl.num_programs(0) * tl.num_programs(1)
    t44 = tl.arange(0, B2)
    p46 = x45 + t44
    t47 = tl.full([B2], 0.000000, tl.float64)
    for i48 in range(n49):
        t50 = tl.load(p46)
        t47 = t47 + t50
        p46 = p46 + 7
    t58, t59 = tl.max(t47, axis=0, keep_dims=True, return_indices=True)
    t67 = tl.full([1], 0, tl.int32)
    tl.store(y69 + pid * n4 + t67, t59)
