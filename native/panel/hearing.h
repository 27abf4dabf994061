// What hears the members of a panel: blends, and the forecaster. Round by round: all estimate, then all learn.
#pragma once
#include <optional>
#include "forecast.h"

namespace littlestone {

class Hearing {
public:
    Hearing(Blends blends, std::optional<Forecaster> forecaster) : blends_(std::move(blends)), forecaster_(std::move(forecaster)) {}

    std::size_t members() const { return blends_.sizes.squares.size(); }
    std::size_t voices() const { return blends_.minds.empty() ? 0 : blends_.minds.size() + 1; }
    std::size_t estimates() const { return blends_.minds.size() + (forecaster_ ? forecaster_->estimates.size() : 0); }
    bool forecasts() const { return forecaster_.has_value(); }

    // Hears the scores of one row; returns the logarithm of the odds of a 1, or 0 where nobody forecasts. Nothing changes.
    double hear(const double* scores, bool forecast = true) {
        blends_.hear(scores);
        if (!forecast || !forecaster_) return 0.0;
        const std::size_t first = blends_.estimators;
        return forecaster_->odds(scores, blends_.mild.data(), blends_.estimates.data() + first, blends_.minds.size() - first);
    }
    // The votes of the blends, and of their mean, on the row heard last.
    template <class Take>
    void vote(Take take) const {
        blends_.vote(take);
    }
    // The label of the row heard last. Blends learn by the weights of the rounds. Forecasts do not: a probability is a share of rounds.
    void learn(bool label, double weight) {
        blends_.learn(label, weight);
        if (forecaster_) forecaster_->learn(label);
    }
    // The estimates of the blends, the stacks and the bins of the row heard last; `take(b, estimate)` takes them.
    template <class Take>
    void estimates(Take take) const {
        std::size_t b = 0;
        for (const double estimate : blends_.estimates) take(b++, estimate);
        if (!forecaster_) return;
        for (const double estimate : forecaster_->estimates) take(b++, estimate);
    }

private:
    Blends blends_;
    std::optional<Forecaster> forecaster_;
};

}  // namespace littlestone
