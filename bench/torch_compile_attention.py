"""torch_compile_attention.py: FlexAttention by published rules, at a size that counts: what Inductor writes for scores and masks that are functions. `CASES` is for
torch_compile_against_triton.py (`--kinds attention`) and corpus_against_triton.py (`--inductor --only FlexAttention`)."""
import torch

from torch_compile_functions import Case

BATCH, HEADS, LENGTH, ODD = 4, 16, 4096, 4003


def slopes():
    return torch.exp2(-8.0 * torch.arange(1, HEADS + 1, device="cuda") / HEADS)


def documents(length):
    return torch.arange(length, device="cuda") // 517


# Each gives (score_mod, mask_mod) for rows of this length; None where there is none.
def plain(length):
    return None, None


def causal(length):
    return None, lambda b, h, q, k: q >= k


def window(length):
    return None, lambda b, h, q, k: (q >= k) & (q - k < 1024)


def prefix(length):
    return None, lambda b, h, q, k: (k < 512) | (q >= k)


def of_documents(length):
    places = documents(length)
    return None, lambda b, h, q, k: (q >= k) & (places[q] == places[k])


def neighbourhood(length):
    return None, lambda b, h, q, k: ((q // 64 - k // 64).abs() <= 6) & ((q % 64 - k % 64).abs() <= 6)


def dilated(length):
    return None, lambda b, h, q, k: (q >= k) & ((q - k) % 4 == 0)


def bias_by_distance(length):
    return lambda s, b, h, q, k: s + (q - k), None


def slopes_by_head(length):
    by_head = slopes()
    return lambda s, b, h, q, k: s + by_head[h] * (k - q), lambda b, h, q, k: q >= k


def softcap(length):
    return lambda s, b, h, q, k: 20.0 * torch.tanh(s / 20.0), None


def softcap_causal(length):
    return lambda s, b, h, q, k: 20.0 * torch.tanh(s / 20.0), lambda b, h, q, k: q >= k


def table_of_biases(length):
    table = torch.randn(HEADS, 2 * length, device="cuda", dtype=torch.bfloat16)
    return lambda s, b, h, q, k: s + table[h, q - k + length], None


def made(rule, width, length=LENGTH, shared=1, grad=False):
    """What makes (function, arguments): heads of `width`, `shared` of the queries' to one of keys and values."""

    def make():
        from torch.nn.attention.flex_attention import create_block_mask, flex_attention
        score, mask = rule(length)
        blocks = mask and create_block_mask(mask, None, None, length, length)
        heads = [torch.randn(BATCH, count, length, width, device="cuda", dtype=torch.bfloat16, requires_grad=grad) for count in (HEADS, HEADS // shared, HEADS // shared)]
        return lambda q, k, v: flex_attention(q, k, v, score_mod=score, block_mask=blocks, enable_gqa=shared > 1), tuple(heads)

    return make


RULES = {"no mask": plain, "causal": causal, "window of 1024": window, "prefix of 512": prefix, "documents": of_documents, "neighbourhood": neighbourhood,
         "every fourth key": dilated, "bias by distance": bias_by_distance, "slopes by head": slopes_by_head, "tanh of scores": softcap,
         "tanh of scores, causal": softcap_causal, "table of biases": table_of_biases}  # yapf: disable
CASES = [
    *(Case(f"FlexAttention {name}, heads of {width}", made(rule, width)) for width in (64, 128) for name, rule in RULES.items()),
    *(Case(f"FlexAttention {name}, {ODD} keys, heads of {width}", made(rule, width, ODD)) for width in (64, 128) for name, rule in list(RULES.items())[:2]),
    *(Case(f"FlexAttention causal, four queries to a key, heads of {width}", made(causal, width, shared=4)) for width in (64, 128)),
    *(Case(f"FlexAttention {name}, training, heads of {width}", made(RULES[name], width, grad=True), grad=True) for width in (64, 128)
      for name in ("no mask", "causal", "slopes by head", "tanh of scores, causal", "documents")),
]  # yapf: disable
