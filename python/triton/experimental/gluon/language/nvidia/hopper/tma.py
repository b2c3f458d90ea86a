"""Copies between global and shared memory through descriptors."""
from ......language._builtin import define_functions
from ......language._tensor import tensor_descriptor, tensor_descriptor_type  # noqa: F401

define_functions(globals(), """
async_copy_global_to_shared(tensor_desc, coord, barrier, result, pred=True) | Copy in.
async_copy_shared_to_global(tensor_desc, coord, src) | Copy out.
store_wait(pendings) | Wait for copies out.
make_tensor_descriptor(base, shape, strides, block_shape, layout, padding_option="zero") | Make a descriptor.
""")
