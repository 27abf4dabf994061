// Exp3 (Auer, Cesa-Bianchi, Freund, Schapire 2002): only the loss of the expert you chose is ever seen; judge the others by estimates that
// are right on average. Choose expert I by weight, p_i ∝ e^(-η·estimate_i), and add loss/p_I to its estimate.
// Exp3-IX (Neu 2015) adds loss/(p_I + η/2): estimates a little too small on purpose, so that the regret is small with high probability.
#pragma once
#include "advice.h"

namespace littlestone {

template <bool implicit_exploration>
struct Bandit {
    Strictness strict;
    double eta, spread;  // η = 0: anytime, √(spread/t)
    std::int64_t seed;
    Column<double> estimates, w, counts;
    Scratch spare{estimates.size()};

    struct Said : Mixture {
        double rate;
        std::int32_t chosen;
    };

    Said predict(AdviceRow row) {
        Weights own = w;
        double rate = eta;
        if (eta == 0.0) {
            own = spare;
            rate = std::sqrt(spread / (counts[0] + 1.0));
            refresh(own, estimates, rate, least(estimates));
        }
        const Mixture said = mixed(strict, own, weigh(own, row), row, estimates, rate, spare);
        return {said, rate, said.refused ? -1 : pick(said.weights, row, said.weighed.total, coin(seed, counts))};
    }

    std::int32_t choose(AdviceRow, const Said& said) const { return said.chosen; }

    void update(const Round<float>& round, const Said& said) {
        if (said.chosen >= 0 && said.weighed.total > 0.0) learn(round, said, static_cast<std::size_t>(said.chosen));
        count_round(counts, said.anyone_asleep());
        if (eta > 0.0 && (is_due(counts[0], 64.0) || !(total_of(w) > 1e-200))) refresh(w, estimates, eta, least(estimates));
    }

private:
    void learn(const Round<float>& round, const Said& said, std::size_t chosen) {
        const double loss = loss_of(round.row[chosen], round.truth), total = said.weighed.total, weight = said.weights[chosen];
        double exponent;
        if constexpr (implicit_exploration) {
            const double estimate = loss / (weight / total + 0.5 * said.rate);
            estimates[chosen] += estimate;
            exponent = -said.rate * estimate;
        } else {
            estimates[chosen] += loss * total / weight;
            exponent = -said.rate * loss * total / weight;
        }
        if (eta > 0.0) w[chosen] *= exp_of(exponent);
    }
};

using Exp3 = Bandit<false>;
using Exp3Ix = Bandit<true>;

}  // namespace littlestone
