"""corpus_sources.py: where the kernels of corpus_against_triton.py come from. A source lists its items by name and runs one of them with a
recorder (kernel_times.py) that measures what it launches."""
import contextlib
import glob
import os
import sys
import types


class TritonBench:
    """thunlp/TritonBench: every kernel of TritonBench-G with the middle one of its own benchmark's inputs."""
    together = 1  # items that may share a process

    def __init__(self, checkout):
        self.checkout = os.path.abspath(checkout)
        self.folder = os.path.join(self.checkout, "performance_metrics", "perf_G")

    def items(self):
        return [os.path.basename(path).removesuffix("_perf.py") for path in sorted(glob.glob(os.path.join(self.folder, "golden_metrics", "*_perf.py")))]

    def metrics(self, name, recorder):
        """What its benchmark is made of: inputs, the call, and its bytes and operations."""
        package = types.ModuleType("TritonBench_v1")
        package.__path__ = [os.path.join(self.checkout, "data", "TritonBench_G_v1")]
        sys.modules["TritonBench_v1"] = package
        sys.path.insert(0, self.folder)
        # Its file runs the kernel's own test too, whose result is a global.
        metrics = load("perf", os.path.join(self.folder, "golden_metrics", name + "_perf.py"), recorder)
        recorder.values = getattr(sys.modules.get(f"TritonBench_v1.{name}"), "result_gold", None)
        return metrics.performance_metrics()

    def run(self, name, recorder):
        metrics = self.metrics(name, recorder)
        with recorder.alone():
            call_operator(metrics, recorder)


class Written:
    """What language models wrote for the functions of TritonBench-T (`OPERATOR@MODEL.py`, a program each), with the middle one of its benchmark's inputs."""
    together = 1

    def __init__(self, folder, checkout):
        self.folder, self.metrics = os.path.abspath(folder), os.path.join(os.path.abspath(checkout), "performance_metrics", "perf_T")

    def items(self):
        return [os.path.basename(path).removesuffix(".py") for path in sorted(glob.glob(os.path.join(self.folder, "*@*.py")))]

    def run(self, name, recorder):
        operator = name.split("@")[0]
        program = load(f"TorchBench_v1.{operator}", os.path.join(self.folder, name + ".py"), recorder)
        recorder.values = [value for key, value in vars(program).items() if key.startswith("test_results")]
        sys.path.insert(0, self.metrics)
        metrics = load("perf", os.path.join(self.metrics, "golden_metrics", operator + "_perf.py"), recorder)
        with recorder.alone():
            call_operator(metrics.performance_metrics(), recorder)


def call_operator(metrics, recorder):
    """What a benchmark of TritonBench measures, with the middle one of its inputs."""
    import torch
    inputs = middle_inputs(metrics)
    with torch.device("cuda"), recorder.on():
        metrics.call_op(inputs)
        torch.cuda.synchronize()


def middle_inputs(metrics):
    import torch
    with torch.device("cuda"):
        metrics.get_input_tensors()
        inputs = metrics.to_cuda(metrics.input_tensors[len(metrics.input_tensors) // 2])
    metrics.input_tensors = []
    return inputs


def load(name, path, recorder):
    """A file as a module of this name, run while programs make themselves ready."""
    import importlib.util
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    with recorder.compiling():
        spec.loader.exec_module(module)
    return module


class Inductor:
    """What torch.compile writes for the functions and models of torch_compile_against_triton.py, each kernel with the first of its configurations."""
    together = 1

    def cases(self):
        import torch_compile_attention
        import torch_compile_functions
        import torch_compile_models
        return {case.name: case for file in (torch_compile_functions, torch_compile_models, torch_compile_attention) for case in file.CASES}

    def items(self):
        return list(self.cases())

    def run(self, name, recorder):
        import torch
        from kernel_times import record, record_compilation
        from torch_compile_cases import step
        from torch._inductor.runtime.triton_heuristics import CachingAutotuner
        record(CachingAutotuner, recorder)
        if not recorder.must_time:
            record_compilation(CachingAutotuner, recorder)
        self.take_first_configuration(CachingAutotuner)
        torch._inductor.config.compile_threads = 1  # workers would compile all configurations
        case = self.cases()[name]
        if case.options:  # what a search found while everything compiled at once is no choice: it searches again when it is alone
            torch._inductor.config.fx_graph_cache = torch._inductor.config.autotune_local_cache = False
        function, arguments = case.make()
        parameters = getattr(function, "parameters", [])
        compiled = torch.compile(function, fullgraph=True, dynamic=case.dynamic, **({"options": case.options} if case.options else {}))
        # A search over whole templates looks at times: nothing else may run.
        with recorder.alone() if case.options else contextlib.nullcontext():
            step(compiled, arguments, parameters, case.grad)
        with recorder.alone(), recorder.on():
            step(compiled, arguments, parameters, case.grad)
            torch.cuda.synchronize()

    def take_first_configuration(self, autotuner):
        init = autotuner.__init__

        def with_first(self, fn, triton_meta, configs, *args, **kwargs):
            init(self, fn, triton_meta, configs[:1], *args, **kwargs)

        autotuner.__init__ = with_first


def sources(options):
    """The sources that were asked for, by the word that stands before their items."""
    found = {}
    if options.tritonbench:
        found["tritonbench"] = TritonBench(options.tritonbench)
    if options.written:
        found["written"] = Written(options.written, options.metrics)
    if options.inductor:
        found["inductor"] = Inductor()
    if options.libraries:
        from library_calls import Libraries
        found["libraries"] = Libraries(options.libraries)
    if options.projects:
        from project_calls import Projects
        found["projects"] = Projects(options.projects)
    return found
