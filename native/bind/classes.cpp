// Learners of several classes, and what reductions to two classes need.
#include "../learners/banditron.h"
#include "../learners/multiclass_perceptron.h"
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
}

}  // namespace littlestone::bind
