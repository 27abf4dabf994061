// Searches for comparators in hindsight, and dimensions.
#include "arrays.h"
#include "parts.h"

namespace littlestone::bind {

void define_search(nb::module_& /*module*/) {}

}  // namespace littlestone::bind
