/* runtime.h: what a header made by `nereid compile --emit header` needs from libnereid-rt, the run-time library without a
 * compiler. Programs call the typed functions of those headers, and nereid_rt_last_error() when one does not return 0. */
#ifndef NEREID_RUNTIME_H
#define NEREID_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NEREID_RT_ABI_VERSION 4

/* 0 fine, 1 a device_assert failed (or a scalar was divided by zero, memory was touched that belongs to nobody, …), 2 an
 * argument is wrong, 3 the environment failed, 4 the launch was ended before its time. */
typedef int32_t nereid_rt_status;

/* The text of this thread's last failure. */
__attribute__((visibility("default"))) const char *nereid_rt_last_error(void);
/* How many threads a launch uses from now on; 0: all cores, as in the beginning. */
__attribute__((visibility("default"))) void nereid_rt_set_threads(uint32_t threads);

/* Launches end with status 4 after so many seconds; 0: never, as in the beginning. */
__attribute__((visibility("default"))) void nereid_rt_set_timeout(double seconds);
/* Ends all launches that run now, from another thread or a signal handler. */
__attribute__((visibility("default"))) void nereid_rt_interrupt(void);

/* The rest is for generated headers. */

typedef struct nereid_rt_state nereid_rt_state;
typedef void (*nereid_rt_entry)(const uint64_t *arguments, nereid_rt_state *state, uint64_t first, uint64_t last,
                                void *scratch);

typedef struct nereid_rt_value {
  const char *type; /* "i32", "f16", "ptr", … */
  uint32_t rank;
  const int64_t *shape;
} nereid_rt_value;

/* A place in the kernel's source that can print or fail. */
typedef struct nereid_rt_site {
  uint32_t kind; /* 0 print, 1 assertion, 2 division by zero, 3 a wait, 4 a loop, 5 a scope for profilers */
  uint32_t is_hex;
  const char *text;
  const char *file;
  uint32_t line, column, end_column;
  uint32_t value_count;
  const nereid_rt_value *values;
} nereid_rt_site;

enum { NEREID_RT_ORDER_SENSITIVE = 1, NEREID_RT_TILE_REGISTERS = 2, NEREID_RT_WAITS = 4 };

typedef struct nereid_rt_kernel {
  uint32_t version; /* NEREID_RT_ABI_VERSION of the header */
  uint32_t flags;
  const char *name;
  const char *features; /* of the CPU, as LLVM names them, with commas between */
  nereid_rt_entry entry;
  uint64_t scratch_bytes;
  uint32_t argument_count, site_count;
  const nereid_rt_site *sites;
  void *handle; /* NULL; the library's own from the first launch on */
} nereid_rt_kernel;

__attribute__((visibility("default"))) nereid_rt_status nereid_rt_launch(nereid_rt_kernel *kernel,
                                                                         const uint64_t *arguments, uint32_t grid_x,
                                                                         uint32_t grid_y, uint32_t grid_z);
/* An argument is not what the kernel was compiled for: "`n` must be divisible by 16". */
__attribute__((visibility("default"))) nereid_rt_status nereid_rt_refuse(const nereid_rt_kernel *kernel,
                                                                         const char *argument, const char *problem);
/* The bits of a number in a narrow float type: "f16", "bf16", "fp8e5", … */
__attribute__((visibility("default"))) uint64_t nereid_rt_narrow(const char *type, float value);

static inline uint64_t nereid_rt_pointer(const void *value) { return (uint64_t)(uintptr_t)value; }
static inline uint64_t nereid_rt_float(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}
static inline uint64_t nereid_rt_double(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}

#ifdef __cplusplus
}
#endif

#endif
