import triton
import triton.language as tl


@tl.core._aggregate
class Box:
    value: tl.tensor

    def __init__(self, value):
        self.value = value

    @staticmethod
    def of(value):
        return Box(value)

    def doubled(self, _semantic=None):
        return tl.add(self.value, self.value, _semantic=_semantic)

    @triton.jit
    def twice(self):
        return self.doubled() + self.value


@triton.jit
def calls(out, n):
    box = Box.of(n)
    tl.store(out, box.twice())


@triton.jit
def stores(out, n):
    box = Box.of(n)
    tl.store(out, box.value)
    box.value = n
