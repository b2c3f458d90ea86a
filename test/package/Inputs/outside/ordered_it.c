/* A kernel whose code calls into the run-time library. */
#include "ordered.h"

#include <stdio.h>

int main(void) {
  float x[16];
  for (int i = 0; i < 16; ++i)
    x[i] = (float)(i * 7 % 16);
  if (ordered_launch(1, 1, 1, x))
    return fputs(nereid_rt_last_error(), stderr), 1;
  for (int i = 0; i < 16; ++i)
    printf("%g ", x[i]);
  return 0;
}
