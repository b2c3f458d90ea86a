"""graph_timer.py: times of recorded graphs on a GPU, by events, with the L2 cache overwritten before. Used by library_against_peers.py and peer_calls.py."""
import torch


class Timer:

    def __init__(self, cache):
        self.cache, self.stream = cache, torch.cuda.Stream()

    def record(self, call):
        """A graph of one call."""
        self.warm(call)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=self.stream):
            call()
        return graph.replay

    def warm(self, call):
        with torch.cuda.stream(self.stream):
            for _ in range(3):
                call()
            self.stream.synchronize()
        return call

    def once(self, replay):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        with torch.cuda.stream(self.stream):
            self.cache.zero_()
            start.record()
            replay()
            end.record()
        end.synchronize()
        return start.elapsed_time(end) * 1e-3
