"""philox_reference.py: the Philox generators of Salmon, Moraes, Dror and Shaw (SC 2011), in plain integers."""

PARAMETERS = {32: ((0xD2511F53, 0xCD9E8D57), (0x9E3779B9, 0xBB67AE85)),
              64: ((0xD2E7470EE14C6C93, 0xCA5A826395121157), (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B))}


def philox(counter, key, bits=32, rounds=10):
    """Four words of the block cipher for a counter of four words and a key of two."""
    (multiplier0, multiplier1), (weyl0, weyl1) = PARAMETERS[bits]
    mask = (1 << bits) - 1
    c, (k0, k1) = list(counter), key
    for _ in range(rounds):
        product0, product1 = multiplier0 * c[0], multiplier1 * c[2]
        c = [(product1 >> bits) ^ c[1] ^ k0, product1 & mask, (product0 >> bits) ^ c[3] ^ k1, product0 & mask]
        k0, k1 = (k0 + weyl0) & mask, (k1 + weyl1) & mask
    return c


# The known answers that the authors publish with their library (Random123, kat_vectors).
assert philox([0] * 4, [0] * 2) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
assert philox([0xFFFFFFFF] * 4, [0xFFFFFFFF] * 2) == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]
assert philox([0] * 4, [0] * 2, 64) == [0x16554D9ECA36314C, 0xDB20FE9D672D0FDC, 0xD7E772CEE186176B, 0x7E68B68AEC7BA23B]
