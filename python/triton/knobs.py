"""The settings of Triton that people have in their scripts, by name and by environment variable.

Those that steer Triton's own compiler (its passes, ptxas, AMD) are kept so that code which sets them runs; they change
nothing here.
"""
import os

from ._knob_types import (TRUE_WORDS, Env, HookChain, NvidiaTool, base_knobs, env, env_base, env_bool, env_class,  # noqa: F401
                          env_int, env_nvidia_tool, env_opt_bool, env_opt_str, env_str, env_str_callable_default,
                          getenv, getenv_bool, setenv, toenv)

# Whether setting a knob also sets its environment variable.
propagate_env = True


class CompileTimes:
    """What one compilation took, in microseconds; `lowering_stages` is a list of (stage, time)."""

    def __init__(self, ir_initialization, lowering_stages, store_results):
        self.ir_initialization = ir_initialization
        self.lowering_stages = lowering_stages
        self.store_results = store_results

    @property
    def total_lowering(self):
        return sum(time for _, time in self.lowering_stages)

    @property
    def total(self):
        return self.ir_initialization + self.total_lowering + self.store_results


class build_knobs(base_knobs):
    cc = env_opt_str("CC")
    cudacrt_path = env_opt_str("TRITON_CUDACRT_PATH")
    cudart_path = env_opt_str("TRITON_CUDART_PATH")
    impl = None

    @property
    def backend_dirs(self):
        return {path for path in (self.cudacrt_path, self.cudart_path) if path is not None}


class redis_knobs(base_knobs):
    key_format = env_str("TRITON_REDIS_KEY_FORMAT", "triton:{key}:{filename}")
    host = env_str("TRITON_REDIS_HOST", "localhost")
    port = env_int("TRITON_REDIS_PORT", 6379)


def _triton_folder(name):
    return lambda: cache.get_triton_dir(name)


class cache_knobs(base_knobs):
    home_dir = env_str("TRITON_HOME", os.path.expanduser("~/"))
    dir = env_str_callable_default("TRITON_CACHE_DIR", _triton_folder("cache"))
    dump_dir = env_str_callable_default("TRITON_DUMP_DIR", _triton_folder("dump"))
    override_dir = env_str_callable_default("TRITON_OVERRIDE_DIR", _triton_folder("override"))
    manager_class = env_class("TRITON_CACHE_MANAGER", "CacheManager")
    remote_manager_class = env_class("TRITON_REMOTE_CACHE_BACKEND", "RemoteCacheBackend")

    def get_triton_dir(self, dirname):
        return os.path.join(self.home_dir, ".triton", dirname)


class compilation_knobs(base_knobs):
    override = env_bool("TRITON_KERNEL_OVERRIDE")
    dump_ir = env_bool("TRITON_KERNEL_DUMP")
    dump_ir_extract_di_local_variables = env_bool("LLVM_EXTRACT_DI_LOCAL_VARIABLES")
    store_binary_only = env_bool("TRITON_STORE_BINARY_ONLY")
    always_compile = env_bool("TRITON_ALWAYS_COMPILE")
    use_ir_loc = env_opt_str("USE_IR_LOC")
    enable_asan = env_bool("TRITON_ENABLE_ASAN")
    disable_line_info = env_bool("TRITON_DISABLE_LINE_INFO")
    front_end_debugging = env_bool("TRITON_FRONT_END_DEBUGGING")
    allow_non_constexpr_globals = env_bool("TRITON_ALLOW_NON_CONSTEXPR_GLOBALS")
    instrumentation_mode = getenv("TRITON_INSTRUMENTATION_MODE", "")
    listener = None


class autotuning_knobs(base_knobs):
    cache = env_bool("TRITON_CACHE_AUTOTUNING")
    print = env_bool("TRITON_PRINT_AUTOTUNING")
    # Called after each tuning: listener(fn=, key=, best_config=, configs_timings=, duration=, cache_hit=).
    listener = None


class runtime_knobs(base_knobs):
    interpret = env_bool("TRITON_INTERPRET")
    debug = getenv_bool("TRITON_DEBUG", False)  # read once: every launch asks for it
    override_arch = env_opt_str("TRITON_OVERRIDE_ARCH")

    launch_enter_hook = HookChain()
    launch_exit_hook = HookChain(reversed=True)
    kernel_load_start_hook = HookChain()
    kernel_load_end_hook = HookChain(reversed=True)
    jit_cache_hook = None
    jit_post_compile_hook = None
    add_stages_inspection_hook = None


class language_knobs(base_knobs):
    fp32_default = env_opt_str("TRITON_F32_DEFAULT")
    default_fp_fusion = env_bool("TRITON_DEFAULT_FP_FUSION", True)
    any_extent = False  # ours: tiles may have extents that are no powers of two, which Triton refuses


class nvidia_knobs(base_knobs):
    cuobjdump = env_nvidia_tool("cuobjdump")
    nvdisasm = env_nvidia_tool("nvdisasm")
    ptxas = env_nvidia_tool("ptxas")
    ptxas_blackwell = env_nvidia_tool("ptxas-blackwell")
    dump_nvptx = env_bool("NVPTX_ENABLE_DUMP")
    disable_ptxas_opt = env_bool("DISABLE_PTXAS_OPT")
    ptxas_options = env_opt_str("PTXAS_OPTIONS")
    mock_ptx_version = env_opt_str("TRITON_MOCK_PTX_VERSION")
    dump_ptxas_log = env_bool("TRITON_DUMP_PTXAS_LOG")
    libdevice_path = env_opt_str("TRITON_LIBDEVICE_PATH")
    libcuda_path = env_opt_str("TRITON_LIBCUDA_PATH")


class amd_knobs(base_knobs):
    use_buffer_ops = env_bool("AMDGCN_USE_BUFFER_OPS", True)
    use_buffer_atomics = env_bool("AMDGCN_USE_BUFFER_ATOMICS", True)
    buffer_ops_analyze_small_tensor_range = env_bool("AMDGCN_ANALYZE_SMALL_TENSOR_RANGE")
    dump_amdgcn = env_bool("AMDGCN_ENABLE_DUMP")
    libhip_path = env_opt_str("TRITON_LIBHIP_PATH")
    use_block_pingpong = env_opt_bool("TRITON_HIP_USE_BLOCK_PINGPONG")
    use_in_thread_transpose = env_opt_bool("TRITON_HIP_USE_IN_THREAD_TRANSPOSE")
    use_async_copy = env_bool("TRITON_HIP_USE_ASYNC_COPY")
    scalarize_packed_fops = env_bool("AMDGCN_SCALARIZE_PACKED_FOPS")


class proton_knobs(base_knobs):
    disable = env_bool("TRITON_PROTON_DISABLE")
    cupti_lib_dir = env_str("TRITON_CUPTI_LIB_PATH",
                            os.path.join(os.path.dirname(__file__), "backends", "nvidia", "lib", "cupti"))
    enable_nvtx = env_bool("TRITON_ENABLE_NVTX", True)


build, redis, cache, compilation = build_knobs(), redis_knobs(), cache_knobs(), compilation_knobs()
autotuning, runtime, language = autotuning_knobs(), runtime_knobs(), language_knobs()
nvidia, amd, proton = nvidia_knobs(), amd_knobs(), proton_knobs()


def refresh_knobs():
    """Reads again what is read only once."""
    runtime.debug = getenv_bool("TRITON_DEBUG", False)
    compilation.instrumentation_mode = getenv("TRITON_INSTRUMENTATION_MODE", "")
