// Ops.td: all families, for the generator.
include "dialect/ops/Memory.td"
include "dialect/ops/Shape.td"
include "dialect/ops/Elementwise.td"
include "dialect/ops/Reduce.td"
include "dialect/ops/Dot.td"
include "dialect/ops/Atomic.td"
include "dialect/ops/Debug.td"
