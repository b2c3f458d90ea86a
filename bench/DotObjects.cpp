// DotObjects.cpp: compiles products ahead of time, for DotCarried.cpp: a program without LLVM that checks and times
// them on a machine which has nothing installed.
//
//   dot-objects FOLDER     writes FOLDER/products-0.o, …, their declarations and a table of them
#include "cpu/Object.h"
#include "cpu/dot/Dot.h"

#include "llvm/IR/Module.h"

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

using namespace nereid::cpu;

struct Product {
  DotSpec spec;
  bool isRhsTransposed;
};

static std::vector<Product> products() {
  std::vector<Product> result;
  for (DotElement element : {DotElement::F32, DotElement::BF16, DotElement::I8})
    for (auto [m, n, k] : {std::array<int64_t, 3>{128, 128, 256}, {64, 64, 64}, {32, 48, 100}, {256, 256, 256}})
      for (bool isRhsTransposed : {false, true}) {
        DotElement acc = element == DotElement::I8 ? DotElement::I32 : DotElement::F32;
        result.push_back({{m, n, k, element, element, acc, DotPrecision::IEEE}, isRhsTransposed});
      }
  return result;
}

// void(ptr lhs, ptr rhs, ptr acc, ptr scratch): row-major, or the rhs transposed.
static void emitFunction(llvm::Module &module, const Target &target, const Product &product, const std::string &name) {
  llvm::IRBuilder<> builder(module.getContext());
  llvm::Type *pointer = builder.getPtrTy();
  auto *type = llvm::FunctionType::get(builder.getVoidTy(), {pointer, pointer, pointer, pointer}, false);
  auto *function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
  builder.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", function));
  const DotSpec &spec = product.spec;
  llvm::Value *one = builder.getInt64(1);
  DotOperand lhs{function->getArg(0), builder.getInt64(spec.k), one}, rhs{function->getArg(1), nullptr, nullptr};
  rhs.rowStride = product.isRhsTransposed ? one : builder.getInt64(spec.n);
  rhs.columnStride = product.isRhsTransposed ? builder.getInt64(spec.k) : one;
  emitDot(builder, target, spec, lhs, rhs, function->getArg(2), function->getArg(3));
  builder.CreateRetVoid();
}

int main(int argc, char **argv) {
  if (argc != 2)
    return std::fprintf(stderr, "usage: dot-objects FOLDER\n"), 2;
  std::string folder = argv[1];
  const std::string kPairs = "x86-64-v4+avx512vnni+avx512bf16";
  Target targets[] = {*findTarget("x86-64-v3"), *findTarget("x86-64-v4"), *findTarget(kPairs),
                      *findTarget(kPairs + "+amx-bf16+amx-int8")};
  const char *names[] = {"avx2", "avx512", "avx512+bf16+vnni", "amx"};
  std::ofstream declarations(folder + "/products.h"), table(folder + "/products.inc");
  for (int t = 0; t < 4; ++t) {
    llvm::LLVMContext context;
    llvm::Module module("products", context);
    for (auto [i, product] : llvm::enumerate(products())) {
      const DotSpec &spec = product.spec;
      std::string name = "product_" + std::to_string(t) + "_" + std::to_string(i);
      emitFunction(module, targets[t], product, name);
      declarations << "extern \"C\" void " << name << "(const void *, const void *, void *, void *);\n";
      table << "{" << name << ", \"" << names[t] << "\", \"" << targets[t].requiredFeatures() << "\", " << spec.m
            << ", " << spec.n << ", " << spec.k << ", "
            << (spec.lhs == DotElement::F32    ? "F32"
                : spec.lhs == DotElement::BF16 ? "BF16"
                                               : "I8")
            << ", " << product.isRhsTransposed << ", " << dotScratchBytes(spec, targets[t]) << "},\n";
    }
    optimize(module, targets[t]);
    nereid::Result<std::vector<std::byte>> object = emitObject(module, targets[t]);
    if (!object)
      return std::fprintf(stderr, "%s\n", object.error().message.c_str()), 3;
    std::ofstream(folder + "/products-" + std::to_string(t) + ".o", std::ios::binary)
        .write(reinterpret_cast<const char *>(object->data()), object->size());
  }
}
