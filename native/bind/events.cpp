// One event at a time: a dict or a pair of arrays, read, predicted, learned and counted in one call.
#include "arrays.h"
#include "parts.h"

namespace littlestone::bind {

void define_events(nb::module_& /*module*/) {}

}  // namespace littlestone::bind
