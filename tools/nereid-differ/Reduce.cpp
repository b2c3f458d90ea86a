// Reduce.cpp: removes statements, puts constants and operands in the place of results, opens loops and branches, and
// makes tiles, grids and tensors smaller, until nothing of that keeps the finding.
#include "Reduce.h"

#include "Facts.h"

#include <algorithm>
#include <cmath>

namespace nereid::differ {

namespace {

// The kind of an error message without what changes from program to program.
std::string essence(const std::string &message) {
  size_t at = message.find("error: ");
  std::string line =
      message.substr(at == std::string::npos ? 0 : at,
                     message.find('\n', at == std::string::npos ? 0 : at) - (at == std::string::npos ? 0 : at));
  std::erase_if(line, [](char c) { return c >= '0' && c <= '9'; });
  return line.substr(0, 60);
}

class Reducer {
public:
  Reducer(const Program &program, const Verdict &verdict, const EvaluateOptions &options, int limit)
      : best(program), verdict(verdict), options(options), limit(limit) {
    this->options.timeout = std::min(options.timeout, 10.0);
  }

  // The finding is kept under the checker's eye where it can be: a program that divides by 0 is none for the checker until that is
  // gone. Until then no tensor and no number gets smaller, as nobody would see what reaches beyond its tensor.
  Reduction run() {
    if (!becomesChecked() && !accepts(best))
      return {best, verdict, tried};
    for (bool isChanged = true; isChanged && tried < limit;) {
      isChanged = false;
      for (auto pass : {&Reducer::removeStatements, &Reducer::openBlocks, &Reducer::simplifyValues,
                        &Reducer::substituteCopies, &Reducer::removeUnused, &Reducer::shrinkGrid})
        isChanged |= (this->*pass)();
      if (!options.check)
        isChanged |= becomesChecked();
      if (options.check)
        isChanged |= shrinkParameters();
    }
    return {best, verdict, tried};
  }

private:
  bool accepts(const Program &candidate) {
    if (tried++ >= limit)
      return false;
    Verdict now = evaluateApart(makeCase(candidate), options);
    if (now.kind != verdict.kind)
      return false;
    if (now.kind == Verdict::Kind::Refused && essence(now.detail) != essence(verdict.detail))
      return false;
    verdict = now;
    return true;
  }

  bool becomesChecked() {
    options.check = true;
    options.check = accepts(best);
    return options.check;
  }

  bool keep(Program &&candidate) {
    if (!accepts(candidate))
      return false;
    best = std::move(candidate);
    return true;
  }

  // A path of indices to each statement of the program: the body of the kernel first, then those of the functions.
  // An `otherwise` block is counted after the body.
  static std::vector<Block *> blocksOf(Program &program) {
    std::vector<Block *> blocks;
    auto visit = [&](auto &self, Block &block) -> void {
      blocks.push_back(&block);
      for (Statement &statement : block) {
        if (!statement.body.empty())
          self(self, statement.body);
        if (!statement.otherwise.empty())
          self(self, statement.otherwise);
      }
    };
    visit(visit, program.body);
    for (Function &function : program.functions)
      visit(visit, function.body);
    return blocks;
  }

  static bool isUsedElsewhere(const Program &program, const Variable &variable) {
    if (usesName(program.body, variable.name))
      return true;
    return std::ranges::any_of(program.functions, [&](const Function &f) {
      return usesName(f.body, variable.name) || usesName(f.result, variable.name);
    });
  }

  // Tries `change` on every statement, the last ones first. It gives false where it has nothing to do.
  template <class Change> bool forEachStatement(Change change) {
    bool isChanged = false;
    for (size_t b = blocksOf(best).size(); b-- > 0;) {
      std::vector<Block *> blocks = blocksOf(best);
      if (b >= blocks.size())
        continue;
      for (size_t s = blocks[b]->size(); s-- > 0;) {
        if (tried >= limit)
          return isChanged;
        Program candidate = best;
        std::vector<Block *> copies = blocksOf(candidate);
        if (b >= copies.size() || s >= copies[b]->size() || (*copies[b])[s].isFixed ||
            !change(candidate, *copies[b], s))
          continue;
        isChanged |= keep(std::move(candidate));
      }
    }
    return isChanged;
  }

  bool removeStatements() {
    return forEachStatement([](Program &program, Block &block, size_t s) {
      Statement removed = std::move(block[s]);
      block.erase(block.begin() + int64_t(s));
      return removed.isCompound() || std::ranges::none_of(removed.defines, [&](const Variable &v) {
               return isUsedElsewhere(program, v) && !definesName(program.body, v.name);
             });
    });
  }

  // In one step, for what a removed store leaves behind.
  bool removeUnused() {
    Program candidate = best;
    bool isAny = false;
    for (bool isChanged = true; isChanged;) {
      isChanged = false;
      for (Block *block : blocksOf(candidate))
        for (size_t s = block->size(); s-- > 0 && !isChanged;) {
          const Statement &statement = (*block)[s];
          if (statement.isCompound() || statement.isFixed || statement.defines.empty() ||
              statement.text.find("atomic") != std::string::npos)
            continue;
          if (std::ranges::any_of(statement.defines, [&](const Variable &v) { return isUsedElsewhere(candidate, v); }))
            continue;
          block->erase(block->begin() + int64_t(s));
          isChanged = isAny = true;
        }
    }
    return isAny && keep(std::move(candidate));
  }

  // A loop or a branch becomes what stands in it.
  bool openBlocks() {
    bool isChanged = false;
    for (bool takesOther : {false, true})
      isChanged |= forEachStatement([takesOther](Program &, Block &block, size_t s) {
        if (!block[s].isCompound())
          return false;
        Block inner = takesOther ? block[s].otherwise : block[s].body;
        if (inner.empty())
          return false;
        for (Statement &statement : inner) // the step of a `while` that is none any more
          statement.isFixed = false;
        if (!block[s].firstIndex.empty() && !takesOther && block[s].firstIndex.find('=') != std::string::npos)
          inner.insert(inner.begin(), {.text = block[s].firstIndex});
        block.erase(block.begin() + int64_t(s));
        block.insert(block.begin() + int64_t(s), inner.begin(), inner.end());
        return true;
      });
    return isChanged;
  }

  // A name for another name: the other one stands in its place.
  bool substituteCopies() {
    return forEachStatement([](Program &program, Block &block, size_t s) {
      const Statement copy = block[s];
      if (copy.defines.size() != 1 || copy.isCompound())
        return false;
      std::vector<Variable> variables = variablesOf(program);
      if (std::ranges::find(variables, copy.text, &Variable::name) == variables.end())
        return false;
      block.erase(block.begin() + int64_t(s));
      bool isDefinedAgain = false;
      for (Block *other : blocksOf(program))
        for (Statement &statement : *other) {
          for (const Variable &v : statement.defines)
            isDefinedAgain |= v.name == copy.defines[0].name || (v.name == copy.text && other != &block);
          replaceName(statement.text, copy.defines[0].name, copy.text);
        }
      for (Function &function : program.functions)
        replaceName(function.result, copy.defines[0].name, copy.text);
      return !isDefinedAgain;
    });
  }

  static std::string constantText(const Variable &v, double number) {
    std::string value = v.type.dtype == DType::Int1 ? (number != 0 ? "True" : "False")
                        : isFloat(v.type.dtype)     ? std::to_string(number)
                                                    : std::to_string(int64_t(number));
    return "tl.full(" + text(v.type.shape) + ", " + value + ", " + languageName(v.type.dtype) + ")";
  }

  // The variables of a program by name, as they are defined first.
  static std::vector<Variable> variablesOf(Program &program) {
    std::vector<Variable> variables;
    for (Block *block : blocksOf(program))
      for (const Statement &statement : *block)
        for (const Variable &v : statement.defines)
          if (std::ranges::find(variables, v.name, &Variable::name) == variables.end())
            variables.push_back(v);
    return variables;
  }

  // A result becomes one of its operands, or a constant, if those keep to the facts that were promised for it.
  bool simplifyValues() {
    bool isChanged = forEachStatement([](Program &program, Block &block, size_t s) {
      Statement &statement = block[s];
      if (statement.defines.size() != 1 || statement.isCompound() || statement.defines[0].isPointer)
        return false;
      const Variable &v = statement.defines[0];
      for (const Variable &operand : variablesOf(program))
        if (operand.name != v.name && operand.name != statement.text && operand.type == v.type && !operand.isPointer &&
            v.facts.covers(operand.facts) && usesName(statement.text, operand.name)) {
          statement.text = operand.name;
          return true;
        }
      return false;
    });
    for (double wanted : {0.0, 1.0})
      isChanged |= forEachStatement([wanted](Program &, Block &block, size_t s) {
        Statement &statement = block[s];
        if (statement.defines.size() != 1 || statement.isCompound() || statement.defines[0].isPointer)
          return false;
        const Variable &v = statement.defines[0];
        double number = std::clamp(wanted, v.facts.low, v.facts.high);
        if (statement.text.starts_with("tl.full") || statement.text.find("program_id") != std::string::npos ||
            number != std::floor(number))
          return false;
        statement.text = constantText(v, number);
        return true;
      });
    return isChanged;
  }

  bool shrinkTo(size_t p, int64_t Parameter::*field, std::initializer_list<int64_t> values) {
    for (int64_t value : values) {
      if (value >= best.parameters[p].*field || value < 0)
        continue;
      Program candidate = best;
      candidate.parameters[p].*field = value;
      if (keep(std::move(candidate)))
        return true;
    }
    return false;
  }

  bool shrinkParameters() {
    bool isChanged = false;
    std::vector<Parameter> used = makeCase(best).parameters;
    for (size_t p = 0; p < best.parameters.size(); ++p) {
      const Parameter current = best.parameters[p];
      if (std::ranges::find(used, current.name, &Parameter::name) == used.end())
        continue;
      int64_t least = current.low > 0 ? 1 : 0; // divisors stay above 0
      switch (current.kind) {
      case Parameter::Kind::Extent:
        isChanged |=
            shrinkTo(p, &Parameter::integer,
                     {1, 2, std::max<int64_t>(current.integer / 4, 1), std::max<int64_t>(current.integer / 2, 1)});
        break;
      case Parameter::Kind::Integer:
        isChanged |= shrinkTo(p, &Parameter::integer,
                              {least, 1, std::max(least, current.integer / 4), std::max(least, current.integer / 2)});
        break;
      case Parameter::Kind::Tensor:
        isChanged |=
            shrinkTo(p, &Parameter::count, {1, 2, 8, 32, current.count / 4, current.count / 2, current.count * 3 / 4});
        isChanged |= shrinkTo(p, &Parameter::offset, {0, 1});
        isChanged |= simplifyFill(p);
        break;
      default: break;
      }
    }
    return isChanged;
  }

  bool simplifyFill(size_t p) {
    const Parameter &tensor = best.parameters[p];
    if (tensor.fill != Fill::Bits || !tensor.aliasOf.empty())
      return false;
    Program candidate = best;
    Parameter &simpler = candidate.parameters[p];
    simpler.fill = Fill::Integers;
    simpler.low = isFloat(tensor.dtype) || isSigned(tensor.dtype) ? -1 : 0, simpler.high = 1;
    return keep(std::move(candidate));
  }

  bool shrinkGrid() {
    bool isChanged = false;
    for (size_t axis = 0; axis < 3; ++axis)
      for (int64_t extent : {int64_t(1), best.grid[axis] / 2}) {
        if (extent < 1 || extent >= best.grid[axis])
          continue;
        Program candidate = best;
        candidate.grid[axis] = extent;
        isChanged |= keep(std::move(candidate));
      }
    return isChanged;
  }

  Program best;
  Verdict verdict;
  EvaluateOptions options;
  int limit, tried = 0;
};

} // namespace

Reduction reduce(const Program &program, const Verdict &verdict, const EvaluateOptions &options, int limit) {
  return Reducer(program, verdict, options, limit).run();
}

} // namespace nereid::differ
