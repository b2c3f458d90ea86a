#include "gpu/RotateProducts.h"

using namespace mlir;

namespace nereid::gpu {

scf::ForOp rotateProducts(scf::ForOp, const Options &) { return {}; }

} // namespace nereid::gpu
