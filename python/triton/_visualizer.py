"""`import triton_viz` where triton-viz is not installed: nereid's answer to it. The last one of all finders, so that an installed one comes first."""
import sys
from importlib.machinery import ModuleSpec


class VisualizerFinder:
    """Finds `triton_viz` and its modules, and loads them."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        return ModuleSpec(name, VisualizerFinder) if name in ("triton_viz", "triton_viz.interpreter") else None

    @staticmethod
    def create_module(spec):
        from nereid import visualizer
        if spec.name != "triton_viz":
            return sys.modules["triton_viz"].interpreter
        return visualizer.modules()["triton_viz"]

    @staticmethod
    def exec_module(module):
        """It is whole already."""


def answer_visualizer():
    sys.meta_path.append(VisualizerFinder)
