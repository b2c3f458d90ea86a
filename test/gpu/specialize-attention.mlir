// RUN: nereid-opt %S/Inputs/attention.mlir -warp-specialize-attention="target=sm_90a warps=8 stages=2" | FileCheck %s
// RUN: nereid-opt %S/Inputs/attention.mlir -warp-specialize-attention="target=sm_90a warps=4 stages=2" | FileCheck %s --check-prefix=FOUR
// RUN: nereid-opt %S/Inputs/attention-by-pointers.mlir -warp-specialize-attention="target=sm_90a warps=8 stages=2" | FileCheck %s --check-prefix=ROWS
// RUN: nereid-opt %S/Inputs/attention-by-pointers.mlir -warp-specialize-attention="target=sm_90a warps=8 stages=2" -warp-verify-flight -o /dev/null
// RUN: sed 's/%other = arith.constant dense<0.0>/%other = arith.constant dense<1.0>/' %S/Inputs/attention-by-pointers.mlir | nereid-opt -warp-specialize-attention="target=sm_90a warps=8 stages=2" | FileCheck %s --check-prefix=WHOLE
// RUN: sed 's/arith.cmpi slt, %rows/arith.cmpi ne, %rows/' %S/Inputs/attention-by-pointers.mlir | nereid-opt -warp-specialize-attention="target=sm_90a warps=8 stages=2" | FileCheck %s --check-prefix=WHOLE
// RUN: sed 's/= arith.muli %rows, .*:/= arith.muli %rows, %rows :/' %S/Inputs/attention-by-pointers.mlir | nereid-opt -warp-specialize-attention="target=sm_90a warps=8 stages=2" | FileCheck %s --check-prefix=WHOLE
// RUN: sed 's/tile.splat %results/tile.splat %values/' %S/Inputs/attention-by-pointers.mlir | nereid-opt -warp-specialize-attention="target=sm_90a warps=8 stages=2" | FileCheck %s --check-prefix=WHOLE

// Slots for keys and slots for values, each with its own barriers.
// CHECK: %[[K:.*]] = warp.alloc
// CHECK: %[[KFULL:.*]] = warp.make_barriers 1 : <2>
// CHECK: %[[KEMPTY:.*]] = warp.make_barriers 8 : <2>
// CHECK: %[[V:.*]] = warp.alloc
// CHECK: %[[VFULL:.*]] = warp.make_barriers 1 : <2>
// CHECK: warp.specialize producer {
// CHECK: warp.copy_block {{.*}} %[[K]], %[[KFULL]]
// CHECK: warp.copy_block {{.*}} %[[V]], %[[VFULL]]
// CHECK: } consumer {
// CHECK: warp.wait_phase %[[KFULL]]
// CHECK: warp.read %[[K]]
// CHECK: tile.dot
// CHECK: warp.arrive %[[KEMPTY]]
// CHECK: warp.wait_phase %[[VFULL]]
// CHECK: tile.dot
// CHECK: warp.lag
// FOUR-NOT: warp.specialize

// Rows that lie a stride apart, by all threads of the producer: it loads the number of the block, and zeros are behind the last key.
// ROWS: %[[K:.*]] = warp.alloc
// ROWS: %[[KFULL:.*]] = warp.make_barriers 128 : <2>
// ROWS: %[[V:.*]] = warp.alloc
// ROWS: %[[VFULL:.*]] = warp.make_barriers 128 : <2>
// ROWS: warp.specialize producer {
// ROWS: %[[BLOCK:.*]] = tile.load {{.*}} -> i32
// ROWS: %[[FIRST:.*]] = arith.muli %[[BLOCK]], %{{.*}} : i32
// ROWS: %[[OFFSET:.*]] = arith.muli %[[FIRST]], %[[STRIDE:.*]] : i32
// ROWS: %[[POINTER:.*]] = tile.addptr %{{.*}}, %[[OFFSET]]
// ROWS: %[[COUNT:.*]] = arith.subi {{.*}} : i64
// ROWS: warp.copy_rows %[[POINTER]] stride {{.*}}, %[[K]][{{.*}}] count %[[COUNT]] :
// ROWS-NEXT: warp.arrive_copies %[[KFULL]]
// ROWS: warp.copy_rows {{.*}}, %[[V]][{{[^ ]*}}] :
// ROWS-NEXT: warp.arrive_copies %[[VFULL]]
// ROWS: } consumer {
// ROWS: warp.wait_phase %[[KFULL]][{{.*}}]
// ROWS: warp.read %[[K]]
// ROWS: tile.dot
// ROWS: warp.wait_phase %[[VFULL]][{{.*}}]
// ROWS: tile.dot
// Another value than zero, a mask that is no length, addresses that are no rows, memory that the kernel changes.
// WHOLE-NOT: warp.specialize
