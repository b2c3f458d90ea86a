// TritonDialects.cpp: how each op of Triton is printed, one line for an op, and the printer that reads these lines.
#include "compiler/TritonDialects.h"

#include "mlir/IR/ExtensibleDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OpImplementation.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace nereid::compiler {

namespace {

// In a form:  $0 an operand   $1- operands from there on   $< and $> the first and second half of those behind $0
//             $* all operands   #0 the type of an operand   #* of all   #r of the first result   #f of operands and results
//             @name an attribute as a bare word   =name as it is   & all other attributes   ~0 a region
struct Form {
  const char *name;
  const char *text;
};

const Form kForms[] = {
    {"tt.get_program_id", "@axis & : #r"},
    {"tt.get_num_programs", "@axis & : #r"},
    {"tt.make_range", "& : #r"},
    {"tt.splat", "$0 & : #0 -> #r"},
    {"tt.unsplat", "$0 & : #0"},
    {"tt.broadcast", "$0 & : #0 -> #r"},
    {"tt.expand_dims", "$0 & : #0 -> #r"},
    {"tt.reshape", "$0 @order & : #0 -> #r"},
    {"tt.trans", "$0 & : #0 -> #r"},
    {"tt.join", "$* & : #0 -> #r"},
    {"tt.split", "$0 & : #0 -> #r"},
    {"tt.cat", "$* & : #0 -> #r"},
    {"tt.gather", "$0[$1] & : #f"},
    {"tt.addptr", "$* & : #0, #1"},
    {"tt.load", "$* & : #0"},
    {"tt.store", "$* & : #0"},
    {"tt.int_to_ptr", "$0 & : #0 -> #r"},
    {"tt.ptr_to_int", "$0 & : #0 -> #r"},
    {"tt.bitcast", "$0 & : #0 -> #r"},
    {"tt.make_tensor_descriptor", "$0, [$<], [$>] & : #0, #r"},
    {"tt.descriptor_load", "$0[$1-] & : #0 -> #r"},
    {"tt.descriptor_store", "$0[$2-], $1 & : #0, #1"},
    {"tt.descriptor_reduce", "@kind, $0[$2-], $1 & : #0, #1"},
    {"tt.descriptor_gather", "$0[$1, $2] & : #f"},
    {"tt.descriptor_scatter", "$0[$1, $2], $3 & : #*"},
    {"tt.dot", "$* & : #0 * #1 -> #r"},
    {"tt.precise_divf", "$* & : #0"},
    {"tt.precise_sqrt", "$* & : #0"},
    {"tt.extern_elementwise", "$* & : #f"},
    {"tt.histogram", "$* & : #0 -> #r"},
    {"tt.atomic_rmw", "@kind, @sem, @scope, $* & : #f"},
    {"tt.atomic_cas", "@sem, @scope, $* & : #f"},
    {"tt.print", "=prefix & : $* : #*"},
    {"tt.assert", "$0, =message & : #0"},
    {"tt.call", "=callee($*) & : #f"},
    {"tt.return", "& $* : #*"},
    {"tt.reduce.return", "$* & : #*"},
    {"tt.scan.return", "$* & : #*"},
    {"tt.map_elementwise.return", "& $* : #*"},
    {"ttg.convert_layout", "$0 & : #0 -> #r"},
    {"ttg.local_barrier", "&"},
    {"ttg.local_alloc", "$* & : #f"},
    {"ttg.local_dealloc", "$0 & : #0"},
    {"ttg.local_load", "$0 & : #0 -> #r"},
    {"ttg.local_store", "$* & : #0 -> #1"},
    {"ttg.memdesc_index", "$0[$1] & : #0 -> #r"},
    {"ttg.memdesc_trans", "$0 & : #0 -> #r"},
    {"ttg.async_copy_global_to_local", "$* & : #0 -> #1"},
    {"ttg.async_commit_group", "&"},
    {"ttg.async_wait", "&"},
    {"ttg.warp_specialize", "() default ~0 partition0() num_warps(@num_warps) ~1 & : () -> ()"},
    {"ttg.warp_yield", "&"},
    {"ttg.warp_return", "&"},
    {"ttng.warp_group_dot", "$* & : #0 * #1 -> #r"},
    {"ttng.warp_group_dot_wait", "$* & : #*"},
    {"ttng.fence_async_shared", "&"},
    {"ttng.init_barrier", "$0, @count & : #0"},
    {"ttng.barrier_expect", "$0, @size, $1- & : #0"},
    {"ttng.wait_barrier", "$* & : #0"},
    {"ttng.arrive_barrier", "$0, @count, $1- & : #0"},
    {"ttng.async_tma_copy_global_to_local", "$0[$4-] $1, $2, $3 & : #0, #2 -> #1"},
    {"ttng.async_tma_copy_local_to_global", "$0[$2-] $1 & : #0, #1"},
    {"ttng.async_tma_store_wait", "&"},
};

class FormPrinter {
public:
  FormPrinter(Operation *op, OpAsmPrinter &printer, StringRef form) : op(op), printer(printer), form(form) {}

  void print() {
    printer << op->getName().getStringRef();
    if (!form.starts_with("("))
      pending = " ";
    while (!form.empty())
      printNext();
  }

private:
  // Spaces, commas and colons wait for what comes behind them: where that is nothing, they go too.
  void printNext() {
    char first = form.front();
    form = form.drop_front();
    switch (first) {
    case '$': return printOperands();
    case '#': return printTypes();
    case '@':
    case '=': return printAttribute(takeName(), /*bare=*/first == '@');
    case '&': return printRest();
    case '~': printer << std::exchange(pending, ""); return printer.printRegion(op->getRegion(takeNumber()));
    case ' ':
    case ',':
    case ':': pending += first; return;
    default: printer << std::exchange(pending, "") << first;
    }
  }

  unsigned takeNumber() {
    unsigned number = form.front() - '0';
    form = form.drop_front();
    return number;
  }

  StringRef takeName() {
    StringRef name = form.take_while([](char c) { return llvm::isAlpha(c) || c == '_'; });
    form = form.drop_front(name.size());
    named.push_back(name);
    return name;
  }

  void printOperands() {
    unsigned count = op->getNumOperands();
    if (form.consume_front("*"))
      return printList(op->getOperands());
    if (form.consume_front("<"))
      return printList(op->getOperands().slice(1, (count - 1) / 2));
    if (form.consume_front(">"))
      return printList(op->getOperands().drop_front(1 + (count - 1) / 2));
    unsigned number = takeNumber();
    if (form.consume_front("-"))
      return printList(op->getOperands().drop_front(std::min(number, count)));
    printList(op->getOperands().slice(number, number < count ? 1 : 0));
  }

  void printTypes() {
    if (form.consume_front("*"))
      return printList(op->getOperandTypes());
    if (form.consume_front("f")) {
      printer << std::exchange(pending, "");
      return printer.printFunctionalType(op);
    }
    if (form.consume_front("r"))
      return printList(ArrayRef<Type>(op->getResult(0).getType()));
    printList(ArrayRef<Type>(op->getOperand(takeNumber()).getType()));
  }

  template <typename Range> void printList(Range &&range) {
    if (range.empty()) {
      // An empty list in brackets leaves them; one between commas takes its comma along.
      pending = pending.substr(0, pending.find_last_not_of(", :") + 1);
      return;
    }
    printer << std::exchange(pending, "");
    llvm::interleaveComma(range, printer, [&](auto each) { printer << each; });
  }

  void printAttribute(StringRef name, bool bare) {
    Attribute attribute = op->getDiscardableAttr(name);
    if (!attribute)
      return;
    printer << std::exchange(pending, "");
    if (auto text = dyn_cast<StringAttr>(attribute); text && bare)
      printer << text.getValue();
    else if (auto number = dyn_cast<IntegerAttr>(attribute); number && bare)
      printer << number.getValue().getZExtValue();
    else
      printer.printAttributeWithoutType(attribute);
  }

  // Words in the way of Triton's (`cacheModifier = ca`), then the dictionary. Names that the rest of the form has do not count.
  void printRest() {
    SmallVector<StringRef> hidden(named);
    for (size_t at = 0; (at = form.find_first_of("@=", at)) != StringRef::npos; ++at)
      hidden.push_back(form.drop_front(at + 1).take_while([](char c) { return llvm::isAlpha(c) || c == '_'; }));
    for (NamedAttribute each : op->getDiscardableAttrs()) {
      StringRef name = each.getName();
      StringRef lead = llvm::StringSwitch<StringRef>(name)
                           .Cases({"cacheModifier", "evictionPolicy"}, " ")
                           .Case("inputPrecision", isa<StringAttr>(each.getValue()) ? ", " : "")
                           .Default("");
      if (lead.empty())
        continue;
      printer << lead << name << " = " << cast<StringAttr>(each.getValue()).getValue();
      hidden.push_back(name);
    }
    size_t left = llvm::count_if(op->getDiscardableAttrs(), [&](NamedAttribute each) {
      return !llvm::is_contained(hidden, each.getName().getValue());
    });
    pending = pending.substr(0, pending.find_last_not_of(' ') + 1);
    if (left) {
      printer << std::exchange(pending, "");
      printer.printOptionalAttrDict(llvm::to_vector(op->getDiscardableAttrs()), hidden);
    }
  }

  Operation *op;
  OpAsmPrinter &printer;
  StringRef form;
  std::string pending;
  SmallVector<StringRef> named;
};

} // namespace

static std::unique_ptr<DynamicOpDefinition> define(const Form &form, DynamicDialect *dialect) {
  auto [space, name] = StringRef(form.name).split('.');
  auto accept = [](Operation *) { return success(); };
  auto refuse = [](OpAsmParser &parser, OperationState &) {
    return parser.emitError(parser.getCurrentLocation(), "Triton's IR is written, not read");
  };
  auto print = [&form](Operation *op, OpAsmPrinter &printer, StringRef) {
    FormPrinter(op, printer, form.text).print();
  };
  return DynamicOpDefinition::get(name, dialect, accept, accept, refuse, print);
}

void loadTritonDialects(MLIRContext &context) {
  for (StringRef space : {"tt", "ttg", "ttng"})
    context.getOrLoadDynamicDialect(space, [&](DynamicDialect *dialect) {
      for (const Form &form : kForms)
        if (StringRef(form.name).split('.').first == space)
          dialect->registerDynamicOp(define(form, dialect));
    });
}

} // namespace nereid::compiler
