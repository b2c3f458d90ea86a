// ReadSourceTest.cpp: encodings, byte order marks and files that cannot be read.
#include "syntax/Parser.h"

#include <gtest/gtest.h>

namespace nereid::syntax {

static std::string decoded(std::string bytes) {
  Diagnostics diagnostics;
  SourceRef source = makeSource("test.py", std::move(bytes), diagnostics);
  return source ? std::string(source->text()) : "error: " + diagnostics.all().at(0).message;
}

TEST(Encoding, DeclaredOnTheFirstOrSecondLine) {
  EXPECT_EQ(decoded("# coding: latin-1\n'\xe9'"), "# coding: latin-1\n'é'");
  EXPECT_EQ(decoded("#!/usr/bin/python\n# -*- coding: cp1252 -*-\n'\x80'"),
            "#!/usr/bin/python\n# -*- coding: cp1252 -*-\n'€'");
  EXPECT_EQ(decoded("# vim: set fileencoding=koi8-r :\n'\xc1'"), "# vim: set fileencoding=koi8-r :\n'а'");
  EXPECT_EQ(decoded("\r\n# coding=ISO-8859-15\r\n'\xa4'"), "\r\n# coding=ISO-8859-15\r\n'€'");
}

TEST(Encoding, NotDeclaredAfterCodeOrOnTheThirdLine) {
  EXPECT_EQ(decoded("x = 1\n# coding: nothing\n"), "x = 1\n# coding: nothing\n");
  EXPECT_EQ(decoded("\n\n# coding: nothing\n"), "\n\n# coding: nothing\n");
  EXPECT_EQ(decoded("x = '# coding: nothing'\n"), "x = '# coding: nothing'\n");
}

TEST(Encoding, ByteOrderMarkIsDropped) {
  EXPECT_EQ(decoded("\xEF\xBB\xBFx"), "x");
  EXPECT_EQ(decoded("\xEF\xBB\xBF# coding: utf-8\nx"), "# coding: utf-8\nx");
  EXPECT_EQ(decoded("\xEF\xBB\xBF# coding: latin-1\nx"),
            "error: the file begins with a UTF-8 mark but declares the encoding `latin-1`");
}

TEST(Encoding, UnknownNamesAndBytes) {
  EXPECT_EQ(decoded("# coding: foo-8\n"), "error: the encoding `foo-8` is not known; save the file as UTF-8");
  EXPECT_EQ(decoded("# coding: ascii\n'\xe9'"), "error: this byte has no meaning in the declared encoding `ascii`");
  EXPECT_EQ(decoded("# coding: cp1252\n'\x81'"), "error: this byte has no meaning in the declared encoding `cp1252`");
}

TEST(ReadSource, MissingFilesAndDirectories) {
  Diagnostics diagnostics;
  EXPECT_EQ(readSource("/no/such/file.py", diagnostics), nullptr);
  EXPECT_EQ(readSource("/", diagnostics), nullptr);
  EXPECT_EQ(readSource("/dev/zero", diagnostics), nullptr);
  ASSERT_EQ(diagnostics.all().size(), 3u);
  EXPECT_EQ(diagnostics.all()[0].message, "cannot read `/no/such/file.py`: No such file or directory");
  EXPECT_EQ(diagnostics.all()[1].message, "expected a Python file, but `/` is a directory");
  EXPECT_EQ(diagnostics.all()[2].message, "`/dev/zero` is too large for a source file (the limit is 16 MiB)");
}

} // namespace nereid::syntax
