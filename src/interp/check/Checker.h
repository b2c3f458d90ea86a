// Checker.h: runs instructions for `nereid check`, and collects what it finds.
//
// Values carry marks (Marks.h). An instruction of the checker passes the marks on, and where a marked value matters (an
// address, a stored value, a branch) it makes a report. Memory accesses are done by the checker itself: a bad one is
// reported and left out, and the program goes on.
#pragma once

#include "interp/Memory.h"
#include "interp/Observer.h"
#include "interp/check/Coverage.h"
#include "interp/check/Marks.h"
#include "interp/check/Races.h"

#include <map>

namespace nereid::interp {

class Checker : public Observer {
public:
  Checker(const Program &program, Launch &launch, const CheckOptions &options);

  // Marks of the kernel's arguments, in a new shadow frame.
  void prepare(Machine &machine) override;
  void run(Machine &machine, const Instruction &instruction) override;
  void visitCondition(Machine &machine, const Instruction &instruction, const Slot &condition) override {
    checkCondition(machine, instruction, condition, "the condition of the loop");
  }
  bool needsShadow() const override { return true; }
  bool entersEveryRegion() const override { return true; }
  std::vector<CheckReport> takeReports();

private:
  // What the checker does with an instruction; found once for each fact.
  using Rule = void (Checker::*)(Machine &, const Instruction &);
  Rule ruleOf(const Instruction &instruction) const;
  static Rule elementwiseRule(std::string_view name);
  void addRules(const Block &block);
  // A branch or loop depends on this scalar.
  void checkCondition(Machine &machine, const Instruction &instruction, const Slot &condition, const char *what);

  // ---- Flow of marks (Flow.cpp).
  void runElementwise(Machine &machine, const Instruction &instruction);
  void runBitwise(Machine &machine, const Instruction &instruction);
  void runArithmetic(Machine &machine, const Instruction &instruction);
  void runDivision(Machine &machine, const Instruction &instruction);
  void runExtension(Machine &machine, const Instruction &instruction);
  void runSelect(Machine &machine, const Instruction &instruction);
  void runAddPtr(Machine &machine, const Instruction &instruction);
  void runMix(Machine &machine, const Instruction &instruction);
  void runFresh(Machine &machine, const Instruction &instruction);
  void runMove(Machine &machine, const Instruction &instruction);
  void runGather(Machine &machine, const Instruction &instruction);
  void runDot(Machine &machine, const Instruction &instruction);
  void runCombine(Machine &machine, const Instruction &instruction);
  void runInlineAsm(Machine &machine, const Instruction &instruction);
  void runHistogram(Machine &machine, const Instruction &instruction);
  void runPoison(Machine &machine, const Instruction &instruction);
  void runPlain(Machine &machine, const Instruction &instruction);
  void runFor(Machine &machine, const Instruction &instruction);
  void runIf(Machine &machine, const Instruction &instruction);
  void runAssert(Machine &machine, const Instruction &instruction);

  // ---- Memory (Access.cpp).
  void runLoad(Machine &machine, const Instruction &instruction);
  void runStore(Machine &machine, const Instruction &instruction);
  void runRmw(Machine &machine, const Instruction &instruction);
  void runCas(Machine &machine, const Instruction &instruction);
  void runPoll(Machine &machine, const Instruction &instruction);
  void runMakeDescriptor(Machine &machine, const Instruction &instruction);
  void runDescriptorLoad(Machine &machine, const Instruction &instruction);
  void runDescriptorStore(Machine &machine, const Instruction &instruction) {
    writeBlock(machine, instruction, Access::Store);
  }
  void runDescriptorReduce(Machine &machine, const Instruction &instruction) {
    writeBlock(machine, instruction, Access::Atomic);
  }
  void writeBlock(Machine &machine, const Instruction &instruction, Access access);
  // One element at an address: reports what is wrong with it; true when it may be touched.
  bool checkAccess(Machine &machine, const Instruction &instruction, uint64_t address, uint16_t tensor, size_t bytes,
                   Access access);
  bool checkPointer(Machine &machine, const Instruction &instruction, const Slot &pointers, size_t i, size_t bytes,
                    Access access);
  void checkUse(Machine &machine, const Instruction &instruction, Mark mark, const char *what);
  void checkIndices(Machine &machine, const Instruction &instruction);
  // One store has given an address two values.
  void reportTwice(Machine &machine, const Instruction &instruction, uint64_t address);
  uint16_t findTensor(uint64_t address) const;

  // ---- Values that are not finite (NotFinite.cpp).
  void checkFinite(Machine &machine, const Instruction &instruction);

  // ---- Reports (Reports.cpp).
  Mark newMark(Mark flags, const Instruction &instruction, const char *what);
  // The mark of a result that took an undefined lane in with others.
  Mark takenIn(Mark mark, const Instruction &instruction);
  void report(CheckKind kind, Machine &machine, uint32_t place, std::string message,
              std::vector<std::string> notes = {}, std::optional<uint32_t> otherPlace = {});
  // What of the tensors that the launch writes it has left out.
  void reportGaps();
  bool isWanted(CheckKind kind) const;
  uint32_t placeOf(const Instruction &instruction) const { return program.facts[instruction.fact].place; }
  uint32_t numberOf(const Machine &machine) const;
  std::string programText(uint32_t number) const;

  struct Origin {
    uint32_t place;
    std::string what;
    // For arithmetic that wraps: the first case of it.
    std::string example;
    // An op that takes lanes together (a sum, a product) is where an undefined lane does its harm; this is where it
    // came from.
    unsigned cause = 0;
    bool takesLanesTogether = false;
  };
  const Origin *originOf(Mark mark) const;

  const Program &program;
  Launch &launch;
  CheckOptions options;
  std::vector<Rule> rules;
  std::vector<Allocation> tensors; // number of a tensor, minus one
  std::vector<Origin> origins;     // number of an origin, minus one
  std::map<uint32_t, unsigned> originOfFact;
  std::unique_ptr<Races> races;
  std::unique_ptr<Coverage> coverage;
  size_t smallestAccess = 8;
  std::map<std::tuple<CheckKind, std::string, unsigned>, size_t> reportOfLine;
  std::vector<CheckReport> reports;
};

} // namespace nereid::interp
