// Learners of finite state and of powers: the Winnow family, sets of concepts, memorizers.
#include "../core/pairs.h"
#include "../learners/agnostic_halving.h"
#include "../learners/apple_tasting.h"
#include "../learners/balanced_winnow.h"
#include "../learners/conjunctions.h"
#include "../learners/disjunctions.h"
#include "../learners/halving.h"
#include "../learners/memorizer.h"
#include "../learners/mixed_winnow.h"
#include "../learners/winnow_doubling.h"
#include "../learners/winnow_elimination.h"
#include "../learners/winnow_real.h"
#include "learner.h"
#include "parts.h"

namespace littlestone::bind {

void define_combinatorial(nb::module_& module) {
    using Counts = Column<const std::int64_t>;
    define_learner(module, "WinnowDoubling",
                   [](double theta, Counts low, Counts starts, Column<const double> powers, Counts exact_low, Counts exact_high, Counts limits,
                      Column<std::int32_t> e, Column<std::int64_t> z) {
                       return WinnowDoubling{theta, low, starts, powers, exact_low, exact_high, limits, e, z};
                   });
    define_learner(module, "WinnowElimination", [](std::int64_t theta, Column<std::int64_t> w) { return WinnowElimination{theta, w}; });
    define_learner(module, "MixedWinnow", [](double alpha, double theta, Column<double> w) { return MixedWinnow{alpha, theta, w}; });
    define_learner(module, "WinnowReal",
                   [](double theta, double log_alpha, std::int64_t n, bool complement, Column<double> s, Column<double> w,
                      Column<std::int64_t> place, Column<double> tree, Column<double> z) {
                       return WinnowReal{theta, log_alpha, n, complement, s, w, place, tree, z};
                   });
    define_learner(module, "BalancedWinnow", [](double eta, double margin, Column<double> c, Column<double> s, Column<double> z) {
        return BalancedWinnow{eta, margin, c, s, z};
    });
    define_learner(module, "Conjunctions",
                   [](Column<std::int32_t> seen, Column<std::int32_t> tally) { return Conjunctions{seen, tally}; });
    define_learner(module, "Disjunctions", [](Column<std::int8_t> gone) { return Disjunctions{gone}; });
    define_learner(module, "Memorizer",
                   [](Column<std::int64_t> table, Column<std::uint64_t> codes, Column<std::int64_t> starts, Column<std::uint32_t> items,
                      Column<float> numbers, Column<std::int8_t> told, Column<std::int64_t> tally) {
                       return Memorizer{{table, codes, starts, items, numbers}, told, tally};
                   });
    define_learner(module, "AppleTasting",
                   [](double rho2, double taste, std::int64_t seed, Column<double> w, Column<double> b, Column<std::int64_t> told,
                      Column<double> sums) { return AppleTasting{{rho2, w, b}, taste, seed, told, sums}; });
    define_learner(module, "Halving",
                   [](std::int64_t reading, std::int64_t n, bool always, Matrix<const std::uint64_t> columns, Column<std::uint64_t> alive,
                      Column<std::int64_t> tally) { return Halving{{reading, n, columns}, always, alive, tally}; });
    define_learner(module, "AgnosticHalving",
                   [](std::int64_t reading, std::int64_t n, Matrix<const std::uint64_t> columns, Column<const double> powers, std::int64_t exact,
                      Column<std::int64_t> counts, Column<std::int64_t> tally) {
                       return AgnosticHalving{{reading, n, columns}, powers, exact, counts, tally};
                   });
    module.def("enter_all", &enter_all, nb::arg("table"), nb::arg("codes"), nb::arg("rows"),
               "Fill an empty table of instances with the first so many codes, in their order.");
    module.def("find_instance",
               [](Column<std::int64_t> table, Column<std::uint64_t> codes, Column<std::int64_t> starts, Column<std::uint32_t> items,
                  Column<float> numbers, Column<const std::uint32_t> indices, Optional<const float> values) {
                   return Instances{table, codes, starts, items, numbers}.find(row_of(indices, values, 0, indices.size()));
               },
               nb::arg("table"), nb::arg("codes"), nb::arg("starts"), nb::arg("items"), nb::arg("numbers"), nb::arg("indices"),
               nb::arg("values").none(), "Return the number of the stored row that this one is, or -1.");
    module.def("enter_pairs", &enter_pairs, nb::arg("table"), nb::arg("pairs"), nb::arg("known"),
               "Fill an empty table with the first so many pairs, in their order: the same table however it came to its length.");
    module.def("find_pair",
               [](Column<std::int32_t> table, Column<double> pairs, std::uint32_t low, std::uint32_t high) {
                   return PairStore{table, pairs}.find(code_of(low) + code_of(high), low, high);
               },
               nb::arg("table"), nb::arg("pairs"), nb::arg("low"), nb::arg("high"), "Return the number of a pair of columns, or -1.");
    module.def("count_pairs",
               [](Column<const std::int64_t> indptr, Optional<const float> values, std::int64_t most) {
                   return count_pairs(indptr, data_or_null(values), most);
               },
               nb::arg("indptr"), nb::arg("values").none(), nb::arg("most"),
               "Return how many pairs and squares the rows of at most so many features have, those that are 0 not counted.");
    module.def("size_of_set", &size_of, nb::arg("words"), "Return how many bits are set.");
    module.def("said_by_concepts",
               [](std::int64_t reading, std::int64_t n, Matrix<const std::uint64_t> columns, Column<const std::uint32_t> indices,
                  Column<std::uint64_t> words) {
                   const Answers said = Concepts{reading, n, columns}.answers({{indices.data, indices.size()}, nullptr});
                   for (std::size_t w = 0; w < words.size(); ++w) words[w] = said[w];
               },
               nb::arg("reading"), nb::arg("n"), nb::arg("columns"), nb::arg("indices"), nb::arg("words"),
               "Fill the words with what the concepts say of an instance, a bit each.");
}

}  // namespace littlestone::bind
