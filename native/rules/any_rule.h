// A rule over experts as those see it who hold any of them: panels, and Python. It knows nothing of how a rule works.
#pragma once
#include "../core/row.h"

namespace littlestone {

template <class Number, class Outcome>
struct Rounds {
    Matrix<const Number> table;
    Column<const Outcome> truths;
    Column<const float> weights{};  // empty where every round weighs 1

    std::size_t size() const { return truths.size(); }
    double weight(std::size_t t) const { return weights.empty() ? 1.0 : static_cast<double>(weights[t]); }
};

using Advice = Rounds<float, std::int32_t>;  // votes, probabilities or losses, and the codes of truths: 1, 0, or -1 where there is none
using Forecasts = Rounds<double, double>;    // and what came true, NaN where it is not known

class AnyRule {
public:
    virtual ~AnyRule() = default;
    virtual std::size_t play(const Advice& advice, Column<double> mix, Column<std::int32_t> choices) = 0;
    virtual std::size_t play(const Forecasts& forecasts, Column<double> mix, Column<std::int32_t> choices) = 0;
    // The mixture of a row; NaN where the rule cannot take it. The state stays as it is.
    virtual double mix(Column<const float> row) = 0;
    // Learns a row with its truth, as a pass over it alone does; false, and nothing changed, where the rule cannot take it.
    virtual bool learn(Column<const float> row, std::int32_t truth, float weight) = 0;
    virtual std::size_t experts() const = 0;
};

}  // namespace littlestone
