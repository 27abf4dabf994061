// Specialists (Freund, Schapire, Singer, Warmuth 1997): experts who speak only when they have something to say, each judged on its own
// rounds. Those awake share the weight they brought: a loss multiplies a weight by e^(-η·loss), and the awake are rescaled so that their
// total stays what it was. The sleepers neither gain nor lose.
#pragma once
#include "advice.h"

namespace littlestone {

struct Specialists {
    Strictness strict;
    double eta, beta, period;
    bool always;  // learns from every round, or only from mistakes
    std::int64_t seed;
    Column<double> w;      // up to a common factor
    Column<double> costs;  // each expert's losses on the rounds that taught
    // For each expert the rounds it slept through, and on them what the rule lost and the logarithm of what the others were given back.
    Column<double> absent, spared, missed;
    Column<double> counts;  // rounds learnt, has anyone slept, rounds that taught, the rule's loss, the logarithm of all that was given back
    Scratch relit{w.size()};
    Weighed ahead{};

    void look(AdviceRow row) { ahead = weigh(w, row); }

    Mixture predict(AdviceRow row) {
        Mixture said{ahead.share(), ahead, w};
        said.refused = ahead.holds & strict;
        if (said.refused || (1e-200 < ahead.total && ahead.total < 1e200)) return said;
        // Those awake are all faint, or were cut off: measure by the heaviest of them.
        if (relight(relit, row)) said.weights = relit;
        said.weighed = weigh(said.weights, row);
        said.mix = said.weighed.share();
        return said;
    }

    void keep(const Mixture& said) {
        if (said.weights.data != w.data) std::copy(said.weights.begin(), said.weights.end(), w.begin());
    }

    std::int32_t choose(AdviceRow row, const Mixture& said) const { return pick(w, row, said.weighed.total, coin(seed, counts)); }

    void update(const Round<float>& round, const Mixture& said) {
        const double y = round.truth;
        const bool anyone_asleep = said.anyone_asleep(), tells = tells_what_is_left(beta, strict);
        const double f = always ? std::abs(said.mix - y) : static_cast<double>((said.mix >= 0.5) != (y == 1.0));
        double gain = 0.0;
        bool looked = false;
        if (said.weighed.total > 0.0 && (always || f > 0.0)) {
            looked = !anyone_asleep && tells;
            ahead = punish(strict, w, costs, round.row, looked ? round.following : round.row, y, eta, beta);
            const double back = said.weighed.total / (tells ? left_of(said.weighed, y, beta) : ahead.total);
            gain = log_of(back);
            if (anyone_asleep)  // else all are rescaled alike, which no share notices
                for (std::size_t i = 0; i < w.size(); ++i) w[i] *= is_awake(round.row[i]) ? back : 1.0;
            counts[2] += 1.0;
        }
        count_round(counts, anyone_asleep);
        counts[3] += f;
        counts[4] += gain;
        if (anyone_asleep) excuse(round.row, f, gain);
        if (gain > 0.0 && is_due(counts[2], period)) {
            relight(w, Column<const double>{costs.data, costs.size()});
            looked = false;
        }
        if (!looked) look(round.following);
    }

private:
    // Those asleep had no part in this round.
    void excuse(AdviceRow row, double f, double gain) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            const double sleeps = is_awake(row[i]) ? 0.0 : 1.0;
            absent[i] += sleeps;
            spared[i] += sleeps * f;
            missed[i] += sleeps * gain;
        }
    }

    // The weights from their logarithms, the heaviest of those awake at 1; others at most e^600, which will not go unnoticed.
    template <class Number>
    bool relight(Weights weights, Column<const Number> row) const {
        double base = -infinity;
        for (std::size_t i = 0; i < w.size(); ++i)
            if (is_awake(row[i])) base = std::max(base, -missed[i] - eta * costs[i]);
        if (!(base > -infinity)) return false;
        for (std::size_t i = 0; i < w.size(); ++i) weights[i] = exp_of(std::min(600.0, -missed[i] - eta * costs[i] - base));
        return true;
    }
};

}  // namespace littlestone
