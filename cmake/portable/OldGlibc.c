// OldGlibc.c: functions that the C library has only since 2.29 or later, and that LLVM, the C++ library or we use, made of
// those that 2.28 has. Linked into the portable binaries alone; nothing outside of them sees these.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

// Says that there may be other threads: atomics stay atomic. Since 2.32.
char __libc_single_threaded = 0;

// Since 2.33; before, `stat` and the like were inline calls of these. 1: the layout of `struct stat` on x86-64.
int __xstat(int layout, const char *path, struct stat *result);
int __lxstat(int layout, const char *path, struct stat *result);
int __fxstat(int layout, int file, struct stat *result);
int __fxstatat(int layout, int folder, const char *path, struct stat *result, int flags);

int stat(const char *restrict path, struct stat *restrict result) { return __xstat(1, path, result); }
int lstat(const char *restrict path, struct stat *restrict result) { return __lxstat(1, path, result); }
int fstat(int file, struct stat *result) { return __fxstat(1, file, result); }
int fstatat(int folder, const char *restrict path, struct stat *restrict result, int flags) {
  return __fxstatat(1, folder, path, result, flags);
}

// On x86-64 the names for large files mean the same.
int stat64(const char *restrict path, struct stat64 *restrict result) { return stat(path, (struct stat *)result); }
int lstat64(const char *restrict path, struct stat64 *restrict result) { return lstat(path, (struct stat *)result); }
int fstat64(int file, struct stat64 *result) { return fstat(file, (struct stat *)result); }
int fstatat64(int folder, const char *restrict path, struct stat64 *restrict result, int flags) {
  return fstatat(folder, path, (struct stat *)result, flags);
}

// Since 2.33; the older one counts in 32 bits.
struct mallinfo2 mallinfo2(void) {
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
  struct mallinfo narrow = mallinfo();
  return (struct mallinfo2){.arena = (unsigned)narrow.arena,
                            .ordblks = (unsigned)narrow.ordblks,
                            .smblks = (unsigned)narrow.smblks,
                            .hblks = (unsigned)narrow.hblks,
                            .hblkhd = (unsigned)narrow.hblkhd,
                            .usmblks = (unsigned)narrow.usmblks,
                            .fsmblks = (unsigned)narrow.fsmblks,
                            .uordblks = (unsigned)narrow.uordblks,
                            .fordblks = (unsigned)narrow.fordblks,
                            .keepcost = (unsigned)narrow.keepcost};
}

// Since 2.36. The kernel is asked until it answers: only at boot there is no random number.
uint32_t arc4random(void) {
  uint32_t number = 0;
  while (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
    if (errno != EINTR)
      abort();
  return number;
}

// Since 2.30. A deadline of another clock becomes one of the wall clock; when somebody sets that clock, the wait ends early or
// late, and those who call this look at their own clock again.
int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *deadline) {
  if (clock == CLOCK_REALTIME)
    return pthread_cond_timedwait(condition, mutex, deadline);
  const int64_t second = 1000000000;
  struct timespec now, wall;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &wall);
  int64_t left = (deadline->tv_sec - now.tv_sec) * second + (deadline->tv_nsec - now.tv_nsec);
  int64_t at = wall.tv_nsec + (left > 0 ? left : 0);
  struct timespec until = {wall.tv_sec + at / second, at % second};
  return pthread_cond_timedwait(condition, mutex, &until);
}

// Since 2.38, whose headers mean these by `strtol` and the like: they also read 0b101. The old functions have other names here,
// because those headers would rename them too.
long oldStrtol(const char *text, char **end, int base) __asm__("strtol");
long long oldStrtoll(const char *text, char **end, int base) __asm__("strtoll");
unsigned long oldStrtoul(const char *text, char **end, int base) __asm__("strtoul");
unsigned long long oldStrtoull(const char *text, char **end, int base) __asm__("strtoull");
int oldVsscanf(const char *text, const char *format, va_list results) __asm__("vsscanf");

long __isoc23_strtol(const char *text, char **end, int base) { return oldStrtol(text, end, base); }
long long __isoc23_strtoll(const char *text, char **end, int base) { return oldStrtoll(text, end, base); }
unsigned long __isoc23_strtoul(const char *text, char **end, int base) { return oldStrtoul(text, end, base); }
unsigned long long __isoc23_strtoull(const char *text, char **end, int base) { return oldStrtoull(text, end, base); }
int __isoc23_sscanf(const char *text, const char *format, ...) {
  va_list results;
  va_start(results, format);
  int count = oldVsscanf(text, format, results);
  va_end(results);
  return count;
}

struct Search {
  uintptr_t address;
  struct dl_find_object *result;
};

static int lookAt(struct dl_phdr_info *object, size_t size, void *data) {
  (void)size;
  struct Search *search = data;
  uintptr_t begin = UINTPTR_MAX, end = 0;
  const void *frames = NULL;
  int isInside = 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    uintptr_t from = object->dlpi_addr + part->p_vaddr, to = from + part->p_memsz;
    if (part->p_type == PT_GNU_EH_FRAME)
      frames = (const void *)from;
    if (part->p_type != PT_LOAD)
      continue;
    begin = from < begin ? from : begin;
    end = to > end ? to : end;
    isInside |= from <= search->address && search->address < to;
  }
  if (!isInside || !frames)
    return 0;
  search->result->dlfo_map_start = (void *)begin;
  search->result->dlfo_map_end = (void *)end;
  search->result->dlfo_eh_frame = (void *)frames;
  return 1;
}

// Since 2.35: where the tables for exceptions of the code at an address lie. The unwinder asks for nothing else.
int _dl_find_object(void *address, struct dl_find_object *result) {
  struct Search search = {(uintptr_t)address, result};
  *result = (struct dl_find_object){0};
  return dl_iterate_phdr(lookAt, &search) == 1 ? 0 : -1;
}
