// Queries of attention stay in registers where rows come by pointers and little is computed of each score; else tensor cores read them from
// shared memory.
// RUN: nereid-opt %S/Inputs/attention-by-pointers.mlir -warp-specialize-attention="target=sm_90a warps=8 stages=2" -warp-stage-operands="target=sm_90a warps=8" | FileCheck %s
// CHECK: } consumer {
// CHECK: %[[Q:.*]] = tile.load
// CHECK-NOT: warp.store
// CHECK: tile.dot %[[Q]]

// RUN: sed 's/%%e = math.exp2 %%s : tensor<128x128xf32>/%%u = math.sin %%s : tensor<128x128xf32> loc(unknown) %%v = math.cos %%u : tensor<128x128xf32> loc(unknown) %%w = math.tanh %%v : tensor<128x128xf32> loc(unknown) %%x1 = math.sqrt %%w : tensor<128x128xf32> loc(unknown) %%e = math.exp2 %%x1 : tensor<128x128xf32>/' %S/Inputs/attention-by-pointers.mlir | nereid-opt -warp-specialize-attention="target=sm_90a warps=8 stages=2" -warp-stage-operands="target=sm_90a warps=8" | FileCheck %s --check-prefix MUCH
// MUCH: } consumer {
// MUCH: %[[Q:.*]] = tile.load
// MUCH: warp.store %[[Q]]

// Blocks that TMA brings leave shared memory time enough.
// RUN: nereid-opt %S/Inputs/attention.mlir -warp-specialize-attention="target=sm_90a warps=8 stages=2" -warp-stage-operands="target=sm_90a warps=8" | FileCheck %s --check-prefix BLOCKS
// BLOCKS: } consumer {
// BLOCKS: warp.store
