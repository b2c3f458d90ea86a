#!/usr/bin/env bash
# cuda_first_run.sh: does a machine with an NVIDIA GPU work, and what do starting, compiling and launching cost there? Needs
# the one binary and the kernel files, no toolkit and no Python; under two minutes. The table comes last.
# usage: bench/cuda_first_run.sh [NEREID]     (build/portable/nereid, else build/bin/nereid)
set -u
cd "$(dirname "$0")/.."
nereid=${1:-build/portable/nereid}
[ -x "$nereid" ] || nereid=build/bin/nereid
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export NEREID_CACHE_DIR=$work/cache
rows=()
failed=0

row() { rows+=("$(printf '%-44s %-9s %s' "$1" "$2" "$3")"); }
milliseconds() { echo $(($(date +%s%N) / 1000000)); }
number() { sed -n "s/.*\"$1\": *\\([0-9.e+-]*\\).*/\\1/p" "$2" | head -1 | awk '{ printf "%.4g", $1 }'; }

# check NAME ARGUMENT…: the same result as the interpreter's, and how long the whole process took on the GPU alone.
check() {
  local name=$1 begin end status
  shift
  begin=$(milliseconds)
  timeout 60 "$nereid" run "$@" --device cuda --json >"$work/out" 2>"$work/err"
  status=$?
  end=$(milliseconds)
  if [ $status -eq 0 ]; then
    timeout 60 "$nereid" run "$@" --device cuda --against interp >"$work/compare" 2>>"$work/err"
    status=$?
  fi
  if [ $status -eq 0 ]; then
    row "$name" right "$((end - begin)) ms for the process, compile $(number compile_milliseconds "$work/out") ms, registers $(number registers "$work/out"), local $(number local_bytes "$work/out"); $(tail -1 "$work/compare")"
  else
    failed=1
    row "$name" "FAILED $status" "$(head -1 "$work/err")"
    echo "--- $name"; cat "$work/err"
  fi
}

# measure NAME ARGUMENT…: times on the device, and the share of the measured copy rate.
measure() {
  local name=$1
  shift
  if timeout 60 "$nereid" bench "$@" --device cuda --seconds 0.2 --json >"$work/out" 2>"$work/err"; then
    row "$name" measured "$(number median_seconds "$work/out") s, $(number gigabytes_per_second "$work/out") GB/s, copy $(number copy_gigabytes_per_second "$work/out") GB/s, share $(number share "$work/out")"
  else
    failed=1
    row "$name" FAILED "$(head -1 "$work/err")"
    echo "--- $name"; cat "$work/err"
  fi
}

echo "== nereid info"
"$nereid" info || failed=1

add="examples/vector_add.py x_ptr=randn:f32[98432] y_ptr=randn:f32[98432] out_ptr=zeros:f32[98432] n=98432 BLOCK=1024 --grid cdiv(n,BLOCK)"
softmax="examples/softmax.py out_ptr=zeros:f32[1823,781] in_ptr=randn:f32[1823,781] row_stride=781 columns=781 BLOCK=1024 --grid 1823"
check "add, empty cache" $add
check "add, warm cache" $add
check "softmax 1823x781, empty cache" $softmax
check "softmax 1823x781, warm cache" $softmax
check "softmax, 8 warps" $softmax --num-warps 8
check "sum of rows (reduce)" kernels/reduce/reduce.py:reduce_rows x_ptr=randn:f32[64,1000] out_ptr=zeros:f32[64] x_row_stride=1000 n_columns=1000 "KIND='sum'" BLOCK=1024 --grid 64
# Without ptxas the driver assembles: the same answer must come out.
export NEREID_CACHE_DIR=$work/driver PATH_BEFORE=$PATH
PATH=/usr/bin:/bin HOME=/nonexistent VIRTUAL_ENV= CONDA_PREFIX= check "add, assembled as found without a toolkit" $add
export NEREID_CACHE_DIR=$work/cache PATH=$PATH_BEFORE

big="examples/vector_add.py x_ptr=empty:f32[67108864] y_ptr=empty:f32[67108864] out_ptr=empty:f32[67108864] n=67108864 BLOCK=1024 --grid cdiv(n,BLOCK)"
measure "add 2^26, in a graph" $big
measure "add 2^26, cache flushed" $big --flush
measure "softmax 4096x4096, cache flushed" examples/softmax.py out_ptr=empty:f32[4096,4096] in_ptr=empty:f32[4096,4096] row_stride=4096 columns=4096 BLOCK=4096 --grid 4096 --num-warps 8 --flush

if timeout 60 "$nereid" bench examples/vector_add.py x_ptr=randn:f32[1024] y_ptr=randn:f32[1024] out_ptr=zeros:f32[1024] n=1024 BLOCK=1024 --grid 1 --device cuda --seconds 0.05 --launch-cost --json >"$work/out" 2>"$work/err"; then
  row "one launch, host time" measured "driver $(number driver "$work/out") us, from words $(number from_words "$work/out") us, from arguments $(number from_arguments "$work/out") us (at most 0.5 us above the driver's)"
else
  failed=1
  row "one launch, host time" FAILED "$(head -1 "$work/err")"
fi

# A kernel that leaves its memory: it must be named, and the advice given.
cat >"$work/wild.py" <<'KERNEL'
import triton
import triton.language as tl


@triton.jit
def wild(x, offset):
    tl.store(x + offset.to(tl.int64) * 1048576, 1.0)
KERNEL
"$nereid" run "$work/wild.py" x=zeros:f32[8] offset=1000000000 --grid 1 --device cuda >"$work/out" 2>"$work/err"
status=$?
if [ $status -eq 1 ] && grep -q "wild.*failed on the GPU" "$work/err" && grep -q "nereid check" "$work/err"; then
  row "an illegal address" right "$(head -1 "$work/err")"
else
  failed=1
  row "an illegal address" "FAILED $status" "$(head -1 "$work/err")"
fi

echo
echo "== $(date -u +%F), $("$nereid" version | head -1), $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -1)"
printf '%s\n' "${rows[@]}"
exit $failed
