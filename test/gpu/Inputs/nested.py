import triton
import triton.language as tl


@triton.jit
def nested(x, n, B: tl.constexpr):
    """Loops in loops, each turn of which may read what the turn before has stored."""
    i = tl.arange(0, B)
    for i0 in range(n):
      for i1 in range(n):
        for i2 in range(n):
          for i3 in range(n):
            for i4 in range(n):
              for i5 in range(n):
                for i6 in range(n):
                  for i7 in range(n):
                    for i8 in range(n):
                      for i9 in range(n):
                        for i10 in range(n):
                          for i11 in range(n):
                            for i12 in range(n):
                              for i13 in range(n):
                                for i14 in range(n):
                                  for i15 in range(n):
                                    for i16 in range(n):
                                      for i17 in range(n):
                                        for i18 in range(n):
                                          for i19 in range(n):
                                            for i20 in range(n):
                                              for i21 in range(n):
                                                for i22 in range(n):
                                                  for i23 in range(n):
                                                    for i24 in range(n):
                                                      for i25 in range(n):
                                                        for i26 in range(n):
                                                          for i27 in range(n):
                                                            for i28 in range(n):
                                                              for i29 in range(n):
                                                                tl.store(x + i + i0, tl.load(x + i + i29) + 1)


@triton.jit
def branches(x, n, B: tl.constexpr):
    """Many branches, one after the other."""
    i = tl.arange(0, B)
    v = tl.load(x + i)
    for k in tl.static_range(500):
        if n > k:
            v += tl.load(x + i + k)
            tl.store(x + i + k, v)
        else:
            v *= k
    tl.store(x + i, v)
