// EmitNotes.cpp: notes where statements begin and names get their values (EmitNotes.h).
#include "lang/emit/EmitNotes.h"

#include "lang/emit/KernelEmitter.h"

#include "dialect/Tile.h"

namespace nereid::lang {

// A tuple of tuples of tiles is looked at so far.
static constexpr size_t kMostItems = 16;
static constexpr size_t kMostText = 100;

// Functions of the language that are written in the language are its own business, and regions of builtins (the combination of a
// reduction) run lanes at a time.
bool KernelEmitter::takesNotesHere() { return takesNotes && !frame().isQuiet; }

void KernelEmitter::emitNote(std::string_view name, const std::string &text, llvm::ArrayRef<mlir::Value> values,
                             bool isSigned) {
  llvm::SmallVector<bool> flags(values.size(), isSigned);
  auto note = create<tile::PrintOp>(builder.getStringAttr(name), mlir::UnitAttr(), mlir::ValueRange(values),
                                    builder.getDenseBoolArrayAttr(flags));
  note->setAttr(kNoteAttribute, builder.getStringAttr(text.substr(0, kMostText)));
}

void KernelEmitter::noteStatement() {
  if (takesNotesHere())
    emitNote("", "", {}, true);
}

void KernelEmitter::noteValue(const std::string &name, const Value &value) {
  if (!takesNotesHere())
    return;
  Session::charge(1);
  if (auto *tensor = value.get<Tensor>())
    return emitNote(name, tensor->type.shortName(), {tensor->ir}, !tensor->type.isUnsignedInt());
  if (const Tuple *tuple = value.asTuple()) {
    for (size_t i = 0; i < std::min(tuple->items.size(), kMostItems); ++i)
      noteValue(name + "[" + std::to_string(i) + "]", tuple->items[i]);
  } else if (Instance *instance = value.object<Instance>()) {
    for (const auto &[field, held] : instance->fields)
      noteValue(name + "." + field, held);
  } else if (auto *pointer = value.constant<BlockPointer>()) {
    emitNote(name, describe(value), {}, true);
    for (size_t i = 0; i < pointer->offsets.size(); ++i)
      noteValue(name + ".offset" + std::to_string(i), Value(pointer->offsets[i]));
  } else if (value.constant<Descriptor>()) {
    emitNote(name, describe(value), {}, true);
  } else if (value.is<bool>() || value.is<Integer>() || value.is<double>() || value.str() || value.is<Type>() ||
             value.isNone()) {
    emitNote(name, repr(value), {}, true);
  }
}

void KernelEmitter::noteArguments() {
  if (takesNotesHere())
    for (const auto &[name, value] : frame().locals)
      noteValue(name, value);
}

} // namespace nereid::lang
