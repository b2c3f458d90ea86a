# RUN: not nereid-parse %s 2>&1 | grep "^%s:" | FileCheck %s --implicit-check-not=error:
# String literals and f-strings.
x = "abc
# CHECK: :[[@LINE-1]]:5: error: this string is not closed before the end of the line
x = 'abc\
def
# CHECK: :[[@LINE-2]]:5: error: this string is not closed before the end of the line
x = "\x4"  # CHECK: :[[@LINE]]:6: error: expected 2 hexadecimal digits in this escape
x = "\u12"  # CHECK: :[[@LINE]]:6: error: expected 4 hexadecimal digits in this escape
x = "\U00110000"  # CHECK: :[[@LINE]]:6: error: there is no such Unicode character (the last one is \U0010ffff)
x = "\N{no such name}"  # CHECK: :[[@LINE]]:6: error: no Unicode character is called `no such name`
x = "\N"  # CHECK: :[[@LINE]]:6: error: expected `{name}` after `\N`
x = b"é"  # CHECK: :[[@LINE]]:7: error: a bytes literal can hold only ASCII characters
x = "a" b"b"  # CHECK: :[[@LINE]]:5: error: cannot join a bytes literal and a string literal
x = f"{"
# CHECK: :[[@LINE-1]]:8: error: this string is not closed before the end of the line
x = f"{}"  # CHECK: :[[@LINE]]:8: error: expected an expression in the `{}` of an f-string, found `}`
x = f"{ }"  # CHECK: :[[@LINE]]:9: error: expected an expression in the `{}` of an f-string, found `}`
x = f"}"  # CHECK: :[[@LINE]]:7: error: a single `}` in an f-string; write `}}` for the character
x = f"{a b}"  # CHECK: :[[@LINE]]:10: error: expected `!`, `:` or `}`, found `b`
x = f"{a!x}"  # CHECK: :[[@LINE]]:10: error: expected `s`, `r` or `a` after `!` in an f-string, found `x`
x = f"{a! r}"  # CHECK: :[[@LINE]]:11: error: expected `s`, `r` or `a` after `!` in an f-string, found `r`
x = f"{a"
# CHECK: :[[@LINE-1]]:9: error: this string is not closed before the end of the line
x = f"{lambda x: 1}"  # CHECK: :[[@LINE]]:8: error: a lambda in an f-string needs parentheses around it
x = f"{*a}"  # CHECK: :[[@LINE]]:8: error: `*` cannot stand alone in the `{}` of an f-string
x = f"{a:{b}"  # CHECK: :[[@LINE]]:13: error: expected `}` before the end of the f-string
x = f"{a:{b!}}"  # CHECK: :[[@LINE]]:13: error: expected `s`, `r` or `a` after `!` in an f-string, found `}`
x = f"{(a}"  # CHECK: :[[@LINE]]:10: error: expected `)`, found `}`
y = 1 +  # CHECK: :[[@LINE]]:8: error: expected an expression, found the end of the line
x = f'''{a
b c}''' + 1
# CHECK: :[[@LINE-1]]:1: error: expected `!`, `:` or `}`, found `b`
y = 2 +  # CHECK: :[[@LINE]]:8: error: expected an expression, found the end of the line
# CHECK: :[[@LINE+1]]:5: error: this triple-quoted string is not closed
x = """never
