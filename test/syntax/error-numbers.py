# RUN: not nereid-parse %s 2>&1 | grep "^%s:" | FileCheck %s --implicit-check-not=error:
# Number literals.
x = 0777  # CHECK: :[[@LINE]]:5: error: leading zeros are not allowed in a decimal number; write `0o` before an octal one
x = 1__0  # CHECK: :[[@LINE]]:6: error: expected a digit after `_` in a number
x = 1_  # CHECK: :[[@LINE]]:6: error: expected a digit after `_` in a number
x = 0x  # CHECK: :[[@LINE]]:5: error: expected a hexadecimal digit in this number
x = 0xg  # CHECK: :[[@LINE]]:5: error: expected a hexadecimal digit in this number
x = 0b12  # CHECK: :[[@LINE]]:5: error: expected a binary digit in this number
x = 0o8  # CHECK: :[[@LINE]]:5: error: expected an octal digit in this number
x = 1abc  # CHECK: :[[@LINE]]:5: error: a decimal number cannot be followed by a name
x = 1.5abc  # CHECK: :[[@LINE]]:5: error: a decimal number cannot be followed by a name
x = 1e+  # CHECK: :[[@LINE]]:5: error: expected digits in the exponent of a number
x = 2jx  # CHECK: :[[@LINE]]:5: error: an imaginary number cannot be followed by a name
x = 0_x  # CHECK: :[[@LINE]]:6: error: expected a digit after `_` in a number
