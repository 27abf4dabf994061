// What a panel makes of its members: blends, forecasts, and the walk over a row.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include "../panel/panel.h"
#include "arrays.h"
#include "parts.h"

namespace littlestone::bind {

namespace {

using Numbers = Column<double>;

// Hears the rounds of a block, whose scores are a row for each member; takes the blends' votes and, where there are arrays for them, what
// everybody estimates and the forecasts.
void hear_block(Hearing& hearing, Matrix<const double> scores, Column<const std::int32_t> labels, Optional<const float> weights,
                Matrix<bool> votes, std::optional<Matrix<double>> estimates, Optional<double> forecasts) {
    if (scores.rows != hearing.members() || scores.columns != labels.size()) throw nb::value_error("scores: expected a row for each member");
    if (votes.rows < hearing.voices() || votes.columns != labels.size()) throw nb::value_error("votes: expected a row for each blend");
    if (estimates && estimates->rows < hearing.estimates()) throw nb::value_error("estimates: expected a row for each who estimates");
    const nb::gil_scoped_release unlocked;
    std::vector<double> row(hearing.members());
    for (std::size_t t = 0; t < labels.size(); ++t) {
        for (std::size_t k = 0; k < row.size(); ++k) row[k] = scores[k][t];
        const double odds = hearing.hear(row.data(), estimates || forecasts);
        hearing.vote([&](std::size_t b, bool vote) { votes[b][t] = vote; });
        if (estimates) hearing.estimates([&](std::size_t b, double estimate) { (*estimates)[b][t] = estimate; });
        if (forecasts) (*forecasts)[t] = odds;
        if (labels[t] >= 0) hearing.learn(labels[t] == 1, weights ? static_cast<double>((*weights)[t]) : 1.0);
    }
}

// Decides by the vote; counts the mistakes of each voter, the shares of wrong weight (each times what the rule heeds of the round's weight),
// and the vote's mistakes: how many, what their rounds weigh together, and the largest of these weights.
void count_wrong(Column<const double> shares, Matrix<const float> votes, Column<const std::int32_t> labels, Optional<const float> heeded,
                 Optional<const float> weights, Column<bool> predictions, Column<std::int64_t> mistakes, Numbers loss, Numbers vote_mistakes) {
    Accounts accounts{mistakes, loss, vote_mistakes};
    for (std::size_t t = 0; t < labels.size(); ++t) {
        predictions[t] = shares[t] >= 0.5;
        if (labels[t] < 0) continue;
        accounts.count(labels[t] == 1, shares[t], heeded ? (*heeded)[t] : 1.0, weights ? (*weights)[t] : 1.0,
                       [&](std::size_t k) { return votes[t][k] != 0.0f; });
    }
}

using SeatArguments = std::tuple<AnyLearner*, bool, bool>;

}  // namespace

void define_panel(nb::module_& module) {
    nb::class_<Mind>(module, "Mind")
        .def(
            "__init__",
            [](Mind* self, bool logistic, double stiffness, double memory, Numbers w, Numbers P) {
                if (P.size() != w.size() * w.size()) throw nb::value_error("P: expected a square matrix, as wide as w is long");
                new (self) Mind{{logistic, stiffness, memory, w, P}};
            },
            nb::keep_alive<1, 5>(), nb::keep_alive<1, 6>());

    nb::class_<Forecaster>(module, "Forecaster")
        .def(
            "__init__",
            [](Forecaster* self, Column<const std::uint64_t> givers, Column<const std::uint64_t> asked, std::int64_t often, std::size_t binned,
               Column<const double> prior, double slow, std::vector<Mind> stacks, Numbers calibration, Numbers weights, Numbers products,
               Numbers halvings, Column<std::int64_t> counts, Optional<double> sums, Column<const double> against,
               std::optional<Matrix<double>> bins, std::optional<Matrix<double>> bin_counts) {
                const std::size_t size = asked.size();
                Spreads spreads{};
                if (sums) spreads = {{sums->data, size}, {sums->data + size, size}};
                Bins put_right{against, bins.value_or(Matrix<double>{}), bin_counts.value_or(Matrix<double>{})};
                new (self) Forecaster{givers, asked, sums.has_value(), often, binned, spreads, {calibration}, std::move(stacks), put_right,
                                      {prior, slow, weights, products, halvings, counts}};
            },
            nb::arg("givers"), nb::arg("asked"), nb::arg("often"), nb::arg("binned"), nb::arg("prior"), nb::arg("slow"), nb::arg("stacks"),
            nb::arg("calibration"), nb::arg("weights"), nb::arg("products"), nb::arg("halvings"), nb::arg("counts"), nb::arg("sums").none(),
            nb::arg("against"), nb::arg("bins").none(), nb::arg("bin_counts").none(), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
            nb::keep_alive<1, 6>(), nb::keep_alive<1, 8>(), nb::keep_alive<1, 9>(), nb::keep_alive<1, 10>(), nb::keep_alive<1, 11>(),
            nb::keep_alive<1, 12>(), nb::keep_alive<1, 13>(), nb::keep_alive<1, 14>(), nb::keep_alive<1, 15>(), nb::keep_alive<1, 16>(),
            nb::keep_alive<1, 17>());

    nb::class_<Hearing>(module, "Hearing")
        .def(
            "__init__",
            [](Hearing* self, Numbers squares, Numbers seen, std::vector<Mind> blends, std::size_t estimators, const Forecaster* forecaster) {
                new (self) Hearing({{squares, seen}, std::move(blends), estimators}, forecaster ? std::optional(*forecaster) : std::nullopt);
            },
            nb::arg("squares"), nb::arg("seen"), nb::arg("blends"), nb::arg("estimators"), nb::arg("forecaster").none(), nb::keep_alive<1, 2>(),
            nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(), nb::keep_alive<1, 6>())
        .def("play", hear_block, nb::arg("scores"), nb::arg("labels"), nb::arg("weights").none(), nb::arg("votes"), nb::arg("estimates").none(),
             nb::arg("forecasts").none(), "Hear the rounds of a block, and learn from those that have a label.");

    nb::class_<Panel, AnyLearner>(module, "Panel")
        .def(
            "__init__",
            [](Panel* self, const std::vector<SeatArguments>& members, Optional<const double> spaced, std::size_t gap, Hearing* hearing, AnyRule& rule,
               Column<std::int64_t> mistakes, Numbers loss, Numbers vote_mistakes, bool weighs, bool by_forecast, std::size_t threads) {
                std::vector<Seat> seats;
                for (const auto& [learner, is_spaced, weighted] : members) seats.push_back({learner, is_spaced, weighted});
                new (self) Panel(std::move(seats), spaced.value_or(Column<const double>{}), gap, hearing, rule, {mistakes, loss, vote_mistakes},
                                 weighs, by_forecast, threads);
            },
            nb::arg("members"), nb::arg("spaced").none(), nb::arg("gap"), nb::arg("hearing").none(), nb::arg("rule"), nb::arg("mistakes"),
            nb::arg("loss"), nb::arg("vote_mistakes"), nb::arg("weighs"), nb::arg("by_forecast"), nb::arg("threads"), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
            nb::keep_alive<1, 5>(), nb::keep_alive<1, 6>(), nb::keep_alive<1, 7>(), nb::keep_alive<1, 8>(), nb::keep_alive<1, 9>());

    module.def("count_wrong", &count_wrong, nb::arg("shares"), nb::arg("votes"), nb::arg("labels"), nb::arg("heeded").none(),
               nb::arg("weights").none(), nb::arg("predictions"), nb::arg("mistakes"), nb::arg("loss"), nb::arg("vote_mistakes"),
               nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace littlestone::bind
