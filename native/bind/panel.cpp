// What a panel makes of its members: blends, forecasts, and the walk over a row.
#include "arrays.h"
#include "parts.h"

namespace littlestone::bind {

void define_panel(nb::module_& /*module*/) {}

}  // namespace littlestone::bind
