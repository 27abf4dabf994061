// Learners of several classes, and what reductions to two classes need.
#include "arrays.h"
#include "parts.h"

namespace littlestone::bind {

void define_classes(nb::module_& /*module*/) {}

}  // namespace littlestone::bind
