#include "api/ReadArguments.h"

#include <algorithm>
#include <cstring>

namespace nereid::api {

static_assert(static_cast<int>(DType::Fp64) == NEREID_FP64 && static_cast<int>(DType::Fp8E5B16) == NEREID_FP8E5B16);
static_assert(static_cast<int>(Status::Environment) == NEREID_ENVIRONMENT);

namespace {

constexpr size_t kMaxArguments = 1 << 16; // those in tuples, too: tuples that share their items could be without end
constexpr int kMaxTupleDepth = 16;

Error bad(std::string message) { return {Status::BadInput, "error: " + std::move(message) + "\n"}; }

Result<Tensor> readTensor(const nereid_tensor &tensor, const std::string &name) {
  if (tensor.dtype < 0 || tensor.dtype >= kDTypeCount)
    return bad("tensor `" + name + "`: there is no element type number " + std::to_string(tensor.dtype));
  if (tensor.rank < 0 || tensor.rank > 32)
    return bad("tensor `" + name + "`: it has " + std::to_string(tensor.rank) + " axes; 0 to 32 are possible");
  if (tensor.rank > 0 && !tensor.shape)
    return bad("tensor `" + name + "`: its shape is null");
  Shape shape(tensor.shape, tensor.shape + tensor.rank);
  if (Result<int64_t> count = Tensor::countOf(shape); !count)
    return bad("tensor `" + name + "`: " + count.error().message);
  Shape strides;
  if (tensor.strides)
    strides.assign(tensor.strides, tensor.strides + tensor.rank);
  return Tensor::borrow(tensor.data, static_cast<DType>(tensor.dtype), std::move(shape), std::move(strides));
}

// Reads one call's arguments, and counts them.
class ArgumentReader {
public:
  Result<Argument> read(const nereid_argument &argument, const std::string &name, int depth) {
    auto plain = [](auto value) { return Argument(std::string(), std::move(value)); };
    if (++count > kMaxArguments)
      return bad("argument `" + name + "`: there are more than " + std::to_string(kMaxArguments) + " values");
    switch (argument.kind) {
    case NEREID_NONE: return plain(nullptr);
    case NEREID_INT: return plain(argument.integer);
    case NEREID_UINT: return plain(static_cast<uint64_t>(argument.integer));
    case NEREID_FLOAT: return plain(argument.number);
    case NEREID_BOOL: return plain(argument.integer != 0);
    case NEREID_STRING:
    case NEREID_EXPRESSION:
      if (!argument.string)
        return bad("argument `" + name + "`: its text is null");
      return argument.kind == NEREID_STRING ? plain(std::string(argument.string)) : plain(Expression{argument.string});
    case NEREID_TENSOR: {
      Result<Tensor> tensor = readTensor(argument.tensor, name);
      return tensor ? Result<Argument>(plain(*tensor)) : tensor.error();
    }
    case NEREID_DESCRIPTOR: return readDescriptor(argument, name);
    case NEREID_TUPLE: {
      Result<std::vector<Argument>> items = readItems(argument, name, depth);
      return items ? Result<Argument>(plain(std::move(*items))) : items.error();
    }
    default: return bad("argument `" + name + "`: there is no kind number " + std::to_string(argument.kind));
    }
  }

private:
  Result<std::vector<Argument>> readItems(const nereid_argument &argument, const std::string &name, int depth) {
    if (depth > kMaxTupleDepth)
      return bad("argument `" + name + "`: tuples are nested more than " + std::to_string(kMaxTupleDepth) + " deep");
    if (argument.item_count < 0 || static_cast<size_t>(argument.item_count) > kMaxArguments)
      return bad("argument `" + name + "`: it has " + std::to_string(argument.item_count) + " items; 0 to " +
                 std::to_string(kMaxArguments) + " are possible");
    if (argument.item_count > 0 && !argument.items)
      return bad("argument `" + name + "`: its items are missing");
    std::vector<Argument> items;
    for (int32_t i = 0; i < argument.item_count; ++i) {
      Result<Argument> item = read(argument.items[i], name + "[" + std::to_string(i) + "]", depth + 1);
      if (!item)
        return item.error();
      items.push_back(std::move(*item));
    }
    return items;
  }

  Result<Argument> readDescriptor(const nereid_argument &argument, const std::string &name) {
    Result<Tensor> tensor = readTensor(argument.tensor, name);
    if (!tensor)
      return tensor.error();
    Result<std::vector<Argument>> items = readItems(argument, name, 0);
    if (!items)
      return items.error();
    Descriptor descriptor{*tensor, {}};
    for (const Argument &item : *items) {
      const int64_t *extent = std::get_if<int64_t>(&item.value);
      if (!extent)
        return bad("descriptor `" + name + "`: the extents of its block are integers");
      descriptor.block.push_back(*extent);
    }
    return Argument(std::string(), std::move(descriptor));
  }

  size_t count = 0;
};

} // namespace

size_t mostArguments(const lang::Function &kernel) {
  auto isVariadic = [](const lang::Parameter &parameter) { return parameter.kind == lang::Parameter::Kind::VarArgs; };
  // num_warps, num_stages and num_ctas may be given besides the parameters.
  return std::ranges::any_of(kernel.parameters, isVariadic) ? kMaxArguments : kernel.parameters.size() + 3;
}

Error badCount(const lang::Function &kernel, const nereid_argument *arguments, size_t count) {
  if (!arguments)
    return bad("the arguments are missing");
  return bad("`" + kernel.name + "` takes " + std::to_string(kernel.parameters.size()) + " arguments, but " +
             std::to_string(count) + " are given");
}

Result<std::vector<Argument>> readArguments(const nereid_argument *arguments, size_t count) {
  std::vector<Argument> result;
  ArgumentReader reader;
  for (size_t i = 0; i < count; ++i) {
    std::string name = arguments[i].name ? arguments[i].name : "";
    if (name.empty() && !result.empty() && !result.back().name.empty())
      return bad("arguments by position stand before arguments by name");
    Result<Argument> argument = reader.read(arguments[i], name.empty() ? std::to_string(i) : name, 0);
    if (!argument)
      return argument.error();
    argument->name = std::move(name);
    result.push_back(std::move(*argument));
  }
  return result;
}

Result<jit::Settings> readOptions(const nereid_launch_options *options) {
  nereid_launch_options c{};
  if (!options || options->size < offsetof(nereid_launch_options, grid_expression))
    return bad("the launch options are missing, or their `size` is not set");
  std::memcpy(&c, options, std::min<size_t>(options->size, sizeof c));
  jit::Settings settings;
  if (c.device)
    settings.device = c.device;
  if (c.grid_expression)
    settings.gridExpression = c.grid_expression;
  else if (c.grid[2])
    settings.grid = {c.grid[0], c.grid[1], c.grid[2]};
  else if (c.grid[0] || c.grid[1]) // else none is given
    return bad("the last extent of the grid is 0, as C fills {n} up: an axis without programs of its own is 1, as in "
               "{n, 1, 1}");
  for (int32_t value : {c.num_warps, c.num_stages, c.num_ctas, c.threads, c.reachable_count})
    if (value < 0 || value > 1024)
      return bad("a launch option is " + std::to_string(value) + "; it must be from 0 to 1024");
  if (!(c.timeout >= 0))
    return bad("the timeout is " + std::to_string(c.timeout) + " seconds; it must not be negative");
  settings.limits.timeout = c.timeout;
  settings.strictExtents = c.strict_triton != 0;
  settings.shape = {c.num_warps, c.num_stages, c.num_ctas};
  settings.threads = static_cast<unsigned>(c.threads);
  settings.check = c.check != 0, settings.debug = c.debug != 0;
  settings.stream = c.stream, settings.isAsynchronous = c.asynchronous != 0;
  if (c.shuffle)
    settings.shuffleSeed = c.shuffle_seed;
  if (c.reachable_count && !c.reachable)
    return bad("the reachable tensors are missing");
  for (int32_t i = 0; i < c.reachable_count; ++i) {
    Result<Tensor> tensor = readTensor(c.reachable[i], "reachable");
    if (!tensor)
      return tensor.error();
    settings.reachable.push_back(*tensor);
  }
  return settings;
}

} // namespace nereid::api
