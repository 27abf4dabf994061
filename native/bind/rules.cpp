// Rules over experts: loops over rounds of advice.
#include "arrays.h"
#include "parts.h"

namespace littlestone::bind {

void define_rules(nb::module_& /*module*/) {}

}  // namespace littlestone::bind
