// Enter.h: the call of a kernel's entry, with a way back from any place inside of it. In assembly, because no C++ may
// stand between what saves the registers and what restores them.
#pragma once

#include "runtime/cpu/Kernel.h"

extern "C" {
// Saves the registers that a function must keep, notes the stack pointer in `stack`, and calls. True: the entry has
// returned.
__attribute__((visibility("hidden"))) bool nereid_enter(nereid::cpu::Entry entry, const uint64_t *arguments,
                                                        nereid::cpu::LaunchState *state, uint64_t first, uint64_t last,
                                                        std::byte *scratch, void **stack);
// Where a handler goes, with the stack pointer as it was noted: nereid_enter returns false.
__attribute__((visibility("hidden"))) void nereid_leave();
}
