#include "ReferenceArray.h"

#include "runtime/Convert.h"

#include <algorithm>

namespace nereid::tool {

namespace {

Error wrong(std::string message) { return {Status::BadInput, std::move(message)}; }

// A reference of more elements or more multiplications is refused: it would take minutes.
constexpr int64_t kMostElements = int64_t(1) << 27;
constexpr double kMostProducts = 0x1p36;

Result<size_t> countOf(const Shape &shape) {
  Result<int64_t> count = Tensor::countOf(shape);
  if (!count || *count > kMostElements)
    return wrong(shapeText(shape) + " has more than " + std::to_string(kMostElements) + " elements");
  return static_cast<size_t>(*count);
}

// The steps in `shape` of walking through `target`, 0 along axes that are repeated.
std::vector<int64_t> stepsIn(const Shape &shape, const Shape &target) {
  std::vector<int64_t> steps(target.size(), 0);
  int64_t step = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    size_t axis = shape.size() - 1 - i;
    steps[target.size() - 1 - i] = shape[axis] == 1 ? 0 : step;
    step *= shape[axis];
  }
  return steps;
}

// Calls visit(offset) for every element of `shape` in row-major order, `steps` apart along each axis.
template <class Visit> void walk(const Shape &shape, const std::vector<int64_t> &steps, int64_t offset, Visit visit) {
  Shape index(shape.size(), 0);
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  for (int64_t i = 0; i < count; ++i) {
    visit(static_cast<size_t>(offset));
    for (size_t axis = shape.size(); axis-- > 0;) {
      offset += steps[axis];
      if (++index[axis] < shape[axis])
        break;
      offset -= shape[axis] * steps[axis];
      index[axis] = 0;
    }
  }
}

Result<Shape> commonShape(const Shape &a, const Shape &b) {
  Shape result(std::max(a.size(), b.size()), 1);
  for (size_t i = 0; i < result.size(); ++i) {
    int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1, y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1)
      return wrong("shapes " + shapeText(a) + " and " + shapeText(b) + " do not go together");
    result[result.size() - 1 - i] = x == 1 ? y : x;
  }
  return result;
}

Result<size_t> axisOf(const ReferenceArray &array, int64_t axis) {
  if (axis < -array.rank() || axis >= array.rank())
    return wrong("there is no axis " + std::to_string(axis) + " in " + shapeText(array.shape));
  return static_cast<size_t>(axis < 0 ? axis + array.rank() : axis);
}

} // namespace

std::string shapeText(const Shape &shape) {
  std::string text = "[";
  for (int64_t extent : shape)
    text += (text.size() > 1 ? "," : "") + std::to_string(extent);
  return text + "]";
}

Result<ReferenceArray> ReferenceArray::of(const Tensor &tensor) {
  Result<size_t> count = countOf(tensor.shape());
  if (!count)
    return count.error();
  ReferenceArray array{tensor.shape(), {}};
  array.values.reserve(*count);
  auto width = bytesOf(tensor.dtype());
  walk(tensor.shape(), {tensor.strides().begin(), tensor.strides().end()}, 0, [&](size_t offset) {
    array.values.push_back(runtime::readElement(tensor.dtype(), tensor.data() + offset * width));
  });
  return array;
}

Result<ReferenceArray> broadcast(const ReferenceArray &array, const Shape &shape) {
  Result<Shape> common = commonShape(array.shape, shape);
  if (!common || *common != shape)
    return wrong(shapeText(array.shape) + " is not " + shapeText(shape) + " and cannot be repeated to it");
  Result<size_t> count = countOf(shape);
  if (!count)
    return count.error();
  ReferenceArray result{shape, {}};
  result.values.reserve(*count);
  walk(shape, stepsIn(array.shape, shape), 0, [&](size_t offset) { result.values.push_back(array.values[offset]); });
  return result;
}

Result<ReferenceArray> combine(const ReferenceArray &a, const ReferenceArray &b,
                               const std::function<double(double, double)> &op) {
  Result<Shape> shape = commonShape(a.shape, b.shape);
  if (!shape)
    return shape.error();
  Result<ReferenceArray> left = broadcast(a, *shape), right = broadcast(b, *shape);
  if (!left || !right)
    return left ? right : left;
  for (size_t i = 0; i < left->values.size(); ++i)
    left->values[i] = op(left->values[i], right->values[i]);
  return left;
}

ReferenceArray apply(ReferenceArray array, double (*op)(double)) {
  for (double &value : array.values)
    value = op(value);
  return array;
}

Result<ReferenceArray> reduce(const ReferenceArray &array, std::optional<int64_t> axis, bool keepsAxis, double start,
                              double (*op)(double, double)) {
  Shape kept = array.shape;
  if (!axis)
    std::ranges::fill(kept, 1);
  else if (Result<size_t> which = axisOf(array, *axis); !which)
    return which.error();
  else
    kept[*which] = 1;
  size_t count = 1;
  for (int64_t extent : kept)
    count *= static_cast<size_t>(extent);
  ReferenceArray result{kept, std::vector<double>(count, start)};
  size_t next = 0;
  walk(array.shape, stepsIn(kept, array.shape), 0,
       [&](size_t offset) { result.values[offset] = op(result.values[offset], array.values[next++]); });
  if (!keepsAxis && !axis)
    result.shape.clear();
  else if (!keepsAxis)
    result.shape.erase(result.shape.begin() + static_cast<std::ptrdiff_t>(*axisOf(array, *axis)));
  return result;
}

double reducedCount(const ReferenceArray &array, std::optional<int64_t> axis) {
  Result<size_t> which = axis ? axisOf(array, *axis) : Result<size_t>(size_t(0));
  return !axis ? static_cast<double>(array.values.size()) : which ? static_cast<double>(array.shape[*which]) : 0;
}

Result<ReferenceArray> multiplyMatrices(const ReferenceArray &a, const ReferenceArray &b) {
  if (a.rank() < 2 || b.rank() < 2)
    return wrong("`@` multiplies matrices, not " + shapeText(a.shape) + " and " + shapeText(b.shape));
  int64_t rows = a.shape[a.shape.size() - 2], inner = a.shape.back(), columns = b.shape.back();
  if (inner != b.shape[b.shape.size() - 2])
    return wrong("`@`: the rows of " + shapeText(a.shape) + " have " + std::to_string(inner) +
                 " elements, the columns of " + shapeText(b.shape) + " " + std::to_string(b.shape[b.shape.size() - 2]));
  Shape outerA(a.shape.begin(), a.shape.end() - 2), outerB(b.shape.begin(), b.shape.end() - 2);
  Result<Shape> outer = commonShape(outerA, outerB);
  if (!outer)
    return outer.error();
  Shape shape = *outer;
  shape.insert(shape.end(), {rows, columns});
  Result<size_t> count = countOf(shape);
  if (!count)
    return count.error();
  if (static_cast<double>(*count) * static_cast<double>(inner) > kMostProducts)
    return wrong("a product of " + shapeText(a.shape) + " and " + shapeText(b.shape) +
                 " takes more multiplications than a reference should");
  ReferenceArray result{shape, std::vector<double>(*count, 0)};
  std::vector<size_t> left, right;
  walk(*outer, stepsIn(outerA, *outer), 0, [&](size_t at) { left.push_back(at * size_t(rows * inner)); });
  walk(*outer, stepsIn(outerB, *outer), 0, [&](size_t at) { right.push_back(at * size_t(inner * columns)); });
  for (size_t batch = 0; batch < left.size(); ++batch)
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t k = 0; k < inner; ++k) {
        double factor = a.values[left[batch] + size_t(i * inner + k)];
        const double *from = &b.values[right[batch] + size_t(k * columns)];
        double *to = &result.values[batch * size_t(rows * columns) + size_t(i * columns)];
        for (int64_t j = 0; j < columns; ++j)
          to[j] += factor * from[j];
      }
  return result;
}

ReferenceArray transposed(const ReferenceArray &array) {
  std::vector<int64_t> steps(array.shape.size());
  int64_t step = 1;
  for (size_t axis = array.shape.size(); axis-- > 0; step *= array.shape[axis])
    steps[axis] = step;
  ReferenceArray result{{array.shape.rbegin(), array.shape.rend()}, {}};
  std::ranges::reverse(steps);
  walk(result.shape, steps, 0, [&](size_t offset) { result.values.push_back(array.values[offset]); });
  return result;
}

Result<ReferenceArray> subscript(const ReferenceArray &array, const std::vector<ReferenceIndex> &items) {
  std::vector<int64_t> own(array.shape.size()), steps;
  int64_t step = 1, offset = 0;
  for (size_t axis = array.shape.size(); axis-- > 0; step *= array.shape[axis])
    own[axis] = step;
  Shape shape;
  size_t axis = 0;
  for (const ReferenceIndex &item : items) {
    if (item.kind == ReferenceIndex::Kind::NewAxis) {
      shape.push_back(1), steps.push_back(0);
      continue;
    }
    if (axis == array.shape.size())
      return wrong("there are more indices than the axes of " + shapeText(array.shape));
    int64_t extent = array.shape[axis];
    auto inside = [&](int64_t index) { return std::clamp<int64_t>(index < 0 ? index + extent : index, 0, extent); };
    if (item.kind == ReferenceIndex::Kind::Index) {
      if (*item.begin < -extent || *item.begin >= extent)
        return wrong("the index " + std::to_string(*item.begin) + " is outside of " + shapeText(array.shape));
      offset += inside(*item.begin) * own[axis];
    } else {
      int64_t begin = inside(item.begin.value_or(0)), end = item.end ? inside(*item.end) : extent;
      offset += begin * own[axis];
      shape.push_back(std::max<int64_t>(end - begin, 0)), steps.push_back(own[axis]);
    }
    ++axis;
  }
  for (; axis < array.shape.size(); ++axis)
    shape.push_back(array.shape[axis]), steps.push_back(own[axis]);
  ReferenceArray result{shape, {}};
  walk(shape, steps, offset, [&](size_t at) { result.values.push_back(array.values[at]); });
  return result;
}

} // namespace nereid::tool
