// Parsers of text: VW, libsvm, CSV, words; tables of names.
#include "arrays.h"
#include "parts.h"

namespace littlestone::bind {

void define_text(nb::module_& /*module*/) {}

}  // namespace littlestone::bind
