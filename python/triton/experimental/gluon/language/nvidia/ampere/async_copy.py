"""Asynchronous copies from global to shared memory."""
from ......language._builtin import define_functions

define_functions(globals(), """
async_copy_global_to_shared(smem, pointer, mask=None, cache_modifier="", eviction_policy="", volatile=False) | Copy in.
mbarrier_arrive(mbarrier, increment_count=True) | Arrive at a barrier when the copies so far are done.
commit_group() | Close a group of copies.
wait_group(num_outstanding=0) | Wait for groups of copies.
""")
