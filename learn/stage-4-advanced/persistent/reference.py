"""Turns are dealt by walking over groups, columns and rows in order; elements one after the other."""
import triton
import triton.language as tl


@triton.jit
def scheduled_product(a_ptr, b_ptr, c_ptr, turn_ptr, M, N, K, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    if tl.program_id(0) == 0:
        tiles_m = tl.cdiv(M, BLOCK)
        tiles_n = tl.cdiv(N, BLOCK)
        turn = 0
        for group in range(tl.cdiv(tiles_m, GROUP)):
            for tile_n in range(tiles_n):
                for tile_m in range(group * GROUP, tl.minimum(tiles_m, group * GROUP + GROUP)):
                    tl.store(turn_ptr + tile_m * tiles_n + tile_n, turn)
                    turn += 1
        for i in range(M * N):
            total = tl.load(a_ptr) * 0.0
            for k in range(K):
                total += tl.load(a_ptr + i // N * K + k) * tl.load(b_ptr + k * N + i % N)
            tl.store(c_ptr + i, total)
