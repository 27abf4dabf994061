// Searches: dimensions of concept classes, and vectors, sets and paths to compare a learner with.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>
#include "../search/cover.h"
#include "../search/dual_pnorm.h"
#include "../search/expectations.h"
#include "../search/labellings.h"
#include "../search/lasso.h"
#include "../search/nearest.h"
#include "../search/paths.h"
#include "../search/shattering.h"
#include "../search/threshold_chains.h"
#include "arrays.h"
#include "parts.h"

namespace littlestone::bind {

namespace {

using Unlocked = nb::call_guard<nb::gil_scoped_release>;
using Words = Column<const std::uint64_t>;

// What a search answers; nothing where its memo is full.
template <class Search>
std::optional<bool> answer_of(Search search) {
    try {
        return search();
    } catch (const MemoIsFull&) {
        return std::nullopt;
    }
}

Set set_of(const Words& words) { return {words.begin(), words.end()}; }

void define_dimensions(nb::module_& module) {
    nb::class_<Memo>(module, "Memo")
        .def(nb::init<std::size_t, std::size_t, std::size_t>(), nb::arg("words"), nb::arg("notes"), nb::arg("most"))
        .def_ro("most", &Memo::most);
    module.def("littlestone_at_least",
               [](Words set, std::int64_t d, Points columns, Memo& memo) {
                   return answer_of([&] { return littlestone_at_least(set_of(set), d, columns, memo); });
               },
               Unlocked(), nb::arg("set"), nb::arg("d"), nb::arg("columns"), nb::arg("memo"),
               "Return whether the Littlestone dimension of a set of concepts is at least d; None where the memo is full.");
    module.def("halving_errs",
               [](Words set, std::int64_t d, Points columns, Column<const bool> straight, Column<const bool> flipped, Memo& memo) {
                   return answer_of([&] { return halving_errs(set_of(set), d, columns, straight, flipped, memo); });
               },
               Unlocked(), nb::arg("set"), nb::arg("d"), nb::arg("columns"), nb::arg("straight"), nb::arg("flipped"), nb::arg("memo"),
               "Return whether halving can be made to err d times from a set of concepts on; None where the memo is full.");
    module.def("chain_at_least",
               [](Words set, std::int64_t k, Points rows, Points columns, Memo& memo) {
                   return answer_of([&] { return ThresholdChains(rows, columns, memo).at_least(set_of(set), k); });
               },
               Unlocked(), nb::arg("set"), nb::arg("k"), nb::arg("rows"), nb::arg("columns"), nb::arg("memo"),
               "Return whether there is a chain of k in a set of concepts and points; None where the memo is full.");
    module.def("worth",
               [](Words set, Words floor, Column<std::uint64_t> value, Matrix<const std::uint64_t> limits, Words one, Points columns, Memo& memo) {
                   return answer_of([&] {
                       const auto worth = Expectations(limits, number_of(one), columns, memo).worth(set_of(set), number_of(floor));
                       std::copy(worth.value.begin(), worth.value.end(), value.begin());
                       return worth.exact;
                   });
               },
               Unlocked(), nb::arg("set"), nb::arg("floor"), nb::arg("value"), nb::arg("limits"), nb::arg("one"), nb::arg("columns"),
               nb::arg("memo"), "Write what a set is worth if that is more than the floor, else a bound that is not; which of them, or None.");
    module.def("limits_by_size",
               [](Matrix<std::uint64_t> table, std::size_t sizes, Words one) { limits_by_size(table, sizes, number_of(one)); }, Unlocked(),
               nb::arg("table"), nb::arg("sizes"), nb::arg("one"), "Fill a table with the most that so many concepts of a dimension can be worth.");
    module.def("shattered", &shattered, Unlocked(), nb::arg("labels"), nb::arg("limit"), nb::arg("effort"),
               "Return the most points that are shattered, up to a limit; None where that takes more than the effort.");

    module.attr("LOW_DIGITS") = low_digits;
    module.def("sweep_littlestone", &sweep_littlestone, Unlocked(), nb::arg("values"), nb::arg("points"));
    module.def("sweep_randomised", &sweep_randomised, Unlocked(), nb::arg("values"), nb::arg("points"), nb::arg("unit"));
    module.def("sweep_halving", &sweep_halving, Unlocked(), nb::arg("values"), nb::arg("sizes"), nb::arg("points"), nb::arg("straight"),
               nb::arg("flipped"));
    module.def("sweep_threshold", &sweep_threshold, Unlocked(), nb::arg("values"), nb::arg("points"),
               "Return the most points of a chain of labellings that are there.");
}

using Starts = Column<const std::int64_t>;
using Indices = Column<const std::uint32_t>;
using Numbers = Column<const double>;

std::pair<double, double> pair_of(const Extremes& extremes) { return {extremes.top, extremes.bottom}; }

// The loops over rows whose values are floats, or doubles.
template <class Value>
void define_descents(nb::module_& module) {
    using Values = Column<const Value>;
    module.def("margins",
               [](Starts starts, Indices indices, Values values, Numbers signs, double rho, Column<double> u, Column<double> out) {
                   margins<Value>({starts, indices, values, signs}, rho, u, out);
               },
               Unlocked(), nb::arg("starts"), nb::arg("indices"), nb::arg("values"), nb::arg("signs"), nb::arg("rho"), nb::arg("u"),
               nb::arg("out"), "Write y·(u·x) for every row.");
    module.def("squared_lengths",
               [](Starts starts, Indices indices, Values values, double rho, Column<double> out) {
                   squared_lengths<Value>({starts, indices, values, {}}, rho, out);
               },
               Unlocked(), nb::arg("starts"), nb::arg("indices"), nb::arg("values"), nb::arg("rho"), nb::arg("out"), "Write |x|² for every row.");
    module.def("combine",
               [](Starts starts, Indices indices, Values values, Numbers signs, double rho, Numbers a, Column<double> u) {
                   combine<Value>({starts, indices, values, signs}, rho, a, u);
               },
               Unlocked(), nb::arg("starts"), nb::arg("indices"), nb::arg("values"), nb::arg("signs"), nb::arg("rho"), nb::arg("a"),
               nb::arg("u"), "Add Σ a·y·x to u.");
    module.def("descend",
               [](Starts starts, Indices indices, Values values, Numbers signs, double rho, Numbers lengths, double scale, Numbers weights,
                  Numbers ridge, Column<double> a, Column<double> u, Column<std::int64_t> active, Starts blocks, std::size_t block, double high,
                  double low) {
                   return pair_of(descend<Value>({starts, indices, values, signs}, rho, lengths, scale, weights, ridge, a, u,
                                                 {active, blocks, block, high, low}));
               },
               Unlocked(), nb::arg("starts"), nb::arg("indices"), nb::arg("values"), nb::arg("signs"), nb::arg("rho"), nb::arg("lengths"),
               nb::arg("scale"), nb::arg("weights"), nb::arg("ridge"), nb::arg("a"), nb::arg("u"), nb::arg("active"), nb::arg("blocks"),
               nb::arg("block"), nb::arg("high"), nb::arg("low"),
               "Make the active rows best one by one; return the largest and the smallest projected gradient.");
    module.def("row_powers", &row_powers<Value>, Unlocked(), nb::arg("p"), nb::arg("starts"), nb::arg("values"), nb::arg("out"),
               "Write |x|_p² for every row.");
    module.def("descend_pnorm",
               [](std::int64_t p, Starts starts, Indices indices, Values values, Numbers signs, Numbers lengths, double C, Numbers weights,
                  Column<double> a, Column<double> v, Column<double> s, Column<double> z, Column<std::int64_t> active, Starts blocks,
                  std::size_t block, double high, double low) {
                   return pair_of(PNormDescent{p, v, s, z}.descend<Value>({starts, indices, values, signs}, lengths, C, weights, a,
                                                                          {active, blocks, block, high, low}));
               },
               Unlocked(), nb::arg("p"), nb::arg("starts"), nb::arg("indices"), nb::arg("values"), nb::arg("signs"), nb::arg("lengths"),
               nb::arg("C"), nb::arg("weights"), nb::arg("a"), nb::arg("v"), nb::arg("s"), nb::arg("z"), nb::arg("active"), nb::arg("blocks"),
               nb::arg("block"), nb::arg("high"), nb::arg("low"), "The same for a p-norm.");
    module.def("sweep_lasso",
               [](Starts starts, Column<const std::int32_t> rows, Values values, Numbers signs, Numbers weights, Column<double> margins,
                  Column<double> u, Column<const std::int64_t> columns, double lambda, double mu) {
                   return Lasso<Value>{starts, rows, values, signs, weights, margins, u, lambda, mu}.sweep(columns);
               },
               Unlocked(), nb::arg("starts"), nb::arg("rows"), nb::arg("values"), nb::arg("signs"), nb::arg("weights"), nb::arg("margins"),
               nb::arg("u"), nb::arg("columns"), nb::arg("lam"), nb::arg("mu"),
               "Improve u column by column; return how far the worst was from its best, as a share of λ.");
}

void define_vectors(nb::module_& module) {
    define_descents<float>(module);
    define_descents<double>(module);
    module.def("shuffle", &shuffle, nb::arg("order"), nb::arg("seed"), "Permute an order; return the seed that comes next.");
    module.def("hinge_losses", &losses, Unlocked(), nb::arg("margins"), nb::arg("weights"), nb::arg("scale"),
               "Return Σ c·hinge of a multiple of u, and Σ c·y·(u·x) over the rows with a loss.");
    module.def("restart_pnorm",
               [](std::int64_t p, Column<double> v, Column<double> s, Column<double> z) { PNormDescent{p, v, s, z}.restart(); }, Unlocked(),
               nb::arg("p"), nb::arg("v"), nb::arg("s"), nb::arg("z"), "Write s, σ, S and the root from v.");
    module.def("slopes", &slopes, Unlocked(), nb::arg("margins"), nb::arg("weights"), nb::arg("mu"), nb::arg("out"),
               "Write the slope of the rounded hinge for every row.");

    module.def("product", [](Numbers x, Numbers y) { return product(x.data, y.data, std::min(x.size(), y.size())); }, nb::arg("x"), nb::arg("y"));
    module.def("products", &products, Unlocked(), nb::arg("vectors"), nb::arg("out"), "Write the products of all vectors with each other.");
    module.def("products_with", &products_with, Unlocked(), nb::arg("vectors"), nb::arg("r"), nb::arg("out"),
               "Write the products of all vectors with r.");
    module.def("combined", &combined, Unlocked(), nb::arg("vectors"), nb::arg("w"), nb::arg("out"), "Write Σ w_i·v_i.");
    module.def("solve", &solve, Unlocked(), nb::arg("lower"), nb::arg("k"), nb::arg("b"), nb::arg("x"),
               "Write x with (L·L')x = b, for the first k rows.");
    module.def("nearest",
               [](Vectors gram, double lift, double close, double slack, Column<std::int64_t> chosen, Column<double> shares,
                  Matrix<double> lower) { return Nearest{gram, lift, chosen, shares, lower}.find(close, slack); },
               Unlocked(), nb::arg("gram"), nb::arg("lift"), nb::arg("close"), nb::arg("slack"), nb::arg("chosen"), nb::arg("shares"),
               nb::arg("lower"), "Find the point nearest to 0 in the hull; return how many vectors take part.");
}

void define_choices(nb::module_& module) {
    nb::class_<Cover>(module, "Cover")
        .def("__init__",
             [](Cover* self, Starts row_starts, Column<const std::int32_t> columns, Starts column_starts, Column<const std::int32_t> rows,
                Column<const bool> positive, Starts weights, std::int64_t k, Column<std::int64_t> values, Column<bool> chosen,
                Column<std::int64_t> held) {
                 new (self) Cover{row_starts, columns, column_starts, rows, positive, weights, k, values, chosen, held};
             },
             nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>(), nb::keep_alive<1, 6>(),
             nb::keep_alive<1, 7>(), nb::keep_alive<1, 9>(), nb::keep_alive<1, 10>(), nb::keep_alive<1, 11>())
        .def("appraise", &Cover::appraise, Unlocked(), "Add to the values what each column is worth while nothing is chosen.")
        .def("greedy", &Cover::greedy, Unlocked(), "Choose the column that is worth most, while one is worth more than its price.")
        .def("improve", &Cover::improve, Unlocked(), nb::arg("budget"), "Drop and exchange columns until nothing helps.");
    module.def("paths_with_changes", &paths_with_changes, Unlocked(), nb::arg("losses"), nb::arg("most"), nb::arg("paths"), nb::arg("costs"),
               "Write the cheapest path for each number of changes, and its loss.");
    module.def("path_at_a_price", &path_at_a_price, Unlocked(), nb::arg("losses"), nb::arg("price"), nb::arg("path"),
               "Write the path with the least loss + price·changes; return what that is.");
}

}  // namespace

void define_search(nb::module_& module) {
    define_dimensions(module);
    define_vectors(module);
    define_choices(module);
}

}  // namespace littlestone::bind
