/* nereid.h: the C interface. Handles are opaque, structs carry their size, and names are never reused, so that a program
 * built against an older header goes on working. Nothing throws or aborts on a user's mistake: a call returns a status,
 * and nereid_last_error() holds the text. Handles may be used from any thread, one launch of a module at a time. */
#ifndef NEREID_H
#define NEREID_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define NEREID_EXPORT __declspec(dllexport)
#else
#define NEREID_EXPORT __attribute__((visibility("default")))
#endif

#define NEREID_ABI_VERSION 1

typedef enum nereid_status {
  NEREID_OK = 0,
  NEREID_CHECK_FAILED = 1, /* the kernel ran and a check found something */
  NEREID_BAD_INPUT = 2,    /* a mistake in the kernel, an argument or an option */
  NEREID_ENVIRONMENT = 3,  /* a file, a device or memory is missing */
  NEREID_INTERRUPTED = 4,  /* the launch was ended before its time: by its timeout, or by nereid_interrupt */
  NEREID_INTERNAL = 5      /* a bug of Nereid: the text of the error names a file with all that shows it again */
} nereid_status;

typedef enum nereid_dtype {
  /* clang-format off */
  NEREID_INT1, NEREID_INT8, NEREID_INT16, NEREID_INT32, NEREID_INT64,
  NEREID_UINT8, NEREID_UINT16, NEREID_UINT32, NEREID_UINT64,
  NEREID_FP8E4NV, NEREID_FP8E5, NEREID_FP8E4B8, NEREID_FP8E5B16, NEREID_FP8E4B15,
  NEREID_FP16, NEREID_BF16, NEREID_FP32, NEREID_FP64
  /* clang-format on */
} nereid_dtype;

typedef struct nereid_module nereid_module;
typedef struct nereid_kernel nereid_kernel;

/* A strided array in host memory, or (for `cuda`) in that of a GPU: memory of the host is copied there and back. Strides count elements; NULL means contiguous, the last axis fastest. */
typedef struct nereid_tensor {
  void *data;
  int32_t dtype; /* nereid_dtype */
  int32_t rank;
  const int64_t *shape;
  const int64_t *strides;
} nereid_tensor;

typedef enum nereid_argument_kind {
  NEREID_NONE,
  NEREID_INT,
  NEREID_UINT, /* an integer over the range of int64_t */
  NEREID_FLOAT,
  NEREID_BOOL,
  NEREID_STRING,
  NEREID_TENSOR,
  NEREID_DESCRIPTOR, /* a tensor descriptor: `tensor`, and the block shape in `items` as integers */
  NEREID_TUPLE,      /* `items` */
  NEREID_EXPRESSION /* `string` is a Python expression over the names of the kernel's module: tl.float16, my_function */
} nereid_argument_kind;

typedef struct nereid_argument {
  const char *name; /* NULL: by position, before all named ones */
  int32_t kind;     /* nereid_argument_kind */
  int32_t item_count;
  int64_t integer; /* NEREID_INT, NEREID_UINT (as bits), NEREID_BOOL */
  double number;   /* NEREID_FLOAT */
  const char *string;
  nereid_tensor tensor;
  const struct nereid_argument *items;
} nereid_argument;

typedef struct nereid_launch_options {
  uint32_t size;               /* sizeof(nereid_launch_options) */
  int32_t check;               /* not 0: run under the checker; findings make the status NEREID_CHECK_FAILED */
  int64_t grid[3];             /* how many programs along each axis; 1 where there is one: {n, 1, 1}. The last is not 0,
                                  which C fills {n} up with: that is an error, and {0, 1, 1} runs nothing */
  const char *grid_expression; /* instead of `grid`: Python over the arguments, `cdiv(n, BLOCK)`, or a lambda */
  const char *device;          /* "cpu", "interp", "cuda", "cuda:1"; NULL: NEREID_DEVICE, or the default */
  int32_t num_warps, num_stages, num_ctas; /* 0: the default, or what the kernel's configuration says */
  int32_t threads;                         /* 0: as many as there are cores */
  int32_t shuffle;                         /* not 0: programs run in a random order that shuffle_seed decides */
  int32_t debug;                           /* not 0: device_assert is on, as with TRITON_DEBUG=1 */
  uint64_t shuffle_seed;
  const nereid_tensor *reachable; /* memory that the kernel reaches through addresses stored in its tensors */
  int32_t reachable_count;
  int32_t asynchronous; /* cuda, not 0: only put the kernel into the stream. All tensors are then on the GPU; a kernel's
                           failure shows in a later call, or in nereid_synchronize */
  void *stream;         /* cuda: a CUstream, as torch and the CUDA run time have them; NULL: the default stream */
  double timeout;       /* cpu and interp: the launch ends after so many seconds, with NEREID_INTERRUPTED; 0: never */
  int32_t strict_triton; /* not 0: extents of tiles that are no powers of two are errors, as in Triton */
} nereid_launch_options;

NEREID_EXPORT int32_t nereid_abi_version(void);
NEREID_EXPORT const char *nereid_version(void);

/* The text of this thread's last failure, and what device_print wrote in this thread's last launch. */
NEREID_EXPORT const char *nereid_last_error(void);
NEREID_EXPORT const char *nereid_last_output(void);

/* Loads a kernel file; nothing in it is executed. The second form takes the text itself, under a name for messages. */
NEREID_EXPORT nereid_status nereid_module_load(const char *path, nereid_module **module);
NEREID_EXPORT nereid_status nereid_module_parse(const char *name, const char *text, size_t length,
                                                nereid_module **module);
NEREID_EXPORT void nereid_module_free(nereid_module *module);
NEREID_EXPORT size_t nereid_module_kernel_count(const nereid_module *module);
NEREID_EXPORT const char *nereid_module_kernel_name(const nereid_module *module, size_t index);

/* Finds a kernel by name; a NULL name is the only kernel of the file. The module must outlive it. */
NEREID_EXPORT nereid_status nereid_module_kernel(nereid_module *module, const char *name, nereid_kernel **kernel);
NEREID_EXPORT void nereid_kernel_free(nereid_kernel *kernel);
NEREID_EXPORT const char *nereid_kernel_name(const nereid_kernel *kernel);
NEREID_EXPORT size_t nereid_kernel_parameter_count(const nereid_kernel *kernel);
NEREID_EXPORT const char *nereid_kernel_parameter_name(const nereid_kernel *kernel, size_t index);

/* Compiles where needed and runs; returns when the kernel has ended, unless the options say otherwise. */
NEREID_EXPORT nereid_status nereid_launch(nereid_kernel *kernel, const nereid_argument *arguments, size_t count,
                                          const nereid_launch_options *options);

/* Kernels by name, for the life of the process, so that an engine ships its own beside others. A file, or a text, is registered as
 * `name`; of a folder every kernel file in it and in its folders, as `name/FILE` without `.py`; tests (`…_oracle.py`) are left out. A
 * name is `NAME:KERNEL`, or NAME where the file has one kernel. A kernel that was found is not freed. */
NEREID_EXPORT nereid_status nereid_register(const char *name, const char *path);
NEREID_EXPORT nereid_status nereid_register_text(const char *name, const char *text, size_t length);
NEREID_EXPORT nereid_status nereid_find(const char *name, nereid_kernel **kernel);
NEREID_EXPORT nereid_status nereid_call(const char *name, const nereid_argument *arguments, size_t count,
                                        const nereid_launch_options *options);

/* Ends all launches that run in this process now, on the CPU and on the interpreter, with NEREID_INTERRUPTED. For other
 * threads and for signal handlers. */
NEREID_EXPORT void nereid_interrupt(void);

/* Compiles for these arguments and gives the text of one stage ("tile"); free it with nereid_string_free. */
NEREID_EXPORT nereid_status nereid_compile(nereid_kernel *kernel, const nereid_argument *arguments, size_t count,
                                           const nereid_launch_options *options, const char *stage, char **text);
NEREID_EXPORT void nereid_string_free(char *text);

/* What is counted, by name: "bytes_read", … */
NEREID_EXPORT size_t nereid_counter_count(void);
NEREID_EXPORT const char *nereid_counter_name(size_t index);

/* Runs the kernel on the interpreter and counts what it does. `totals` has room for one number for each counter, in the order of
 * the names; `json` becomes an object, as `nereid count --json` prints it: free it with nereid_string_free. One of the two may be
 * NULL, and `target` ("sm_90a", "cpu") and `device_row` ("H200"). */
NEREID_EXPORT nereid_status nereid_count(nereid_kernel *kernel, const nereid_argument *arguments, size_t count,
                                         const nereid_launch_options *options, const char *target,
                                         const char *device_row, uint64_t *totals, char **json);

/* Zeros in the memory of the host, at a multiple of 16, between two pages that nobody may touch: a kernel on the CPU that goes
 * past either end fails. Up to 15 bytes behind the end are not guarded. NULL when there is no memory. */
NEREID_EXPORT void *nereid_guarded_alloc(size_t bytes);
NEREID_EXPORT void nereid_guarded_free(void *memory, size_t bytes);

/* GPUs. `device` is "cuda" (the current one of this thread), "cuda:0", … */
typedef struct nereid_device_properties {
  uint32_t size; /* sizeof(nereid_device_properties), set by the caller */
  int32_t ordinal;
  char name[128];
  int32_t capability; /* 90: sm_90 */
  int32_t multiprocessors, warp_size, max_threads;
  uint64_t max_shared_bytes, l2_bytes, memory_bytes;
} nereid_device_properties;
NEREID_EXPORT nereid_status nereid_device_count(int32_t *count);
NEREID_EXPORT nereid_status nereid_device_query(const char *device, nereid_device_properties *properties);
/* Waits for everything on the GPU; a failed kernel shows here at the latest. */
NEREID_EXPORT nereid_status nereid_synchronize(const char *device);

/* Memory of a GPU, from a pool, in the order of a stream. */
NEREID_EXPORT nereid_status nereid_memory_alloc(const char *device, size_t bytes, void *stream, void **memory);
NEREID_EXPORT nereid_status nereid_memory_free(const char *device, void *memory, void *stream);
/* Between the host and a GPU, or within one, by where the addresses point. Waits, unless `asynchronous` is not 0. */
NEREID_EXPORT nereid_status nereid_memory_copy(const char *device, void *to, const void *from, size_t bytes,
                                               void *stream, int32_t asynchronous);
/* A stream that is freed ends its work; what would go into it afterwards is refused. */
NEREID_EXPORT nereid_status nereid_stream_create(const char *device, void **stream);
NEREID_EXPORT nereid_status nereid_stream_destroy(const char *device, void *stream);
NEREID_EXPORT nereid_status nereid_stream_synchronize(const char *device, void *stream);

/* Launches and copies that are recorded once and run again and again at the cost of one launch. From begin to end, both in one
 * thread, what goes into the stream (one of nereid_stream_create) is recorded and not run; launches are asynchronous then, their
 * kernels were compiled by an earlier launch, and addresses and numbers stay what they were. The memory outlives the graph. */
typedef struct nereid_graph nereid_graph;
NEREID_EXPORT nereid_status nereid_graph_begin(const char *device, void *stream);
NEREID_EXPORT nereid_status nereid_graph_end(const char *device, void *stream, nereid_graph **graph);
NEREID_EXPORT nereid_status nereid_graph_launch(nereid_graph *graph, void *stream);
NEREID_EXPORT void nereid_graph_free(nereid_graph *graph);

/* How kernels run best where. Tables in Markdown (`| kernel | when | configuration | from |`) have conditions on facts of the
 * device (gpu, capability, multiprocessors, shared, l2; cores) and of the problem, as `capability=90 dim<=64`, and what a launch takes
 * then; the first row that holds counts. A text that was added before is not added again. */
NEREID_EXPORT nereid_status nereid_configurations_add(const char *text, size_t length);
/* What tuning has kept on this machine for exactly this problem ("dim=64 causal=1"), else what the tables say: a text as
 * "BLOCK_M=64 num_warps=4", empty where nothing is known; free it with nereid_string_free. `is_kept`, if not NULL: which of the two. */
NEREID_EXPORT nereid_status nereid_configuration(const char *device, const char *kernel, const char *problem,
                                                 char **configuration, int32_t *is_kept);
NEREID_EXPORT nereid_status nereid_configuration_keep(const char *device, const char *kernel, const char *problem,
                                                      const char *configuration);
/* All that was kept, as a table. */
NEREID_EXPORT nereid_status nereid_configurations_kept(char **table);

/* Profiling: from begin to end every launch of the process is recorded, with its arguments, its times, and the code that was
 * made for it. A process that `nereid profile` has started is recorded from its start to its end, with or without these. */
NEREID_EXPORT nereid_status nereid_profile_begin(void);
NEREID_EXPORT nereid_status nereid_profile_end(void);
/* A part of this thread's work, under a name; launches and scopes in it are its children. Costs nothing where nobody profiles. */
NEREID_EXPORT nereid_status nereid_profile_scope_begin(const char *name);
NEREID_EXPORT nereid_status nereid_profile_scope_end(void);
/* What the last session has recorded, or the one that goes on: as a file, `….json` (a trace for Perfetto and Chrome) or `….html` (a
 * page), or as text: "table", "json" (sums), "records" (each of them). Free the text with nereid_string_free. */
NEREID_EXPORT nereid_status nereid_profile_write(const char *path);
NEREID_EXPORT nereid_status nereid_profile_text(const char *form, char **text);

#ifdef __cplusplus
}
#endif

#endif
