// Learners of several classes, what reductions to two classes need, and how scores are counted.
#include "../core/score_bins.h"
#include "../learners/banditron.h"
#include "../learners/multiclass_perceptron.h"
#include "../learners/votes.h"
#include "learner.h"
#include "parts.h"

namespace littlestone::bind {

namespace {

std::size_t play_block(AnyClassLearner& learner, Column<const std::int64_t> starts, Column<const std::uint32_t> indices,
                       Optional<const float> values, Column<const std::int32_t> labels, Optional<const float> weights,
                       Column<std::int32_t> predictions, std::optional<Matrix<double>> scores) {
    const Block block{{starts.data, labels.size() + 1}, indices.data, data_or_null(values), labels.data, data_or_null(weights)};
    const ClassRecord record{predictions.data, scores.value_or(Matrix<double>{})};
    const nb::gil_scoped_release unlocked;
    return learner.play(block, record);
}

}  // namespace

void define_classes(nb::module_& module) {
    nb::class_<AnyClassLearner>(module, "AnyClassLearner")
        .def("play", play_block, nb::arg("indptr"), nb::arg("indices"), nb::arg("values").none(), nb::arg("labels"), nb::arg("weights").none(),
             nb::arg("predictions"), nb::arg("scores").none(), "Play the rows of a block; return their number.")
        .def("predict",
             [](AnyClassLearner& learner, Column<const std::uint32_t> indices, Optional<const float> values, std::size_t lo, std::size_t hi) {
                 return learner.predict(row_of(indices, values, lo, hi)).answer;
             },
             nb::arg("indices"), nb::arg("values").none(), nb::arg("lo"), nb::arg("hi"), "Return the class of a row; -1 before any was seen.")
        .def("update",
             [](AnyClassLearner& learner, Column<const std::uint32_t> indices, Optional<const float> values, std::size_t lo, std::size_t hi,
                std::int32_t y, std::int32_t yhat, double weight) { return learner.update(row_of(indices, values, lo, hi), y, yhat, weight); },
             nb::arg("indices"), nb::arg("values").none(), nb::arg("lo"), nb::arg("hi"), nb::arg("y"), nb::arg("yhat"), nb::arg("weight"),
             "Learn the label of a row to which yhat was answered; return whether the learner updated. A new class is registered.");

    define_class_learner(module, "MulticlassPerceptron",
                         [](Matrix<double> W, Column<std::int64_t> seen) { return MulticlassPerceptron{{W}, seen}; });
    define_class_learner(module, "Banditron",
                         [](double explore, std::int64_t seed, Matrix<double> W, Column<std::int64_t> told, Column<double> longest,
                            Column<std::int64_t> seen) { return Banditron{explore, seed, {W}, told, longest, seen}; });

    module.def("outbid",
               [](Column<const bool> votes, Optional<const double> scores, std::size_t since, std::int32_t c, Column<bool> vote_of_best,
                  Column<double> best, Column<std::int32_t> winners) {
                   outbid(votes, data_or_null(scores), since, c, vote_of_best, best, winners);
               },
               nb::arg("votes"), nb::arg("scores").none(), nb::arg("since"), nb::arg("c"), nb::arg("vote_of_best"), nb::arg("best"),
               nb::arg("winners"), "Let a class take the rounds that its learner claims with more right than those before it.");
    module.def("add_votes", &add_votes, nb::arg("answers"), nb::arg("since"), nb::arg("i"), nb::arg("j"), nb::arg("votes"),
               "Add the votes of the learner of two classes.");
    module.def("most_votes", &most_votes, nb::arg("votes"), nb::arg("labels"), nb::arg("seen"), nb::arg("winners"),
               "Name the class with most votes among those seen before each round.");
    module.def("first_mistake", &first_mistake, nb::arg("labels"), nb::arg("predictions"), nb::arg("start"), nb::arg("stop"),
               "Return the first of these rounds that was predicted wrong, or stop.");

    module.attr("SCORE_BITS") = score_bits;
    module.def("tally",
               [](Column<const double> scores, Column<const std::int32_t> labels, Matrix<std::int64_t> counts, Column<double> first,
                  Column<std::uint8_t> held, Column<double> losses, Matrix<double> reliability, bool odds) {
                   const nb::gil_scoped_release unlocked;
                   tally(scores, labels, {counts, first, held, losses, reliability}, odds);
               },
               nb::arg("scores"), nb::arg("labels"), nb::arg("counts"), nb::arg("first"), nb::arg("held"), nb::arg("losses"),
               nb::arg("reliability"), nb::arg("odds"), "Count labelled rounds by label and bin of their score.");
}

}  // namespace littlestone::bind
