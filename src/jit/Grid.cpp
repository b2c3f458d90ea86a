#include "jit/Grid.h"

#include "lang/Loader.h"
#include "syntax/Parser.h"

namespace nereid::jit {

using lang::Value;

std::array<uint32_t, 3> checkGrid(lang::Session &session, const std::vector<int64_t> &grid) {
  if (grid.empty() || grid.size() > 3)
    session.fail("a grid has one to three extents, but this one has " + std::to_string(grid.size()));
  constexpr int64_t kMax = (int64_t(1) << 31) - 1;
  std::array<uint32_t, 3> result{1, 1, 1};
  for (size_t i = 0; i < grid.size(); ++i) {
    if (grid[i] < 0 || grid[i] > kMax)
      session.fail("extent " + std::to_string(i) + " of the grid is " + std::to_string(grid[i]) + ", but it must be between 0 and 2^31 - 1");
    result[i] = uint32_t(grid[i]);
  }
  return result;
}

// The expression as a syntax tree; the file stays alive in `keep`.
static const syntax::Expr *parseExpression(lang::Session &session, const std::string &text, std::unique_ptr<syntax::ParsedFile> &keep) {
  Diagnostics problems;
  auto source = std::make_shared<const Source>("<grid>", text + "\n");
  keep = std::make_unique<syntax::ParsedFile>(syntax::parseFile(source, problems));
  if (problems.hasErrors() || keep->body.size() != 1 || keep->body[0]->kind != syntax::StmtKind::Expr)
    session.fail("the grid `" + text + "` is not a Python expression",
                 problems.all().empty() ? std::vector<std::string>{} : std::vector<std::string>{problems.all().front().message});
  return syntax::cast<syntax::ExprStmt>(keep->body[0]).value;
}

std::array<uint32_t, 3> evaluateGrid(lang::ConstEval &eval, const lang::Function &kernel, const std::string &text, const Value &arguments) {
  std::unique_ptr<syntax::ParsedFile> file;
  const syntax::Expr *expression = parseExpression(eval.session, text, file);
  auto scope = std::make_shared<lang::Scope>();
  scope->parent = kernel.module->globals;
  std::shared_ptr<lang::Module> triton = lang::builtinModule("triton", eval.session);
  for (const char *name : {"cdiv", "next_power_of_2"})
    scope->names[name] = eval.attribute(Value(triton), name);
  scope->names["triton"] = Value(triton);
  for (const auto &[name, value] : arguments.object<lang::DictObject>()->items)
    scope->names[*name.str()] = value;

  Value result = eval.evaluate(expression, scope);
  if (result.object<lang::Function>())
    result = eval.call(result, std::vector<lang::CallArgument>{{arguments, "", {}}});
  lang::Values extents = result.integer() ? lang::Values{result} : eval.iterate(result);
  std::vector<int64_t> grid;
  for (const Value &extent : extents) {
    auto number = extent.integer();
    if (!number)
      eval.session.fail("the grid `" + text + "` gives " + lang::repr(result) + ", but its extents must be integers", {}, "TypeError");
    constexpr lang::Integer kLimit = lang::Integer(1) << 62;
    grid.push_back(int64_t(std::clamp<lang::Integer>(*number, -kLimit, kLimit)));
  }
  return checkGrid(eval.session, grid);
}

} // namespace nereid::jit
