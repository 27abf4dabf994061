// Hedge (Freund, Schapire 1997): the weight of an expert is e^(-η·loss); follow one drawn by weight, or lose the weighted mean.
// At a fixed η weights are multiplied round by round, and made anew from the losses every `period` rounds, before their rounding shows.
// Anytime, η_t = √(period/t), they are made anew for each round. With e^-η = 1 - ε it is the randomised weighted majority (Littlestone,
// Warmuth 1994).
#pragma once
#include "advice.h"

namespace littlestone {

struct Hedge {
    Strictness strict;
    double eta;  // 0: anytime
    double beta, period;
    std::int64_t seed;
    Column<double> losses, w, counts;
    Scratch spare{losses.size()};
    Weighed ahead{};  // what w says of the row that is next

    void look(AdviceRow row) {
        if (eta > 0.0) ahead = weigh(w, row);
    }

    Mixture predict(AdviceRow row) {
        if (eta > 0.0) return mixed(strict, w, ahead, row, losses, eta, spare);
        const double rate = std::sqrt(period / (counts[0] + 1.0));
        refresh(spare, losses, rate, least(losses));
        return mixed(strict, spare, weigh(spare, row), row, losses, rate, spare);
    }

    std::int32_t choose(AdviceRow row, const Mixture& said) const {
        return pick(said.weights, row, said.weighed.total, coin(seed, counts));
    }

    void update(const Round<float>& round, const Mixture& said) {
        count_round(counts, said.anyone_asleep());
        if (eta == 0.0) return count_losses(losses, round.row, round.truth);
        ahead = punish(strict, w, losses, round.row, round.following, round.truth, eta, beta);
        if (is_due(counts[0], period)) {
            refresh(w, losses, eta, least(losses));
            ahead = weigh(w, round.following);
        }
    }
};

struct RandomizedWeightedMajority : Hedge {};

}  // namespace littlestone
