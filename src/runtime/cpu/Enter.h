// Enter.h: the call of a kernel's entry, with a way back from any place inside of it, and the call out of a loop. In
// assembly, because no C++ may stand between what saves the registers and what restores them.
#pragma once

#include "runtime/cpu/Kernel.h"

extern "C" {
// Saves the registers that a function must keep, notes the stack pointer in `stack`, and calls. True: the entry has
// returned.
__attribute__((visibility("hidden"))) bool nereid_enter(nereid::cpu::Entry entry, const uint64_t *arguments,
                                                        nereid::cpu::LaunchState *state, uint64_t first, uint64_t last,
                                                        std::byte *scratch, void **stack);
// Where a handler or a look goes, with the stack pointer as it was noted: nereid_enter returns false.
__attribute__((visibility("hidden"))) void nereid_leave();
// LaunchState::look: asks nereid_look_here, and leaves the entry where that says so. On x86-64 it keeps every register but those of its
// arguments, whatever the stack's alignment: what a loop holds in registers need not leave them for a call that is hardly ever made.
__attribute__((visibility("hidden"))) void nereid_look(nereid::cpu::LaunchState *state, uint32_t site);
// The run time's answer, in C++: null, or the stack pointer for nereid_leave.
__attribute__((visibility("hidden"))) void *nereid_look_here(nereid::cpu::LaunchState *state, uint32_t site);
}
