// OldStart.c: programs that are linked against an old C library start as they did with it: until 2.34 the program itself ran the
// constructors of its objects, through a function that it gave to the library, and today's start code gives none. The library has
// taken either, ever since.
typedef void (*Constructor)(int, char **, char **);
extern Constructor __preinit_array_start[] __attribute__((visibility("hidden")));
extern Constructor __preinit_array_end[] __attribute__((visibility("hidden")));
extern Constructor __init_array_start[] __attribute__((visibility("hidden")));
extern Constructor __init_array_end[] __attribute__((visibility("hidden")));
extern void _init(void);

int __real___libc_start_main(int (*main)(int, char **, char **), int count, char **words, Constructor construct,
                             void (*destruct)(void), void (*unload)(void), void *stack);

static void construct(int count, char **words, char **environment) {
  for (Constructor *each = __preinit_array_start; each != __preinit_array_end; ++each)
    (*each)(count, words, environment);
  _init();
  for (Constructor *each = __init_array_start; each != __init_array_end; ++each)
    (*each)(count, words, environment);
}

// The linker puts this before the library's function (--wrap).
int __wrap___libc_start_main(int (*main)(int, char **, char **), int count, char **words, Constructor none,
                             void (*destruct)(void), void (*unload)(void), void *stack) {
  (void)none;
  return __real___libc_start_main(main, count, words, construct, destruct, unload, stack);
}
