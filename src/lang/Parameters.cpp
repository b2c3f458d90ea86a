#include "lang/Parameters.h"

#include "lang/Catalogue.h"

#include <algorithm>

namespace nereid::lang {

namespace {

struct Row {
  std::string_view function; // "": of all that have the name
  std::string_view name, text;
};

// Rows of a function come before those of all.
constexpr Row kRows[] = {
    {"tl.load", "mask", "elements where it is false are not read"},
    {"tl.load", "other",
     "what elements behind the mask are; without it they are undefined, which `nereid check` finds"},
    {"tl.load", "cache_modifier",
     "\".ca\" all caches, \".cg\" the L2 cache alone, \".cs\" used once, \".cv\" never from a cache"},
    {"tl.load", "padding_option",
     "of a block pointer: what is outside of the tensor: \"zero\" or \"nan\"; without it undefined"},
    {"tl.store", "mask", "elements where it is false are not written"},
    {"tl.store", "cache_modifier",
     "\".wb\" written back later, \".cg\" the L2 cache alone, \".cs\" used once, \".wt\" through to memory"},
    {"tl.make_tensor_descriptor", "shape", "extents of the tensor in memory, one to five"},
    {"tl.make_tensor_descriptor", "strides", "in elements; the last one is 1"},
    {"tl.make_block_ptr", "offsets", "where the block begins, in elements"},
    {"tl.make_block_ptr", "order", "axes from the fastest one on: (1, 0) for rows that lie one after the other"},
    {"tl.make_block_ptr", "strides", "in elements"},
    {"tl.sort", "dim", "the last one, which is the default"},
    {"tl.topk", "dim", "the last one, which is the default"},
    {"tl.program_id", "axis", "of the grid: 0, 1 or 2"},
    {"tl.num_programs", "axis", "of the grid: 0, 1 or 2"},
    {"tl.gather", "axis", "along which `index` counts"},
    {"tl.dot_sparse", "values", "what is kept of the first operand, [M, K / 2]"},
    {"tl.dot_sparse", "places", "where it stands in its group of four: two bits each, lowest first"},
    {"triton.Config", "num_stages", "how many tiles of a loop are under way at a time on a GPU"},
    {"triton.Config", "pre_hook", "a function of the host that Python calls before a launch; not called elsewhere"},
    {"tl.static_range", "step", "a constant"},
    {"", "acc", "what the product is added to; its type is the result's"},
    {"", "allow_tf32", "older form of `input_precision`: True is \"tf32\", False \"ieee\""},
    {"", "approx", "a quotient of a few units in the last place is enough"},
    {"", "arg1", "where it begins; with nothing else where it ends, beginning at 0"},
    {"", "arg2", "where it ends; not included"},
    {"", "arg_type_symbol_dict", "names of functions by the tuple of the arguments' types"},
    {"", "asm", "its text, with $0, $1 … for results and then arguments"},
    {"", "axis", "along which; without it all elements"},
    {"", "base", "a pointer to the first element"},
    {"", "bitcast", "keep the bits and change what they mean; both types have one width"},
    {"", "block_shape", "extents of what one access moves"},
    {"", "boundary_check", "of a block pointer: axes along which it may reach beyond the tensor"},
    {"", "can_reorder", "whether another order of the elements is allowed"},
    {"", "cmp", "the value that is expected in memory"},
    {"", "combine_fn", "a jit function of two values (of two tuples for a tuple of tensors); it must be associative"},
    {"", "configs", "a list of `triton.Config`"},
    {"", "constraints", "\"=r,r,r\": results, then arguments, as LLVM has them"},
    {"", "descending", "the largest first"},
    {"", "disable_licm", "nothing is moved out of the loop"},
    {"", "disallow_acc_multi_buffer", "accepted, without effect"},
    {"", "dtype", "the element type: tl.float16, tl.int32 …"},
    {"", "eviction_policy", "\"evict_first\", \"evict_last\" or \"evict_normal\": how long a cache should keep it"},
    {"", "fast_math", "scales that are NaN need not be heeded"},
    {"", "flatten", "accepted: with specialized warps copies for the next tile start early anyway"},
    {"", "fp_downcast_rounding", "\"rtne\" to the nearest, even ones on a tie (the default), or \"rtz\" towards zero"},
    {"", "hex", "print integers in hexadecimal"},
    {"", "ieee_rounding", "quotients are rounded as IEEE 754 says"},
    {"", "input_precision",
     "of f32: \"tf32\", \"tf32x3\", \"bf16x3\", \"bf16x6\" or \"ieee\"; without it what the device does well: tf32 on "
     "a GPU, ieee elsewhere"},
    {"", "is_pure", "whether it may be left out where nobody uses the result"},
    {"", "keep_dims", "the axis stays, with one element"},
    {"", "key", "names of arguments: for other values of them configurations are tried again"},
    {"", "lhs_format", "\"e2m1\" (two elements in a byte), \"e4m3\", \"e5m2\", \"bf16\" or \"fp16\""},
    {"", "lhs_k_pack", "of \"e2m1\": the two elements of a byte are neighbours along K"},
    {"", "lhs_scale", "a power of two (e8m0) for each 32 elements along K; None: no scales"},
    {"", "loop_unroll_factor", "so many iterations become one; the rest runs behind"},
    {"", "mask", "elements where it is false are left out"},
    {"", "max_num_imprecise_acc", "of 8-bit floats: after so many products the tensor cores' sum is added in f32"},
    {"", "maxnreg", "at most so many registers a thread"},
    {"", "msg", "what is said when it does not hold"},
    {"", "n_rounds", "of the generator: fewer are faster and less random"},
    {"", "num_bins", "how many: a power of two"},
    {"", "num_ctas", "accepted: a program runs on one block"},
    {"", "num_stages", "how many tiles are under way at a time on a GPU; without it the launch's"},
    {"", "num_warps", "warps of a program on a GPU"},
    {"", "offset", "one number for each random number that is wanted"},
    {"", "offsets", "where the block begins in the tensor, in elements; one for each axis"},
    {"", "out_dtype", "the type of the result: f32 unless said, i32 for integers"},
    {"", "pack", "how many elements one run takes together"},
    {"", "padding_option", "what loads give outside of the tensor: \"zero\" or \"nan\""},
    {"", "pointer", "a pointer, or a tensor of them"},
    {"", "propagate_nan", "tl.PropagateNan.ALL: a NaN on either side is the result; NONE: the other side is"},
    {"", "prune_configs_by", "`early_config_prune`, or `perf_model` with `top_k`: fewer to try"},
    {"", "reset_to_zero", "names of tensors that are cleared before each trial"},
    {"", "restore_value", "names of tensors that are put back after each trial"},
    {"", "return_indices", "a pair: the value, and where it stands"},
    {"", "return_indices_tie_break_left", "of equal ones the first place"},
    {"", "reverse", "from the end to the beginning"},
    {"", "rhs_format", "as `lhs_format`"},
    {"", "rhs_k_pack", "as `lhs_k_pack`"},
    {"", "rhs_scale", "as `lhs_scale`"},
    {"", "sanitize_overflow", "whether overflow is looked for where that is on"},
    {"", "scope", "who sees the order: \"gpu\" (the default), \"cta\" or \"sys\""},
    {"", "seed", "one number; the same one gives the same random numbers"},
    {"", "sem", "order with other accesses: \"acq_rel\" (the default), \"acquire\", \"release\" or \"relaxed\""},
    {"", "shape", "extents"},
    {"", "step", "how far it goes on each time; downwards where it is a constant below 0"},
    {"", "strides", "in elements"},
    {"", "tie_break_left", "of equal ones the first place"},
    {"", "timeout_ns", "how long it waits at most, in nanoseconds"},
    {"", "trans_a", "the first operand is transposed"},
    {"", "trans_b", "the second operand is transposed"},
    {"", "volatile", "read each time, never kept from an earlier load"},
    {"", "warp_specialize", "copies are asked for by warps of their own, where the loop has a form that allows it"},
    {"", "x_offsets", "numbers of rows"},
    {"", "y_offset", "the first column"},
};

// dot(input, other, acc=None, *args): the names.
std::vector<std::string_view> namesIn(std::string_view signature) {
  std::vector<std::string_view> names;
  size_t at = signature.find('('), depth = 0;
  bool isName = true;
  for (size_t begin = at + 1, i = begin; at != signature.npos && i < signature.size(); ++i) {
    char c = signature[i];
    if (isName && (c == ',' || c == '=' || c == ')') && !depth) {
      std::string_view name = signature.substr(begin, i - begin);
      name.remove_prefix(std::min(name.find_first_not_of(" *"), name.size()));
      if (!name.empty())
        names.push_back(name);
      isName = false;
    }
    if (c == ',' && !depth) {
      begin = i + 1;
      isName = true;
    }
    depth += c == '(' || c == '[';
    depth -= (c == ')' || c == ']') && depth;
  }
  return names;
}

} // namespace

std::vector<ParameterText> parametersOf(const CatalogueEntry &entry) {
  std::vector<ParameterText> found;
  for (std::string_view name : namesIn(entry.signature)) {
    const Row *row = std::ranges::find_if(kRows, [&](const Row &each) {
      return each.name == name && (each.function.empty() || each.function == entry.name);
    });
    if (row != std::end(kRows))
      found.push_back({row->name, row->text});
  }
  return found;
}

} // namespace nereid::lang
