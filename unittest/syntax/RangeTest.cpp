// RangeTest.cpp: exact source ranges, where the comparison with CPython cannot look: inside f-strings, and the ranges
// that CPython does not keep.
#include "Parsing.h"

namespace nereid::syntax {

TEST(Range, AttributeNameAndFunctionName) {
  Parsed parsed("a . bc\ndef name(x): pass\n");
  EXPECT_EQ(parsed.slice(cast<Attribute>(parsed.expression()).attrRange), "bc");
  EXPECT_EQ(parsed.slice(static_cast<const FunctionDef *>(parsed.statement(1))->nameRange), "name");
}

TEST(Range, ParenthesesBelongToTheOperationButNotToTheOperand) {
  Parsed parsed("(a) + (b)");
  const auto &sum = cast<BinOp>(parsed.expression());
  EXPECT_EQ(parsed.slice(sum.range), "(a) + (b)");
  EXPECT_EQ(parsed.slice(sum.left->range), "a");
  EXPECT_EQ(parsed.slice(sum.right->range), "b");
}

TEST(Range, FieldsOfFStrings) {
  Parsed parsed("f'ab{x + 1!r:>{width}}cd'");
  const auto &joined = cast<JoinedStr>(parsed.expression());
  ASSERT_EQ(joined.values.size(), 3u);
  EXPECT_EQ(parsed.slice(joined.range), "f'ab{x + 1!r:>{width}}cd'");
  const auto &field = cast<FormattedValue>(joined.values[1]);
  EXPECT_EQ(parsed.slice(field.range), "{x + 1!r:>{width}}");
  EXPECT_EQ(parsed.slice(field.value->range), "x + 1");
  EXPECT_EQ(field.conversion, 'r');
  EXPECT_EQ(parsed.slice(field.formatSpec->range), ">{width}");
  EXPECT_EQ(parsed.slice(joined.values[0]->range), "ab");
}

TEST(Range, KeywordsAndGenerators) {
  Parsed parsed("f(a, key = 1, **rest)\ng(x for x in y)\n");
  const auto &call = cast<Call>(parsed.expression());
  EXPECT_EQ(parsed.slice(call.keywords[0]->range), "key = 1");
  EXPECT_EQ(parsed.slice(call.keywords[1]->range), "**rest");
  EXPECT_EQ(parsed.slice(cast<Call>(parsed.expression(1)).args[0]->range), "(x for x in y)");
}

TEST(Range, BlocksEndWithTheirLastWord) {
  Parsed parsed("if x:\n    y\n\n# comment\n\nz\n");
  EXPECT_EQ(parsed.slice(parsed.statement()->range), "if x:\n    y");
}

TEST(Range, OffsetsAreBytes) {
  Parsed parsed("'é' + b\n");
  EXPECT_EQ(parsed.slice(cast<BinOp>(parsed.expression()).right->range), "b");
  EXPECT_EQ(parsed.file.source->position(cast<BinOp>(parsed.expression()).right->range.begin).column, 8u);
}

TEST(Values, TextWithoutEscapesIsNotCopied) {
  Parsed parsed("'plain'\n'a\\n'\nname\n");
  std::string_view text = parsed.file.source->text();
  auto isInSource = [&](std::string_view part) {
    return part.data() >= text.data() && part.data() < text.data() + text.size();
  };
  EXPECT_TRUE(isInSource(cast<Constant>(parsed.expression(0)).text));
  EXPECT_FALSE(isInSource(cast<Constant>(parsed.expression(1)).text));
  EXPECT_EQ(cast<Constant>(parsed.expression(1)).text, "a\n");
  EXPECT_TRUE(isInSource(cast<Name>(parsed.expression(2)).id));
}

TEST(Values, NumbersAsTheTreeHoldsThem) {
  Parsed parsed("1_000\n0x_ff\n1_0.5e1\n2.5j\n");
  EXPECT_EQ(cast<Constant>(parsed.expression(0)).text, "1000");
  EXPECT_EQ(cast<Constant>(parsed.expression(1)).text, "0xff");
  EXPECT_EQ(cast<Constant>(parsed.expression(2)).number, 105.0);
  EXPECT_EQ(cast<Constant>(parsed.expression(3)).constantKind, ConstantKind::Complex);
  EXPECT_EQ(cast<Constant>(parsed.expression(3)).number, 2.5);
}

} // namespace nereid::syntax
