// Atomic.td: read-modify-write of memory that other programs use too.
include "dialect/ops/Base.td"

def AtomicRmwOp : TileOp<"atomic_rmw", [Atomic, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "combine with memory where the mask is true; gives the values from before";
  let arguments = (ins RmwKindAttr:$kind, MemSemAttr:$sem, MemScopeAttr:$scope, PtrLike:$ptr, AnyType:$value, Optional<MaskLike>:$mask);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{ $kind $sem $scope $ptr `,` $value (`mask` $mask^ `:` type($mask))? attr-dict `:` type($ptr) `,` type($value) `->` type($result) }];
  let hasVerifier = 1;
}

def AtomicCasOp : TileOp<"atomic_cas", [Atomic, WaitsForOthers, AllTypesMatch<["expected", "value", "result"]>, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "store `value` where memory equals `expected`; gives the values from before";
  let arguments = (ins MemSemAttr:$sem, MemScopeAttr:$scope, PtrLike:$ptr, AnyType:$expected, AnyType:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$sem $scope $ptr `,` $expected `,` $value attr-dict `:` type($ptr) `,` type($value)";
  let hasVerifier = 1;
}

def AtomicPollOp : TileOp<"atomic_poll", [Atomic, WaitsForOthers, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "wait until memory equals `expected`, at most `timeout` ns; gives whether it did";
  let arguments = (ins MemSemAttr:$sem, MemScopeAttr:$scope, PtrLike:$ptr, AnyType:$expected, Optional<I64>:$timeout);
  let results = (outs I1:$result);
  let assemblyFormat = "$sem $scope $ptr `,` $expected (`timeout` $timeout^)? attr-dict `:` type($ptr) `,` type($expected)";
  let hasVerifier = 1;
}
