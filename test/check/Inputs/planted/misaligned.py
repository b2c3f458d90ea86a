"""Planted bugs: accesses at addresses that are no multiple of the element's size. The comments are explained in
out_of_bounds_masks.py."""
import triton
import triton.language as tl


# check: x=arange:i8[64] y=zeros:i32[1] --grid 1
@triton.jit
def word_at_an_odd_byte(x, y):
    word = tl.load((x + 1).to(tl.pointer_type(tl.int32)))  # bug: misaligned
    tl.store(y, word)


# check: x=zeros:i16[64] --grid 1
@triton.jit
def word_stored_between_halves(x):
    tl.store((x + 3).to(tl.pointer_type(tl.int32)), 7)  # bug: misaligned  # also: unwritten


# check: x=randn:f32[64] y=zeros:f32[1] --grid 1
@triton.jit
def integer_address_off_by_two(x, y):
    address = x.to(tl.int64) + 2
    value = tl.load(address.to(tl.pointer_type(tl.float32)))  # bug: misaligned
    tl.store(y, value)


# check: x=zeros:i8[64] --grid 1
@triton.jit
def atomic_at_an_odd_byte(x):
    tl.atomic_add((x + 2).to(tl.pointer_type(tl.int32)), 1)  # bug: misaligned


# check: x=randn:f32[64] y=zeros:f64[16] --grid 1
@triton.jit
def doubles_from_the_second_float(x, y):
    i = tl.arange(0, 16)
    value = tl.load((x + 1).to(tl.pointer_type(tl.float64)) + i)  # bug: misaligned
    tl.store(y + i, value)


# check: x=arange:i8[64] y=zeros:i16[16] --grid 1
@triton.jit
def packed_records_of_three_bytes(x, y):
    i = tl.arange(0, 16)
    value = tl.load((x + 3 * i).to(tl.pointer_type(tl.int16)))  # bug: misaligned
    tl.store(y + i, value)


# check: x=zeros:u8[128] --grid 1
@triton.jit
def long_words_after_a_header(x):
    header = 4
    i = tl.arange(0, 8)
    body = (x + header).to(tl.pointer_type(tl.int64))
    tl.store(body + i, i.to(tl.int64))  # bug: misaligned  # also: unwritten
