// Learners of finite state and of powers: the Winnow family, sets of concepts, memorizers.
#include "arrays.h"
#include "parts.h"

namespace littlestone::bind {

void define_combinatorial(nb::module_& /*module*/) {}

}  // namespace littlestone::bind
