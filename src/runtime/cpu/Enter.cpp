#include "runtime/cpu/Enter.h"

#if defined(__x86_64__)

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
)");

#else
#error "compiled kernels run on x86-64 and aarch64"
#endif
