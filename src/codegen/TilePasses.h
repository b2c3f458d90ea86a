// TilePasses.h: the passes that bring tile IR to what both back ends know. Their lists and nereid-opt take them from here.
#pragma once

#include <memory>
#include <string>

namespace mlir {
class Pass;
}

namespace nereid::codegen {

// How a block's indices are written: as tiles of 64-bit numbers, which loops over elements see through, or with as much
// as possible in scalars that all threads share.
enum class DescriptorForm { Loops, Threads };

std::unique_ptr<mlir::Pass> createInlineCallsPass();      // tile-inline-calls
std::unique_ptr<mlir::Pass> createCarryDescriptorsPass(); // tile-carry-descriptors
// Blocks with the attribute `keep` stay as they are.
std::unique_ptr<mlir::Pass> createExpandDescriptorsPass(DescriptorForm form = DescriptorForm::Loops,
                                                        const std::string &keep = ""); // tile-expand-descriptors

// Makes every pass known to nereid-opt by its flag.
void registerTilePasses();

} // namespace nereid::codegen
