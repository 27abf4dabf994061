// What Python can ask of any learner of two classes, and the learners that add to a weight vector.
#include "learner.h"
#include "../learners/perceptron.h"
#include "../learners/perceptron_variants.h"
#include "../learners/winnow.h"
#include "parts.h"

namespace littlestone::bind {

namespace {

std::size_t play_block(AnyLearner& learner, Column<const std::int64_t> starts, Column<const std::uint32_t> indices,
                       Optional<const float> values, Column<const std::int32_t> labels, Optional<const float> weights,
                       Column<bool> predictions, Optional<double> scores, Optional<bool> updates) {
    const Block block{{starts.data, labels.size() + 1}, indices.data, data_or_null(values), labels.data, data_or_null(weights)};
    const Record record{predictions.data, data_or_null(scores), data_or_null(updates)};
    const nb::gil_scoped_release unlocked;
    return learner.play(block, record);
}

template <class Start, class Number>
auto feed_rows(AnyLearner& learner, Column<const Start> starts, Column<const std::uint32_t> indices, Optional<const Number> values,
               Column<const std::int8_t> labels, std::uint32_t limit, std::size_t longest, Column<bool> predictions, Optional<double> scores,
               Optional<bool> updates, Optional<double> lengths) {
    LentRows lent{nullptr, nullptr, {indices.data, indices.size()}, nullptr, nullptr, {labels.data, labels.size()}};
    if constexpr (sizeof(Start) == 4) {
        lent.short_starts = starts.data;
    } else {
        lent.long_starts = starts.data;
    }
    if constexpr (sizeof(Number) == 4) {
        lent.floats = data_or_null(values);
    } else {
        lent.doubles = data_or_null(values);
    }
    RowCopy copy(lent, longest, limit);
    const Record record{predictions.data, data_or_null(scores), data_or_null(updates)};
    const MistakeLengths mistakes{lengths.value_or(Column<double>{})};
    std::size_t played = 0;
    {
        const nb::gil_scoped_release unlocked;
        played = learner.feed(lent, copy, record, lengths ? &mistakes : nullptr);
    }
    const LentFacts facts = copy.facts();
    return nb::make_tuple(played, facts.top, facts.bottom, facts.longest, facts.entries, facts.largest, facts.negative, facts.whole);
}

template <class Start, class Number>
void define_feed(nb::class_<AnyLearner>& learner) {
    learner.def("feed", feed_rows<Start, Number>, nb::arg("indptr"), nb::arg("indices"), nb::arg("values").none(), nb::arg("labels"),
                nb::arg("limit"), nb::arg("longest"), nb::arg("predictions"), nb::arg("scores").none(), nb::arg("updates").none(),
                nb::arg("lengths").none(),
                "Play rows where they lie until one needs a closer look; return how many were played, the largest and the least index, the "
                "longest row, how many features there were, the largest |x_i|, whether a value was negative, and whether all were whole.");
}

}  // namespace

void define_learners(nb::module_& module) {
    nb::class_<AnyLearner> learner(module, "AnyLearner");
    define_feed<std::int32_t, float>(learner);
    define_feed<std::int32_t, double>(learner);
    define_feed<std::int64_t, float>(learner);
    define_feed<std::int64_t, double>(learner);
    learner
        .def("play", play_block, nb::arg("indptr"), nb::arg("indices"), nb::arg("values").none(), nb::arg("labels"), nb::arg("weights").none(),
             nb::arg("predictions"), nb::arg("scores").none(), nb::arg("updates").none(),
             "Play the rows of a block; return the row before which it stopped because doubles could not decide, or their number.")
        .def("predict",
             [](AnyLearner& learner, Column<const std::uint32_t> indices, Optional<const float> values, std::size_t lo, std::size_t hi) {
                 return static_cast<int>(learner.predict(row_of(indices, values, lo, hi)).answer);
             },
             nb::arg("indices"), nb::arg("values").none(), nb::arg("lo"), nb::arg("hi"), "Return the label of a row; 2 where doubles cannot decide.")
        .def("score",
             [](AnyLearner& learner, Column<const std::uint32_t> indices, Optional<const float> values, std::size_t lo, std::size_t hi) {
                 return learner.predict(row_of(indices, values, lo, hi)).score;
             },
             nb::arg("indices"), nb::arg("values").none(), nb::arg("lo"), nb::arg("hi"), "Return the score of a row: 1 is predicted where it is ≥ 0.")
        .def("update",
             [](AnyLearner& learner, Column<const std::uint32_t> indices, Optional<const float> values, std::size_t lo, std::size_t hi, Truth y,
                Truth yhat, double weight) { return learner.update(row_of(indices, values, lo, hi), y, answer(yhat), weight); },
             nb::arg("indices"), nb::arg("values").none(), nb::arg("lo"), nb::arg("hi"), nb::arg("y"), nb::arg("yhat"), nb::arg("weight"),
             "Learn the label of a row to which yhat was answered; return whether the learner updated.")
        .def("learn",
             [](AnyLearner& learner, Column<const std::uint32_t> indices, Optional<const float> values, std::size_t lo, std::size_t hi, Truth y,
                double weight) { return learner.learn(row_of(indices, values, lo, hi), y, weight); },
             nb::arg("indices"), nb::arg("values").none(), nb::arg("lo"), nb::arg("hi"), nb::arg("y"), nb::arg("weight"),
             "Learn the label of the row that was predicted last; return whether the learner updated.")
        .def("has_room",
             [](const AnyLearner& learner, Column<const std::uint32_t> indices, Optional<const float> values, std::size_t lo, std::size_t hi) {
                 return learner.has_room(row_of(indices, values, lo, hi));
             },
             nb::arg("indices"), nb::arg("values").none(), nb::arg("lo"), nb::arg("hi"), "Return whether the state has room for a row.");

    define_learner(module, "Perceptron", [](double rho2, Column<double> w, Column<double> b) { return Perceptron{rho2, w, b}; });
    define_learner(module, "PerceptronVariant", [](double rho2, double beta, Column<double> w, Column<double> b, Column<double> a, Column<double> tally) {
        return PerceptronVariant{{rho2, w, b}, beta, a, tally};
    });
    define_learner(module, "Winnow", [](double theta, std::int64_t low, Column<const double> powers, std::int64_t exact_low,
                                        std::int64_t exact_high, Column<std::int32_t> e) {
        return Winnow{theta, {low, powers, exact_low, exact_high}, e};
    });
}

}  // namespace littlestone::bind
