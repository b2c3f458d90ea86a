#include "runtime/cpu/Faults.h"

#include <signal.h>
#include <ucontext.h>

#include <mutex>

namespace nereid::cpu {

constinit thread_local KernelFrame *currentFrame = nullptr;

static constexpr int kSignals[] = {SIGSEGV, SIGBUS};
static struct sigaction formerActions[2];

static void leaveKernel(const KernelFrame &frame, const siginfo_t &info, ucontext_t &context) {
  Fault &fault = *frame.fault;
  fault.hasHappened = true;
  fault.hasAddress = info.si_code != SI_KERNEL;
  fault.address = reinterpret_cast<uintptr_t>(info.si_addr);
  auto stack = reinterpret_cast<uintptr_t>(frame.stack), exit = reinterpret_cast<uintptr_t>(&nereid_leave);
#if defined(__x86_64__)
  greg_t *registers = context.uc_mcontext.gregs;
  constexpr greg_t kWrites = 2; // of a page fault's error code
  fault.instruction = uint64_t(registers[REG_RIP]);
  fault.isWrite = (registers[REG_ERR] & kWrites) != 0;
  registers[REG_RSP] = greg_t(stack);
  registers[REG_RIP] = greg_t(exit);
#else
  fault.instruction = context.uc_mcontext.pc;
  context.uc_mcontext.sp = stack;
  context.uc_mcontext.pc = exit;
#endif
}

// What would have happened without us.
static void passOn(int signal, siginfo_t *info, void *context) {
  struct sigaction &former = formerActions[signal == SIGSEGV ? 0 : 1];
  if (former.sa_flags & SA_SIGINFO)
    return former.sa_sigaction(signal, info, context);
  if (former.sa_handler != SIG_DFL && former.sa_handler != SIG_IGN)
    return former.sa_handler(signal);
  // The instruction runs again and ends the process; a signal that was sent is sent again.
  sigaction(signal, &former, nullptr);
  if (info->si_code <= 0)
    raise(signal);
}

static void onSignal(int signal, siginfo_t *info, void *context) {
  if (currentFrame && info->si_code > 0) // not one that somebody sent
    leaveKernel(*currentFrame, *info, *static_cast<ucontext_t *>(context));
  else
    passOn(signal, info, context);
}

static std::mutex handlersLock;
static unsigned handlersWanted = 0;
// Somebody has put a handler over ours since: it stays where it is, for theirs may call it.
static bool isBuried = false;

FaultHandlers::FaultHandlers() {
  std::lock_guard guard(handlersLock);
  if (handlersWanted++ || isBuried)
    return;
  struct sigaction action = {};
  action.sa_sigaction = onSignal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < 2; ++i)
    sigaction(kSignals[i], &action, &formerActions[i]);
}

FaultHandlers::~FaultHandlers() {
  std::lock_guard guard(handlersLock);
  if (--handlersWanted || isBuried)
    return;
  struct sigaction now[2];
  for (int i = 0; i < 2; ++i) {
    sigaction(kSignals[i], nullptr, &now[i]);
    isBuried |= !(now[i].sa_flags & SA_SIGINFO) || now[i].sa_sigaction != onSignal;
  }
  for (int i = 0; i < 2 && !isBuried; ++i)
    sigaction(kSignals[i], &formerActions[i], nullptr);
}

} // namespace nereid::cpu
