#include "runtime/cpu/Enter.h"

#if defined(__x86_64__)

#include "runtime/cpu/Features.h"

// What XSAVE saves for nereid_look, and how much room it takes; 0: only SSE's registers are there, which FXSAVE saves.
extern "C" {
__attribute__((visibility("hidden"))) uint64_t nereid_saved_registers = nereid::cpu::vectorRegistersSavedHere();
__attribute__((visibility("hidden"))) uint64_t nereid_saved_bytes = nereid::cpu::bytesToSave(nereid_saved_registers);
}

asm(R"(
  .text
  .p2align 4
  .globl nereid_enter
  .hidden nereid_enter
  .type nereid_enter, @function
nereid_enter:
  .cfi_startproc
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  pushq %rbx
  .cfi_def_cfa_offset 24
  .cfi_offset %rbx, -24
  pushq %r12
  .cfi_def_cfa_offset 32
  .cfi_offset %r12, -32
  pushq %r13
  .cfi_def_cfa_offset 40
  .cfi_offset %r13, -40
  pushq %r14
  .cfi_def_cfa_offset 48
  .cfi_offset %r14, -48
  pushq %r15
  .cfi_def_cfa_offset 56
  .cfi_offset %r15, -56
  subq $8, %rsp
  .cfi_def_cfa_offset 64
  movq 64(%rsp), %rax
  movq %rsp, (%rax)
  movq %rdi, %rax
  movq %rsi, %rdi
  movq %rdx, %rsi
  movq %rcx, %rdx
  movq %r8, %rcx
  movq %r9, %r8
  callq *%rax
  movl $1, %eax
.Lnereid_return:
  .cfi_remember_state
  addq $8, %rsp
  .cfi_def_cfa_offset 56
  popq %r15
  .cfi_def_cfa_offset 48
  popq %r14
  .cfi_def_cfa_offset 40
  popq %r13
  .cfi_def_cfa_offset 32
  popq %r12
  .cfi_def_cfa_offset 24
  popq %rbx
  .cfi_def_cfa_offset 16
  popq %rbp
  .cfi_def_cfa_offset 8
  retq
  .globl nereid_leave
  .hidden nereid_leave
  .type nereid_leave, @function
nereid_leave:
  .cfi_restore_state
  cld
  xorl %eax, %eax
  jmp .Lnereid_return
  .cfi_endproc
  .size nereid_enter, .-nereid_enter

  .p2align 4
  .globl nereid_look
  .hidden nereid_look
  .type nereid_look, @function
nereid_look:
  .cfi_startproc
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  pushq %rax
  pushq %rcx
  pushq %rdx
  pushq %r8
  pushq %r9
  pushq %r10
  pushq %r11
  subq nereid_saved_bytes(%rip), %rsp
  andq $-64, %rsp
  movq nereid_saved_registers(%rip), %rax
  testl %eax, %eax
  je .Lnereid_save_sse
  # XRSTOR wants zeros in the header's reserved words.
  movq $0, 512(%rsp)
  movq $0, 520(%rsp)
  movq $0, 528(%rsp)
  movq $0, 536(%rsp)
  movq $0, 544(%rsp)
  movq $0, 552(%rsp)
  movq $0, 560(%rsp)
  movq $0, 568(%rsp)
  xorl %edx, %edx
  xsave64 (%rsp)
  callq nereid_look_here
  testq %rax, %rax
  jne .Lnereid_end
  movq nereid_saved_registers(%rip), %rax
  xorl %edx, %edx
  xrstor64 (%rsp)
  jmp .Lnereid_looked
.Lnereid_save_sse:
  fxsave64 (%rsp)
  callq nereid_look_here
  testq %rax, %rax
  jne .Lnereid_end
  fxrstor64 (%rsp)
.Lnereid_looked:
  leaq -56(%rbp), %rsp
  popq %r11
  popq %r10
  popq %r9
  popq %r8
  popq %rdx
  popq %rcx
  popq %rax
  .cfi_remember_state
  popq %rbp
  .cfi_def_cfa %rsp, 8
  retq
.Lnereid_end:
  .cfi_restore_state
  movq %rax, %rsp
  jmp nereid_leave
  .cfi_endproc
  .size nereid_look, .-nereid_look
)");

#elif defined(__aarch64__)

asm(R"(
  .text
  .p2align 4
  .globl nereid_enter
  .hidden nereid_enter
  .type nereid_enter, %function
nereid_enter:
  .cfi_startproc
  stp x29, x30, [sp, #-160]!
  .cfi_def_cfa_offset 160
  .cfi_offset x29, -160
  .cfi_offset x30, -152
  stp x19, x20, [sp, #16]
  stp x21, x22, [sp, #32]
  stp x23, x24, [sp, #48]
  stp x25, x26, [sp, #64]
  stp x27, x28, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x29, sp
  mov x9, sp
  str x9, [x6]
  mov x9, x0
  mov x0, x1
  mov x1, x2
  mov x2, x3
  mov x3, x4
  mov x4, x5
  blr x9
  mov w0, #1
.Lnereid_return:
  ldp x19, x20, [sp, #16]
  ldp x21, x22, [sp, #32]
  ldp x23, x24, [sp, #48]
  ldp x25, x26, [sp, #64]
  ldp x27, x28, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  ldp x29, x30, [sp], #160
  ret
  .globl nereid_leave
  .hidden nereid_leave
  .type nereid_leave, %function
nereid_leave:
  mov w0, #0
  b .Lnereid_return
  .cfi_endproc
  .size nereid_enter, .-nereid_enter

  .globl nereid_look
  .hidden nereid_look
  .type nereid_look, %function
nereid_look:
  .cfi_startproc
  stp x29, x30, [sp, #-16]!
  .cfi_def_cfa_offset 16
  .cfi_offset x29, -16
  .cfi_offset x30, -8
  bl nereid_look_here
  cbnz x0, .Lnereid_end
  .cfi_remember_state
  ldp x29, x30, [sp], #16
  .cfi_def_cfa_offset 0
  ret
.Lnereid_end:
  .cfi_restore_state
  mov sp, x0
  b nereid_leave
  .cfi_endproc
  .size nereid_look, .-nereid_look
)");

#else
#error "compiled kernels run on x86-64 and aarch64"
#endif
