"""What programs reach of the interpreter: with TRITON_INTERPRET=1 kernels run in nereid's library, or as Python (see `_interpreter`)."""
from ._interpreter.builder import InterpreterBuilder, InterpreterOptions, interpreter_builder  # noqa: F401
from ._interpreter import hooks as _hooks  # noqa: F401 (what is there before others change it)
from ._interpreter.executor import (GridExecutor, InterpretedFunction, _implicit_cvt, _LangPatchScope,  # noqa: F401
                                    _MISSING, _patch_builtin, _patch_lang, _patch_lang_core, _patch_lang_tensor, _rewrap_tensor,
                                    _tuple_create, _unwrap_tensor)
from ._interpreter.handle import (BlockPointerHandle, TensorDescHandle, TensorHandle, _get_np_dtype,  # noqa: F401
                                  _get_signed_np_dtype, _validate_np_data_size)
from ._interpreter.rewriter import ASTTransformer, FunctionRewriter  # noqa: F401
from ._interpreter.semantic import interpreter_semantic  # noqa: F401
from .errors import InterpreterError  # noqa: F401

# Options of a launch that are no parameters of a kernel.
RESERVED_KWS = ["num_warps", "num_stages", "num_ctas", "enable_fp_fusion", "grid", "maxnreg", "debug", "sanitize_overflow", "warmup"]
