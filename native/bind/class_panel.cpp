// What a panel of several classes makes of its members: blends, forecasts and discriminants, round by round over a block.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include "../panel/class_blend.h"
#include "../panel/class_discriminant.h"
#include "../panel/class_forecast.h"
#include "../panel/class_seats.h"
#include "arrays.h"
#include "parts.h"

namespace littlestone::bind {

namespace {

using Numbers = Column<double>;
using Labels = Column<const std::int32_t>;
using Seen = Column<const std::int64_t>;  // classes known before each round
using Weights = Optional<const float>;

double weight_of(const Weights& weights, std::size_t t) { return weights ? static_cast<double>((*weights)[t]) : 1.0; }

void require_shape(bool fits) {
    if (!fits) throw nb::value_error("the arrays of a block differ in length, or have another number of members or classes than the state");
}

// The votes of the blends, and what they make of each class, from the members' scores: members × classes × rounds.
void blend_block(Cube<const double> scores, Labels labels, Weights weights, Seen seen, Column<const double> stiffness, Column<const double> memory,
                 Numbers squares, Numbers rounds, Matrix<double> rival_w, Matrix<double> rival_P, Matrix<double> each_w, Matrix<double> each_P,
                 Matrix<std::int32_t> votes, Cube<double> odds) {
    require_shape(scores.count >= squares.size() && scores.columns == labels.size() && votes.rows == labels.size() && odds.count == labels.size());
    ClassBlends blends{stiffness, memory, squares, rounds, rival_w, rival_P, each_w, each_P};
    for (std::size_t t = 0; t < labels.size(); ++t) {
        const auto known = static_cast<std::size_t>(seen[t]);
        blends.hear([&](std::size_t k, std::size_t c) { return scores[k][c][t]; }, known, odds[t], votes[t].data);
        if (labels[t] >= 0) blends.learn(static_cast<std::size_t>(labels[t]), weight_of(weights, t), known, odds[t]);
    }
}

void forecast_block(Cube<double> odds, Labels labels, Seen seen, Column<const double> prior, double flat, Numbers slopes, Numbers curvatures,
                    Numbers trust, Numbers products, Column<std::int64_t> halvings, Column<std::int64_t> counts, Matrix<double> chances,
                    Column<std::int32_t> likeliest) {
    require_shape(odds.count == labels.size() && chances.rows == labels.size() && likeliest.size() == labels.size() && odds.rows == slopes.size());
    ClassForecaster forecaster{prior, flat, slopes, curvatures, trust, products, halvings, counts, odds.columns};
    for (std::size_t t = 0; t < labels.size(); ++t) {
        const auto known = static_cast<std::size_t>(seen[t]);
        likeliest[t] = forecaster.forecast(known, odds[t], chances[t].data);
        if (labels[t] >= 0) forecaster.learn(static_cast<std::size_t>(labels[t]), known, odds[t]);
    }
}

// The scores that a discriminant gives the classes: classes × rounds.
void discriminate_block(bool logs, Column<std::int32_t> place, Column<const std::int64_t> starts, Column<const std::uint32_t> indices,
                        Optional<const float> values, Labels labels, Weights weights, Seen seen, Column<std::int64_t> owner, Matrix<double> P,
                        Matrix<double> means, Matrix<double> pulls, Numbers counts, Column<std::int64_t> tally, Matrix<double> marks) {
    require_shape(marks.columns == labels.size() && means.rows == counts.size());
    Discriminant discriminant{logs, place, owner, P, means, pulls, counts, tally};
    const Block block{{starts.data, labels.size() + 1}, indices.data, data_or_null(values), labels.data, nullptr};
    for (std::size_t t = 0; t < labels.size(); ++t) {
        const auto known = static_cast<std::size_t>(seen[t]);
        const Row x = block.row(t);
        discriminant.hear(x, known, [&](std::size_t c, double odds) { marks[c][t] = odds; });
        if (labels[t] >= 0) discriminant.learn(x, static_cast<std::size_t>(labels[t]), weight_of(weights, t), known);
        discriminant.forget_row();
    }
}

// The class to which each of those heard gives the largest score, the first of them; -1 before any is known.
void name_largest(Cube<const double> marks, Seen seen, Column<const std::int64_t> voters, Matrix<std::int32_t> votes) {
    for (std::size_t k = 0; k < voters.size(); ++k) {
        for (std::size_t t = 0; t < seen.size(); ++t) {
            std::size_t best = 0;
            for (std::size_t c = 1; c < static_cast<std::size_t>(seen[t]); ++c)
                if (marks[k][c][t] > marks[k][best][t]) best = c;
            votes[t][static_cast<std::size_t>(voters[k])] = seen[t] > 0 ? static_cast<std::int32_t>(best) : -1;
        }
    }
}

void count_known(Labels labels, std::int64_t known, Column<std::int64_t> seen) {
    for (std::size_t t = 0; t < labels.size(); ++t) {
        seen[t] = known;
        known += labels[t] == known;
    }
}

bool play_seats(const ClassSeats& seats, Column<const std::int64_t> starts, Column<const std::uint32_t> indices, Optional<const float> values,
                Labels labels, Weights weights, Labels teaching, bool learns, Cube<double> marks, std::size_t threads) {
    require_shape(marks.count >= seats.size() && marks.columns == labels.size() && teaching.size() == labels.size());
    const Block block{{starts.data, labels.size() + 1}, indices.data, data_or_null(values), labels.data, data_or_null(weights)};
    return seats.play(block, teaching.data, learns, marks, threads);
}

}  // namespace

void define_class_panel(nb::module_& module) {
    const auto unlocked = nb::call_guard<nb::gil_scoped_release>();
    nb::class_<ClassSeats>(module, "ClassSeats")
        .def(
            "__init__",
            [](ClassSeats* self, const std::vector<std::tuple<std::vector<AnyLearner*>, bool>>& members) {
                std::vector<ClassSeats::Seat> seats;
                for (const auto& [learners, weighted] : members) seats.push_back({learners, weighted});
                new (self) ClassSeats(std::move(seats));
            },
            nb::keep_alive<1, 2>(), "Hold the learners of each member: of a class that has not come yet, and of each class.")
        .def("has_room",
             [](const ClassSeats& seats, Column<const std::uint32_t> indices, Optional<const float> values) {
                 return seats.has_room({{indices.data, indices.size()}, data_or_null(values)});
             },
             nb::arg("indices"), nb::arg("values").none(), "Return whether all learners have room for a row.")
        .def("play", &play_seats, nb::arg("indptr"), nb::arg("indices"), nb::arg("values").none(), nb::arg("labels"), nb::arg("weights").none(),
             nb::arg("teaching"), nb::arg("learns"), nb::arg("marks"), nb::arg("threads"), unlocked,
             "Let each play a block, and fill in its scores; return whether all could go on.");
    module.def("blend_classes", &blend_block, nb::arg("scores"), nb::arg("labels"), nb::arg("weights").none(), nb::arg("seen"), nb::arg("stiffness"),
               nb::arg("memory"), nb::arg("squares"), nb::arg("rounds"), nb::arg("rival_w"), nb::arg("rival_P"), nb::arg("each_w"), nb::arg("each_P"),
               nb::arg("votes"), nb::arg("odds"), unlocked);
    module.def("forecast_classes", &forecast_block, unlocked);
    module.def("discriminate_classes", &discriminate_block, nb::arg("logs"), nb::arg("place"), nb::arg("indptr"), nb::arg("indices"),
               nb::arg("values").none(), nb::arg("labels"), nb::arg("weights").none(), nb::arg("seen"), nb::arg("owner"), nb::arg("P"),
               nb::arg("means"), nb::arg("pulls"), nb::arg("counts"), nb::arg("tally"), nb::arg("marks"), unlocked);
    module.def("name_largest", &name_largest, unlocked);
    module.def("count_known", &count_known, unlocked, "Fill in how many classes are known before each round.");
}

}  // namespace littlestone::bind
