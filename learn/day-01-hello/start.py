"""Day 1: every program writes the square of its number, out[p] = p * p.

The grader launches it with 8 programs, then with other numbers of them."""
import triton
import triton.language as tl


@triton.jit
def squares(out_ptr):
    program = tl.program_id(0)
    # YOUR CODE: store the square of `program` in element `program` of out_ptr
