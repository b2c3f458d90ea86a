# nereid-differ program 0x41f49997d8ea: different on cuda, against interp
#   y51: 5 of 18 elements of i32 differ, the first at 0: -13, expected -11 (largest difference 3, allowed 0)
# grid 1 1 1
# warps 8 stages 2
# extent B0 16
# extent B1 64
# tensor x2 fp8e5b16 count=1024 offset=0 fill=uniform low=0.25 high=2.25 seed=6310405304647576464 tolerance=0
# tensor x5 i32 count=325 offset=0 fill=integers low=-15 high=12 seed=3455521942437328125 tolerance=0
# integer n6 5
# integer n7 65
# integer n8 1
# tensor y14 fp8e5b16 count=1054 offset=0 fill=bits low=0 high=1 seed=3232161677566787320 tolerance=0
# extent B2 32
# tensor x21 i32 count=18 offset=0 fill=integers low=-12 high=17 seed=4514852885056769701 tolerance=0
# integer n24 51
# tensor x26 i8 count=5952 offset=0 fill=bits low=0 high=0 seed=2244627639251266118 tolerance=0
# integer n30 96
# integer n37 31
# extent B3 8
# tensor y41 f32 count=512 offset=0 fill=bits low=0 high=1 seed=6365738681548021537 tolerance=0
# tensor y44 i32 count=16 offset=0 fill=bits low=0 high=1 seed=3554419113881821167 tolerance=0
# tensor y47 i32 count=18 offset=0 fill=bits low=0 high=1 seed=5607806174312838692 tolerance=0
# integer n48 7
# tensor y51 i32 count=18 offset=0 fill=bits low=0 high=1 seed=256532143996335394 tolerance=0
# tensor y53 i32 count=595 offset=0 fill=bits low=0 high=1 seed=5030570788510159909 tolerance=0
# integer n54 17
# integer n55 17
# tensor y58 i32 count=12 offset=0 fill=bits low=0 high=1 seed=6509193937030484243 tolerance=0
import triton
import triton.language as tl


@triton.jit
def kernel(B0: tl.constexpr, B1: tl.constexpr, x2, x5, n6, n7, n8, y14, B2: tl.constexpr, x21, n24, x26, n30, n37, B3: tl.constexpr, y41, y44, y47, n48, y51, y53, n54, n55, y58):
    pid = tl.program_id(0)
    t0 = tl.arange(0, B0)[:, None]
    t1 = tl.arange(0, B1)[None, :]
    p3 = x2 + t0 * (B1) + t1
    t4 = tl.load(p3)
    p9 = tl.make_block_ptr(x5, (n6, n7), (65, n8), (0, 0), (B0, B1), (1, 0))
    t10 = tl.load(p9, boundary_check=(0,), padding_option="zero")
    t11 = tl.arange(0, B0)[:, None]
    t12 = tl.arange(0, B1)[None, :]
    tl.store(y14 + t11 * 66 + t12 * 1, t4)
    t15 = tl.max(t10, axis=1)
    t17 = tl.broadcast_to(tl.arange(0, B2)[None, :].to(tl.uint8).to(tl.int32) + tl.zeros([B0, B2], tl.int32), [B0, B2])
    t18 = -t10
    t19 = tl.min(t18, axis=1)
    t20 = t15 - t15
    t25 = tl.load(x21 + (tl.broadcast_to((((tl.arange(0, B0) + tl.arange(0, B0)) & 127) & 12) + tl.zeros([B0], tl.int32), [B0]) & 15), mask=tl.broadcast_to(((((tl.arange(0, B0) + tl.arange(0, B0)) & 12) <= n24)) & tl.full([B0], True, tl.int1), [B0]), other=0)
    t27 = tl.arange(0, B1)
    t28 = tl.arange(0, B2)
    t29 = tl.arange(0, B2)
    p31 = x26 + t27[:, None] * n30 + t29[None, :] * 1
    p32 = x26 + t29[:, None] * 31 + t28[None, :] * 1
    t33 = tl.zeros([B1, B2], tl.int32)
    for k34 in range(3):
        t35 = tl.load(p31, mask=(t29[None, :] < 96 - k34 * B2) & (t27[:, None] < 62), other=0)
        t36 = tl.load(p32, mask=(t29[:, None] < 96 - k34 * B2) & (t28[None, :] < 31), other=0)
        t33 = t33 + tl.dot(t35, t36)
        p31 = p31 + B2 * n8
        p32 = p32 + B2 * n37
    t38 = tl.full([B2, B3], -1.0, tl.float32)
    t39 = (tl.arange(0, B2) * 3 + 1) & (B2 - 1)
    p42 = tl.make_tensor_descriptor(y41, [32, 16], [16, 1], [1, B3])
    p42.scatter(t38, t39, 0)
    tl.store(y44 + ((tl.arange(0, B0) * 13 + 0) & (B0 - 1)), t25)
    t45 = tl.arange(0, B0)
    tl.store(y47 + t45, t20, mask=(t45 < n48))
    t49 = tl.arange(0, B0)
    tl.store(y51 + t49 * 1, t19)
    p56 = tl.make_block_ptr(y53, (n54, 35), (n8, n55), (0, 0), (B0, B2), (0, 1))
    tl.store(p56, t17)
    p59 = tl.make_tensor_descriptor(y58, [12], [1], [B0])
    p59.store([0], t15)
