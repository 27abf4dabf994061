// Checks, counts, sorts and digests of blocks; tables of keys.
#include "arrays.h"
#include "parts.h"

namespace littlestone::bind {

void define_blocks(nb::module_& /*module*/) {}

}  // namespace littlestone::bind
