// Accesses.h: what the programs of a test read and write, as a picture of each tensor: the first thing to look at when a result is
// wrong.
#pragma once

#include "learn/Scene.h"

namespace nereid::learn {

// One tensor; the letters are in row-major order: `r` read, `w` written, `b` both, `.` neither.
struct AccessPicture {
  std::string tensor;
  Shape shape;
  std::string letters;
};

// Of small tests: few programs, few elements. Runs the launches once more, on the tensors of the scene. Empty where nothing can be
// shown; what is wrong with the kernel was said before.
std::vector<AccessPicture> pictureAccesses(jit::KernelModule &module, const Scene &scene, const Test &test,
                                           double seconds);

std::string textOf(const std::vector<AccessPicture> &pictures);

} // namespace nereid::learn
