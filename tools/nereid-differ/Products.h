// Products.h: what the families of matrix products share: element types, the values of operands, what is known of a result.
#pragma once

#include "Generator.h"

namespace nereid::differ {

struct ProductFormat {
  DType lhs, rhs, out;
  std::string options; // of the call
  double inputUnit;    // what the precision makes of an input
};
ProductFormat randomFormat(Generator &g);

int64_t leastDepth(DType dtype);
// Tensor cores add a few terms at a time and cut off what is too small.
double fusedUnitsOf(double depth);
// Operands whose products and sums are exact, or bounded.
Facts operandWish(Generator &g, const ProductFormat &format, DType dtype, double depth);
// lhs x rhs + acc, each element a sum of `depth` products; nothing where it cannot be bounded.
std::optional<Facts> productFacts(Generator &g, const ProductFormat &format, const Facts &a, const Facts &b,
                                  double depth, const Facts *acc);

// A loop over K, or over the tiles of a result, that reads described tensors (GenerateDescribed.cpp).
bool generateDescribedProduct(Generator &g);
// Products of products: a few of them, and in a loop (GenerateChain.cpp).
bool generateProductChain(Generator &g);
bool generateAttention(Generator &g);
// Attention as it is used, with exponentials (GenerateSoftmax.cpp).
bool generateSoftmax(Generator &g);
// Its backward pass (GenerateGradients.cpp).
bool generateGradients(Generator &g);
// With a sparse operand (GenerateSparse.cpp).
bool generateSparseProduct(Generator &g);
// A loop over K in many forms (GenerateProductLoop.cpp).
bool generateProductLoop(Generator &g);

} // namespace nereid::differ
