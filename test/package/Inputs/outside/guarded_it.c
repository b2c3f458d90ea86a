/* Assertions, prints and refused arguments of a kernel that was compiled ahead of time. */
#include "guarded.h"

#include <stdio.h>

static void show(nereid_rt_status status) { printf("%d %s\n", status, status ? nereid_rt_last_error() : "fine"); }

int main(void) {
  _Alignas(16) int32_t x[20] = {0};
  x[3] = 21;
  show(guarded_launch(1, 1, 1, x, 5));
  printf("%d\n", x[3]);
  show(guarded_launch(1, 1, 1, x, 100));
  show(guarded_launch(1, 1, 1, x + 1, 5));
  show(guarded_launch(0, 1, 1, x, 5));
  nereid_rt_set_threads(1);
  show(guarded_launch(2, 1, 1, x, 5));
  return 0;
}
