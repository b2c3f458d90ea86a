"""Copies through descriptors: those of Hopper, and rows by their indices."""
from ......language._builtin import define_functions
from ..hopper.tma import (async_copy_global_to_shared, async_copy_shared_to_global, make_tensor_descriptor,  # noqa: F401
                          store_wait, tensor_descriptor, tensor_descriptor_type)

define_functions(globals(), """
async_gather(tensor_desc, x_offsets, y_offset, barrier, result, pred=True) | Copy rows in.
async_scatter(tensor_desc, x_offsets, y_offset, src) | Copy rows out.
""")
