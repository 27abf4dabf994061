// Checks, counts, sorts and digests of blocks; tables of keys.
#include <stdexcept>
#include <utility>
#include <nanobind/stl/pair.h>
#include "../blocks/columns_to_rows.h"
#include "../blocks/digest.h"
#include "../blocks/feature_columns.h"
#include "../blocks/key_table.h"
#include "../blocks/repeats.h"
#include "../blocks/rows.h"
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

void require(bool kept, const char* what) {
    if (!kept) throw std::invalid_argument(what);
}

void define_digest(nb::module_& module) {
    module.attr("LONG_NAME") = blocks::long_name;
    module.attr("DIGEST_SPARE") = blocks::digest_spare;
    module.def("number_columns", &blocks::number_columns, Released());
    module.def(
        "write_rows",
        [](KnownPlaces indptr, Column<const std::uint32_t> indices, Optional<const float> values, Column<const std::int32_t> labels,
           Optional<const float> weights, Column<const std::uint64_t> keys, Column<const std::uint64_t> words, Column<const Byte> lengths,
           KnownPlaces starts, Column<const Byte> names, Column<Byte> out) {
            const blocks::DigestNames named{keys, words, lengths, starts, names};
            return blocks::write_rows(indptr, indices, data_or_null(values), labels, data_or_null(weights), named, out);
        },
        nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        Released());
}

template <class In, class Out>
void define_turn(nb::module_& module) {
    module.def(
        "turn_columns",
        [](Matrix<const In> columns, std::size_t start, Matrix<Out> rows) {
            require(start + rows.size() <= columns.columns && rows.columns == columns.size(), "the rows must lie within the columns");
            blocks::turn_columns(columns, start, rows);
        },
        Released());
}

template <class Out>
void define_turns(nb::module_& module) {
    define_turn<std::uint8_t, Out>(module);
    define_turn<std::int32_t, Out>(module);
    define_turn<std::int64_t, Out>(module);
    define_turn<float, Out>(module);
    define_turn<double, Out>(module);
    module.def(
        "turn_bits",
        [](Matrix<const std::uint8_t> columns, std::size_t start, Matrix<Out> rows) {
            const bool inside = (start + rows.size() + 7) / 8 <= columns.columns && rows.columns == columns.size();
            require(start % 8 == 0 && inside, "the rows must lie within the columns, and begin with a byte");
            blocks::turn_bits(columns, start, rows);
        },
        Released());
}

void define_columns_to_rows(nb::module_& module) {
    define_turns<float>(module);
    define_turns<double>(module);
    module.def("has_infinity", &blocks::has_infinity<float>, Released());
    module.def("has_infinity", &blocks::has_infinity<double>, Released());
}

void define_key_tables(nb::module_& module) {
    module.def("group_rounds", &blocks::group_rounds, Released());
    module.def(
        "enter_features",
        [](std::size_t first, KnownPlaces keys, KnownPlaces starts, KnownPlaces indptr, Column<const std::uint32_t> indices,
           Column<std::uint32_t> pool, Places begins, Places lengths, Places used, Places old_begins, Places old_lengths, Places end) {
            const auto entered =
                blocks::enter(first, {keys, starts, indptr, indices}, {pool, begins, lengths}, used, old_begins, old_lengths, end);
            return std::pair{entered.first, entered.room};
        },
        Released());
    module.def(
        "look_up_features",
        [](KnownPlaces keys, KnownPlaces starts, KnownPlaces indptr, Column<const std::uint32_t> indices, Column<std::uint32_t> pool,
           Places begins, Places lengths, Column<std::uint32_t> places) {
            blocks::look_up({keys, starts, indptr, indices}, {pool, begins, lengths}, places);
        },
        Released());
    module.def(
        "count_rounds",
        [](KnownPlaces keys, KnownPlaces starts, KnownPlaces indptr, Column<const std::uint32_t> indices, Optional<const float> values,
           Column<const std::int32_t> labels, Optional<const float> weights, Column<const bool> predictions, Matrix<std::int64_t> tally,
           Matrix<double> measures, Matrix<std::int64_t> sizes, Column<double> largest, Matrix<bool> flags) {
            blocks::count_rounds({keys, starts, indptr, indices}, data_or_null(values), labels, data_or_null(weights), predictions,
                                 {tally, measures, sizes, largest, flags});
        },
        nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg(), nb::arg(), Released());
    module.def("follow_better", &blocks::follow_better, Released());
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

template <class Label>
void define_counts(nb::module_& module) {
    using Labels = Column<const Label>;
    module.def("count", &blocks::count<Label>, Released());
    module.def(
        "measure",
        [](KnownPlaces starts, Optional<const float> values, Optional<const double> squares, Labels labels, Optional<const float> weights,
           Column<const bool> predictions, Column<double> lengths) {
            blocks::measure(starts, data_or_null(values), data_or_null(squares), labels, data_or_null(weights), predictions, {lengths});
        },
        nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), Released());
}

void define_rows(nb::module_& module) {
    using Indices = Column<const std::uint32_t>;
    module.def("is_well_formed", &blocks::is_well_formed, Released());
    module.def("longest_row", &blocks::longest_row<std::int32_t>, Released());
    module.def("longest_row", &blocks::longest_row<std::int64_t>, Released());
    module.def(
        "examine",
        [](KnownPlaces starts, Indices indices, Optional<const std::int32_t> bits) {
            blocks::Examined found;
            {
                const nb::gil_scoped_release unlocked;
                found = blocks::examine(starts, indices, data_or_null(bits));
            }
            return nb::make_tuple(found.top, found.bottom, found.falls, found.longest, found.least, found.most);
        },
        nb::arg("indptr"), nb::arg("indices"), nb::arg("bits").none(),
        "Return the largest and the smallest index, how often an index does not exceed the one before it in its row, the longest row, and "
        "the smallest and the largest bits.");
    module.def(
        "sort_row",
        [](Column<std::uint32_t> indices, Optional<float> values, std::size_t n) {
            require(n <= indices.size() && (!values || n <= values->size()), "the row must lie within its arrays");
            blocks::RowSorter().sort(indices.data, data_or_null(values), n);
        },
        nb::arg("indices"), nb::arg("values").none(), nb::arg("n"), "Sort the first n features by index.");
    module.def(
        "sort_rows",
        [](KnownPlaces starts, Column<std::uint32_t> indices, Optional<float> values) {
            blocks::sort_rows(starts, indices, data_or_null(values));
        },
        nb::arg("indptr"), nb::arg("indices"), nb::arg("values").none(), Released());
    module.def("drop_zeros", &blocks::drop_zeros, Released());
    module.def(
        "pick_rows",
        [](KnownPlaces starts, Indices indices, Optional<const float> values, KnownPlaces numbers, KnownPlaces ends,
           Column<std::uint32_t> own_indices, Optional<float> own_values) {
            blocks::pick(starts, indices, data_or_null(values), numbers, ends, own_indices, data_or_null(own_values));
        },
        nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), Released());
    module.def("most_negative", &blocks::most_negative, Released());
    module.def("first_repeated", &blocks::first_repeated, Released());
    module.def("are_whole", &blocks::are_whole, Released());
    define_counts<std::int8_t>(module);
    define_counts<std::int32_t>(module);
    module.def(
        "measure_rows",
        [](KnownPlaces starts, Optional<const float> values, Column<double> squares, Column<double> largest) {
            blocks::measure_rows(starts, data_or_null(values), squares, largest);
        },
        nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), Released());
    module.def(
        "row_code",
        [](Indices indices, Optional<const float> values, std::size_t n) { return blocks::row_code(row_of(indices, values, 0, n)); },
        nb::arg("indices"), nb::arg("values").none(), nb::arg("n"),
        "Return 4·(largest index) + 2·(index 0 is there) + (indices do not increase strictly), or -1-k where value k is not finite.");
    module.def(
        "copied_row_code",
        [](Indices columns, Column<const float> numbers, Column<std::uint32_t> indices, Column<float> values, std::size_t n) {
            require(n <= std::min({columns.size(), numbers.size(), indices.size(), values.size()}), "the row must lie within its arrays");
            std::copy_n(columns.data, n, indices.data);
            std::copy_n(numbers.data, n, values.data);
            return blocks::row_code({{indices.data, n}, values.data});
        },
        "Copy a row of n features, and return the code of the copy: what is checked is what is played, whatever others write meanwhile.");
    module.def(
        "count_classes",
        [](KnownPlaces starts, Optional<const float> values, Optional<const double> squares, Column<const std::int32_t> labels,
           Optional<const float> weights, Column<const std::int32_t> predictions, std::int64_t seen, Matrix<std::int64_t> confusion,
           Places tally, Column<double> lengths) {
            blocks::count_classes(starts, data_or_null(values), data_or_null(squares), labels, data_or_null(weights), predictions, seen,
                                  {confusion, tally, lengths});
        },
        nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        Released());
}

}  // namespace

void define_blocks(nb::module_& module) {
    define_rows(module);
    define_repeats(module);
    define_feature_columns(module);
    define_digest(module);
    define_columns_to_rows(module);
    define_key_tables(module);
}

}  // namespace littlestone::bind
