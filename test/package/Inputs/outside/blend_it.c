/* Runs a kernel that was compiled ahead of time, with the run-time library alone. */
#include "blend.h"

#include <math.h>
#include <stdio.h>

enum { kCount = 1000 };

int main(void) {
  static float x[kCount + 1], y[kCount + 1], out[kCount + 1];
  for (int i = 0; i <= kCount; ++i) {
    x[i] = (float)i;
    y[i] = 1.0f / (float)(i + 1);
    out[i] = -7.0f;
  }
  /* A fraction: it arrives as a float, and not as an integer or a double. Addresses that no vector is aligned to. */
  if (blend_launch((kCount + 63) / 64, 1, 1, x + 1, y + 1, out + 1, kCount - 1, 0.3f)) {
    fprintf(stderr, "%s\n", nereid_rt_last_error());
    return 1;
  }
  double largest = 0;
  for (int i = 1; i < kCount; ++i)
    largest = fmax(largest, fabs(out[i] - (0.3f * (double)x[i] + y[i])));
  int isUntouched = out[0] == -7.0f && out[kCount] == -7.0f;
  printf("%s %s\n", largest < 1e-4 ? "right" : "wrong", isUntouched ? "bounded" : "written outside");
  return 0;
}
