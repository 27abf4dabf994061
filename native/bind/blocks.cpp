// Checks, counts, sorts and digests of blocks; tables of keys.
#include <stdexcept>
#include <utility>
#include <nanobind/stl/pair.h>
#include "../blocks/feature_columns.h"
#include "../blocks/repeats.h"
#include "arrays.h"
#include "parts.h"

namespace littlestone::bind {

namespace {

using Released = nb::call_guard<nb::gil_scoped_release>;
using Places = Column<std::int64_t>;
using KnownPlaces = Column<const std::int64_t>;

std::pair<std::int64_t, std::int64_t> add_up(Places indptr, Column<std::uint32_t> indices, Column<float> values, Column<std::uint32_t> stamp,
                                             Column<std::uint32_t> place, std::uint32_t tick, Places bad, Column<double> sums) {
    const auto found = blocks::add_up(indptr, indices, values, stamp, place, tick, bad, sums);
    return {found.features, found.bad};
}

void define_repeats(nb::module_& module) {
    module.def("find_repeats", &blocks::find_repeats, Released());
    module.def("add_up", &add_up, Released());
}

void define_feature_columns(nb::module_& module) {
    module.def(
        "place_features",
        [](Column<const std::int32_t> counts, Column<const std::int32_t> codes, std::int32_t shift, Optional<const float> values, Places at,
           Column<std::int32_t> indices,
           Column<float> out) { blocks::place_features(counts, codes, shift, data_or_null(values), at, indices, out); },
        nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), Released());
    module.def("number_by_appearance", &blocks::number_by_appearance, Released());
}

}  // namespace

void define_blocks(nb::module_& module) {
    define_repeats(module);
    define_feature_columns(module);
}

}  // namespace littlestone::bind
