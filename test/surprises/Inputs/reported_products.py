"""Products: two into one sum, with a sum of their operand, of their own transpose, of results of others."""
import triton
import triton.language as tl


@triton.jit
def two_dots(a1, a2, b1, b2, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for k0 in range(0, K, BK):
        k = k0 + tl.arange(0, BK)
        am = (m[:, None] < M) & (k[None, :] < K)
        bm = (k[:, None] < K) & (n[None, :] < N)
        x1 = tl.load(a1 + m[:, None] * K + k[None, :], mask=am, other=0.0)
        y1 = tl.load(b1 + k[:, None] * N + n[None, :], mask=bm, other=0.0)
        acc = tl.dot(x1, y1, acc)
        x2 = tl.load(a2 + m[:, None] * K + k[None, :], mask=am, other=0.0)
        y2 = tl.load(b2 + k[:, None] * N + n[None, :], mask=bm, other=0.0)
        acc = tl.dot(x2, y2, acc)
    tl.store(c + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def sum_and_dot(a, b, sa, sab, N, D: tl.constexpr, B: tl.constexpr, FIRST: tl.constexpr):
    oa = tl.zeros((D,), tl.float32)
    oab = tl.zeros((D, D), tl.float32)
    c = tl.arange(0, D)
    for k in range(0, tl.cdiv(N, B)):
        r = k * B + tl.arange(0, B)
        m = (r < N)[:, None]
        x = tl.load(a + r[:, None] * D + c[None, :], mask=m, other=0.0)
        y = tl.load(b + r[:, None] * D + c[None, :], mask=m, other=0.0)
        if FIRST:
            xt = tl.trans(x)
            oa += tl.sum(x.to(tl.float32), axis=0)
            oab += tl.dot(xt, y)
        else:
            oab += tl.dot(tl.trans(x), y)
            oa += tl.sum(x.to(tl.float32), axis=0)
    tl.store(sa + c, oa)
    tl.store(sab + c[:, None] * D + c[None, :], oab)


@triton.jit
def wy_backward(k, v, beta, aa, dw, du, dk, dv, db, T, BT: tl.constexpr, K: tl.constexpr, BK: tl.constexpr):
    pid = tl.program_id(0)
    t = tl.arange(0, BT)
    b = tl.load(beta + pid * BT + t)
    A = tl.load(aa + pid * BT * BT + t[:, None] * BT + t[None, :])
    At = tl.load(aa + pid * BT * BT + t[None, :] * BT + t[:, None])
    bdb = tl.zeros([BT], tl.float32)
    bdA = tl.zeros([BT, BT], tl.float32)
    for iv in range(0, K // BK):
        c = iv * BK + tl.arange(0, BK)
        p = pid * BT * K + t[:, None] * K + c[None, :]
        bv = tl.load(v + p)
        bvb = (bv * b[:, None]).to(bv.dtype)
        bdu = tl.load(du + p)
        bdA += tl.dot(bdu, tl.trans(bvb))
        dvb = tl.dot(At, bdu)
        tl.store(dv + p, (dvb * b[:, None]).to(tl.float32))
        bdb += tl.sum(dvb * bv, 1)
    for ik in range(0, K // BK):
        c = ik * BK + tl.arange(0, BK)
        p = pid * BT * K + t[:, None] * K + c[None, :]
        bk = tl.load(k + p)
        bkb = (bk * b[:, None]).to(bk.dtype)
        bdw = tl.load(dw + p)
        bdA += tl.dot(bdw, tl.trans(bkb))
        dkb = tl.dot(At, bdw)
        tl.store(dk + p, dkb * b[:, None])
        bdb += tl.sum(dkb * bk, 1)
    bdA = tl.where(t[:, None] > t[None, :], bdA, 0)
    bdA = tl.dot(bdA.to(At.dtype), At)
    bdA = tl.dot(At, bdA.to(At.dtype))
    bdA = tl.where(t[:, None] > t[None, :], -bdA, 0).to(k.dtype.element_ty)
    for ik in range(0, K // BK):
        c = ik * BK + tl.arange(0, BK)
        p = pid * BT * K + t[:, None] * K + c[None, :]
        bk = tl.load(k + p)
        bdk = tl.load(dk + p)
        bkb = (bk * b[:, None]).to(bk.dtype)
        dkb = tl.dot(bdA, bk)
        bdb += tl.sum(dkb * bk, 1)
        bdk += tl.dot(tl.trans(bdA), bkb)
        bdk += dkb * b[:, None]
        tl.store(dk + p, bdk)
    tl.store(db + pid * BT + t, bdb)


@triton.jit
def h20_kernel(do, v, h, dh, k, q, dq_out, dk_out, C: tl.constexpr, BD: tl.constexpr, D: tl.constexpr, DV: tl.constexpr, BHN: tl.constexpr):
    bhn = tl.program_id(0) % BHN
    dt = tl.program_id(0) // BHN
    c = tl.arange(0, C)
    dv = tl.arange(0, DV)
    d = (dt * BD + tl.arange(0, BD)).to(tl.int32)
    do_t = tl.load(do + bhn * (C * DV) + c[:, None] * DV + dv[None, :])
    v_t = tl.load(v + bhn * (C * DV) + c[:, None] * DV + dv[None, :])
    h_t = tl.load(h + bhn * (D * DV) + d[:, None] * DV + dv[None, :])
    dh_t = tl.load(dh + bhn * (D * DV) + d[:, None] * DV + dv[None, :])
    dA = tl.dot(do_t, tl.trans(v_t))
    dq = tl.dot(do_t, tl.trans(h_t))
    dk = tl.dot(v_t, tl.trans(dh_t))
    k_t = tl.load(k + bhn * (C * D) + c[:, None] * D + d[None, :])
    q_t = tl.load(q + bhn * (C * D) + c[:, None] * D + d[None, :])
    dA = tl.where(c[:, None] >= c[None, :], dA, 0.0).to(k_t.dtype)
    dq += tl.dot(dA, k_t)
    dk += tl.dot(tl.trans(dA), q_t)
    tl.store(dq_out + bhn * (C * D) + c[:, None] * D + d[None, :], dq)
    tl.store(dk_out + bhn * (C * D) + c[:, None] * D + d[None, :], dk)


@triton.jit
def recurrence(k, v, w, out, T, BK: tl.constexpr, BV: tl.constexpr, BT: tl.constexpr):
    pid = tl.program_id(0)
    kk = tl.arange(0, BK)
    vv = tl.arange(0, BV)
    acc = tl.zeros([BK, BV], tl.float32)
    for i in range(0, T):
        t = i * BT + tl.arange(0, BT)
        wt = tl.load(w + t[:, None] * BK + kk[None, :])
        vt = tl.load(v + t[:, None] * BV + vv[None, :])
        kt = tl.load(k + t[:, None] * BK + kk[None, :])
        u = vt - tl.dot(wt, acc.to(wt.dtype))
        acc += tl.dot(tl.trans(kt), u.to(kt.dtype))
    tl.store(out + pid * BK * BV + kk[:, None] * BV + vv[None, :], acc)


@triton.jit
def two_layouts(q, k, v, o):
    a = tl.arange(0, 64)
    b = tl.arange(0, 128)
    x = tl.load(q + a[:, None] * 128 + b[None, :])
    y = tl.load(k + b[:, None] * 64 + a[None, :])
    s = tl.dot(x, y).to(tl.float16)
    z = tl.load(v + a[:, None] * 128 + b[None, :])
    tl.store(o + a[:, None] * 128 + b[None, :], tl.dot(s, z))


@triton.jit
def batched_dots(a, b, c, BB: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    z = tl.arange(0, BB)[:, None, None]
    m = tl.arange(0, M)[None, :, None]
    kk = tl.arange(0, K)
    n = tl.arange(0, N)[None, None, :]
    x = tl.load(a + z * M * K + m * K + kk[None, None, :])
    y = tl.load(b + z * K * N + kk[None, :, None] * N + n)
    r = tl.dot(x, y)
    r = tl.dot(r.to(x.dtype), tl.permute(r, (0, 2, 1)).to(x.dtype))
    tl.store(c + z * M * M + m * M + tl.arange(0, M)[None, None, :], r)


@triton.jit
def int8_dot(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, STEPS):
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    k = tl.arange(0, K)
    acc = tl.zeros((M, N), tl.int32)
    for s in range(STEPS):
        x = tl.load(a + m[:, None] * K * STEPS + s * K + k[None, :])
        y = tl.load(b + n[None, :] * K * STEPS + s * K + k[:, None])
        acc = tl.dot(x, y, acc, out_dtype=tl.int32)
    tl.store(c + m[:, None] * N + n[None, :], acc)
